//! What a machine promises beside its results.

use galilei_jit::{Machine, Mode};
use galilei_tape::code::{Assembler, Code, Instr};

fn product() -> Code {
    let mut a = Assembler::new(2);
    let (x, y) = (a.input(0), a.input(1));
    let p = a.mul(x, y);
    a.finish(vec![p])
}

/// A machine in the simplest mode, where there are machines.
fn machine(code: &Code) -> Option<Machine> {
    Machine::compile(code, Mode::Scalar)
}

#[test]
fn supported_modes_compile() {
    for mode in [Mode::Scalar, Mode::Lanes4, Mode::Lanes8] {
        let machine = Machine::compile(&product(), mode);
        assert_eq!(machine.is_some(), Machine::supported(mode));
        if let Some(m) = machine {
            assert_eq!(m.mode(), mode);
            assert_eq!(m.input_len(), 2 * mode.lanes());
            assert_eq!(m.output_len(), mode.lanes());
            assert!(m.size() > 0 && m.encoding().detected());
        }
    }
    let best = Mode::best_lanes();
    assert!(best == Mode::Scalar || Machine::supported(best));
}

#[test]
#[should_panic(expected = "number of inputs")]
fn too_few_inputs_are_refused() {
    match machine(&product()) {
        Some(m) => m.call(&[1.0], &mut [0.0]),
        None => panic!("number of inputs"),
    }
}

#[test]
#[should_panic(expected = "number of outputs")]
fn too_few_outputs_are_refused() {
    match machine(&product()) {
        Some(m) => m.call(&[1.0, 2.0], &mut []),
        None => panic!("number of outputs"),
    }
}

/// Code that would read or write where nothing is.
#[test]
fn malformed_code_is_refused() {
    let cases: [fn(&mut Assembler) -> Instr; 6] = [
        |_| Instr::Input(1),
        |_| Instr::Table(3),
        |a| Instr::Lane(a.input(0), 0),
        |a| Instr::Pack([a.input(0), a.input(0), a.input(0), a.table([0.0; 4])]),
        |a| {
            let (t, x) = (a.table([1.0; 4]), a.input(0));
            Instr::Add(t, x)
        },
        |a| {
            let t = a.table([2.0; 4]);
            Instr::Lane(t, 4)
        },
    ];
    if !Machine::supported(Mode::Scalar) {
        return;
    }
    for (k, make) in cases.iter().enumerate() {
        let mut a = Assembler::new(1);
        let i = make(&mut a);
        let v = a.push(i);
        let code = a.finish(vec![v]);
        let refused = std::panic::catch_unwind(|| machine(&code)).unwrap_err();
        let message = refused.downcast_ref::<&str>();
        assert_eq!(message, Some(&"malformed code"), "case {k}");
    }
}

#[test]
fn wide_values_are_for_a_single_lane() {
    let mut a = Assembler::new(0);
    let t = a.table([1.0, 2.0, 3.0, 4.0]);
    let code = a.finish(vec![t]);
    assert!(Machine::compile(&code, Mode::Lanes4).is_none());
    if let Some(m) = machine(&code) {
        let mut out = [0.0; 4];
        m.call(&[], &mut out);
        assert_eq!(out, [1.0, 2.0, 3.0, 4.0]);
    }
}

/// Frames of every size around the largest on the stack, in a thread that has little of it.
#[test]
fn frames_fit_a_small_stack() {
    for live in [400, 4000, 4080, 4090, 4100, 5000] {
        let mut a = Assembler::new(1);
        let mut v = a.input(0);
        let list: Vec<_> = (0..live)
            .map(|_| {
                v = a.push(Instr::Sqrt(v));
                v
            })
            .collect();
        let mut sum = v;
        for &v in list.iter().rev() {
            sum = a.push(Instr::Add(sum, v));
        }
        let code = a.finish(vec![sum]);
        let Some(machine) = machine(&code) else {
            return;
        };
        let expected = code.run(&[[3.0]], &mut Vec::new())[0][0];
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(96 << 10)
                .spawn_scoped(scope, || {
                    let mut out = [0.0];
                    machine.call(&[3.0], &mut out);
                    assert_eq!(out, [expected]);
                })
                .unwrap();
        });
    }
}

#[test]
fn machines_are_shared_between_threads() {
    let Some(machine) = machine(&product()) else {
        return;
    };
    std::thread::scope(|scope| {
        for t in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                for k in 0..1000 {
                    let mut out = [0.0];
                    machine.call(&[f64::from(k), f64::from(t)], &mut out);
                    assert_eq!(out, [f64::from(k * t)]);
                }
            });
        }
    });
    let moved = std::thread::spawn(move || {
        let mut out = [0.0];
        machine.call(&[3.0, 4.0], &mut out);
        out
    });
    assert_eq!(moved.join().unwrap(), [12.0]);
}

/// The permissions of every mapping of this process that is no file's.
#[cfg(target_os = "linux")]
fn permissions() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let fields = maps.lines().map(|l| l.split_whitespace());
    let anonymous = fields.filter(|f| f.clone().count() == 5);
    anonymous
        .map(|mut f| f.nth(1).unwrap().to_owned())
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_never_writable_and_executable_and_is_given_back() {
    let executable = || permissions().iter().filter(|p| p.contains('x')).count();
    // A constant, so that there is a page behind the code that is not executable.
    let mut a = Assembler::new(1);
    let (x, c) = (a.input(0), a.number(0.5));
    let p = a.mul(x, c);
    let code = a.finish(vec![p]);
    let machines: Vec<_> = (0..200).filter_map(|_| machine(&code)).collect();
    if machines.is_empty() {
        return;
    }
    assert!(permissions().iter().all(|p| !p.contains("wx")));
    assert!(executable() >= 200);
    drop(machines);
    // Those of other tests may be there.
    assert!(executable() < 100);
}
