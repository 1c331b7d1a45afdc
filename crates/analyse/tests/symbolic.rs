//! Linearised equations with symbols against closed forms.

use galilei_analyse::symbolic_linearisation;
use galilei_expr::Expr;
use galilei_model::{Model, Settings, read, read_expression};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    assert!(outcome.model.is_some(), "{:?}", outcome.diagnostics);
    outcome.model.unwrap()
}

/// Whether a matrix is another one, written in the model language.
fn is(model: &Model, rows: &[Vec<Expr<'_>>], wanted: &[&[&str]]) -> bool {
    let claim = |e: &Expr<'_>, text: &str| {
        // Both in one pool, as texts.
        let own = read_expression(model.pool(), &e.to_string()).unwrap();
        let other = read_expression(model.pool(), text).unwrap();
        (own - other).decide_zero().is_proved()
    };
    rows.len() == wanted.len()
        && rows
            .iter()
            .zip(wanted)
            .all(|(a, b)| a.len() == b.len() && a.iter().zip(*b).all(|(e, t)| claim(e, t)))
}

#[test]
fn t_201_columns_under_a_follower_force() {
    // Ziegler's column with the masses 2m and m.
    let text = "param m, l, k, P, c\ncoord a, b\nlet p = (l*cos(a), l*sin(a))\nlet q = p + (l*cos(b), l*sin(b))\n\
                particle one: mass 2*m at p\nparticle two: mass m at q\npotential: k*a^2/2 + k*(b - a)^2/2\n\
                force follower: (-P*cos(b), -P*sin(b)) at q\ndissipation: c*a'^2/2 + c*(b' - a')^2/2\n";
    let model = model(text);
    let found = symbolic_linearisation(&model).unwrap();
    assert!(found.proved && found.position.iter().all(|e| e.is_zero()));
    assert!(is(
        &model,
        &found.mass,
        &[&["3*m*l^2", "m*l^2"], &["m*l^2", "m*l^2"]]
    ));
    assert!(is(&model, &found.damping, &[&["2*c", "-c"], &["-c", "c"]]));
    assert!(is(&model, &found.gyroscopic, &[&["0", "0"], &["0", "0"]]));
    let k = [["2*k - P*l", "P*l/2 - k"], ["P*l/2 - k", "k"]];
    assert!(is(&model, &found.stiffness, &[&k[0], &k[1]]));
    assert!(is(
        &model,
        &found.circulatory,
        &[&["0", "P*l/2"], &["-P*l/2", "0"]]
    ));
    // A planted error is seen.
    assert!(!is(
        &model,
        &found.circulatory,
        &[&["0", "P*l"], &["-P*l", "0"]]
    ));
}

#[test]
fn t_201_triangular_points() {
    let text = "param mu = 0.01\ncoord x, y\nlet a = sqrt((x + mu)^2 + y^2)\nlet b = sqrt((x - 1 + mu)^2 + y^2)\n\
                lagrangian: (x' - y)^2/2 + (y' + x)^2/2 + (1 - mu)/a + mu/b\ninitial x = 0.5, y = 0.8\n";
    let model = model(text);
    let found = symbolic_linearisation(&model).unwrap();
    assert_eq!(found.position[0].to_string(), "1/2 - mu");
    assert!(is(&model, &found.gyroscopic, &[&["0", "-2"], &["2", "0"]]));
    let off = "3*sqrt(3)*(2*mu - 1)/4";
    assert!(is(
        &model,
        &found.stiffness,
        &[&["-3/4", off], &[off, "-9/4"]]
    ));
}

#[test]
fn t_201_constraints_and_angles() {
    let text = "param m, l, g\ncoord x, y\nparticle bob: mass m at (x, y)\ngravity: (0, -g)\n\
                constraint rod: x^2 + y^2 = l^2\nassume l > 0\ninitial y = -l\n";
    let pendulum = model(text);
    let found = symbolic_linearisation(&pendulum).unwrap();
    assert_eq!(found.independent, ["x"]);
    assert!(is(&pendulum, &found.mass, &[&["m"]]), "{:?}", found.mass);
    assert!(
        is(&pendulum, &found.stiffness, &[&["m*g/l"]]),
        "{:?}",
        found.stiffness
    );
    let text = "param m = 1, R = 0.5, g = 9.81, w = 6\ncoord q\n\
                particle bead: mass m at (R*sin(q)*cos(w*t), R*sin(q)*sin(w*t), -R*cos(q))\ngravity: (0, 0, -g)\n";
    let hoop = model(text);
    let found = symbolic_linearisation(&hoop).unwrap();
    assert_eq!(found.position[0].to_string(), "acos(g/(R*w^2))");
    assert!(is(&hoop, &found.stiffness, &[&["m*(R^2*w^2 - g^2/w^2)"]]));
    let skate = model(
        "coord x, y, a\nkinetic: (x'^2 + y'^2 + a'^2)/2\nconstraint c: x'*sin(a) = y'*cos(a)\n",
    );
    assert!(symbolic_linearisation(&skate).is_err());
}
