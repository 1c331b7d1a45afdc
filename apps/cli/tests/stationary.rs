//! `galilei stationary`: motions between given ends.

mod common;

use common::{Json, galilei};

const OSCILLATOR: &str = "param half = 0.5 [cm]\ncoord x [cm]\nkinetic: x'^2/2\npotential: x^2/2\nsimulate to 4\n\
                          output double: 2*x\nevent one: x - half rising\n";

#[test]
fn an_oscillator_beyond_half_a_period() {
    let words = [
        "stationary",
        "-",
        "--json",
        "--start",
        "x=0",
        "--end",
        "x=1",
    ];
    let answer = galilei(&words, OSCILLATOR);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let json = answer.json();
    let solutions = json.get("solutions").list();
    assert_eq!(solutions.len(), 1);
    let one = &solutions[0];
    assert_eq!(one.get("index").number(), 1.0);
    assert_eq!(*one.get("minimum"), Json::Bool(false));
    let conjugate = &one.get("conjugate_points").list()[0];
    assert!((conjugate.get("time").number() - std::f64::consts::PI).abs() < 1e-7);
    // Centimetres: x = 0.01·sin t/sin 4.
    let rate = one.get("start").get("velocity").numbers()[0];
    assert!((rate - 0.01 / 4f64.sin()).abs() < 1e-11, "{rate}");
    assert!(one.get("residual").number() < 1e-10);
    assert!((one.get("outputs").get("double").number() - 0.02).abs() < 1e-9);
    assert_eq!(one.get("events").list().len(), 1);
}

#[test]
fn under_forces_the_action_is_neither_a_minimum_nor_has_it_an_index() {
    let text =
        "coord th\nkinetic: th'^2/2\npotential: -cos(th)\nforce fr: th = -0.3*th'\nsimulate to 3\n";
    let answer = galilei(&["stationary", "-", "--json", "--end", "th=1"], text);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let json = answer.json();
    assert_eq!(*json.get("forced"), Json::Bool(true));
    for one in json.get("solutions").list() {
        assert_eq!(*one.get("index"), Json::Null);
        assert_eq!(*one.get("minimum"), Json::Null);
    }
    let answer = galilei(&["stationary", "-", "--end", "th=1"], text);
    assert!(answer.out.contains("not stationary under these forces"));
    assert!(!answer.out.contains("minimum") && !answer.out.contains("index"));
}

#[test]
fn free_ends_and_all_functionals() {
    for functional in ["a", "b", "c", "d", "e", "f"] {
        let words = [
            "stationary",
            "-",
            "--json",
            "--start",
            "x=1",
            "--free-end",
            "x",
        ];
        let more = ["--to", "1", "--functional", functional, "--starts", "2"];
        let answer = galilei(&[&words[..], &more].concat(), OSCILLATOR);
        assert_eq!(answer.code, 0, "{}", answer.out);
        let json = answer.json();
        let one = &json.get("solutions").list()[0];
        // At rest at the end: x = 0.01·cos(t − 1)/cos 1.
        let end = one.get("end").get("position").numbers()[0];
        assert!(
            (end - 0.01 / 1f64.cos()).abs() < 1e-10,
            "({functional}) {end}"
        );
        assert!(one.get("end").get("velocity").numbers()[0].abs() < 1e-10);
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let cases: [(&[&str], i32, &str); 5] = [
        (&[], 1, "missing_end"),
        (&["--end", "y=1"], 1, "invalid_state"),
        (
            &["--end", "x=1", "--functional", "z"],
            1,
            "unknown_functional",
        ),
        (&["--end", "x=1", "--degree", "40"], 1, "wrong_setting"),
        (
            &["--end", "x=1", "--to", "3.141592653589793", "--starts", "2"],
            3,
            "no_motion_found",
        ),
    ];
    for (words, code, what) in cases {
        let all = [&["stationary", "-", "--json"][..], words].concat();
        let answer = galilei(&all, OSCILLATOR);
        assert_eq!(answer.code, code, "{words:?} {}", answer.out);
        assert!(answer.out.contains(what), "{words:?} {}", answer.out);
    }
}

#[test]
fn what_would_have_no_effect_is_refused() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nsimulate to 1\n";
    for (words, said) in [
        (["--method", "gauss4"], "--method"),
        (["--step", "0.1"], "--step"),
        (["--starts", "0"], "--starts 1"),
    ] {
        let all = [&["stationary", "-", "--json", "--end", "x=1"], &words[..]].concat();
        let answer = galilei(&all, text);
        assert_eq!(answer.code, 1, "{words:?}");
        assert!(answer.out.contains("wrong_setting"), "{}", answer.out);
        assert!(answer.out.contains(said), "{}", answer.out);
    }
}
