#![allow(missing_docs)]
use galilei::tape::Wanted;
use galilei::{Form, Settings, compile_as, read};
use galilei_jit::{Machine, Mode};
fn critical(c: &galilei::tape::code::Code) -> u32 {
    use galilei::tape::code::Instr;
    let mut t: Vec<u32> = vec![];
    let mut best = 0;
    for i in c.instrs() {
        let lat = match i {
            Instr::Const(_) | Instr::Table(_) | Instr::Input(_) => 0,
            Instr::Neg(_) | Instr::Abs(_) => 1,
            Instr::Lane(_, l) => [0, 1, 3, 4][*l as usize],
            Instr::Add(..) | Instr::Sub(..) | Instr::Mul(..) => 3,
            Instr::Pack(_) => 5,
            Instr::Div(..) | Instr::Sqrt(_) => 14,
            Instr::Call(..) => 60,
            _ => 4,
        };
        let m = i
            .operands()
            .iter()
            .map(|&v| t[v as usize])
            .max()
            .unwrap_or(0)
            + lat;
        best = best.max(m);
        t.push(m);
    }
    best
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let settings = Settings {
        set: args[3..].to_vec(),
        ..Settings::default()
    };
    let p: usize = args[2].parse().unwrap();
    for form in [Form::Squares, Form::Closed] {
        if form == Form::Closed && args.len() > 3 && p > 1 {
            continue;
        }
        let model = read(&text, &settings).model.unwrap();
        let t = std::time::Instant::now();
        let c = compile_as(&model, form).unwrap();
        let t0 = t.elapsed();
        for packed in [false, true] {
            let t = std::time::Instant::now();
            let s = c.tape().series(
                c.rates(),
                &Wanted {
                    packed,
                    ..Wanted::default()
                },
                p,
            );
            let t1 = t.elapsed();
            let f = s.code.fused();
            let t2 = t.elapsed();
            let g = f.scheduled(400);
            let t3 = t.elapsed();
            let mut h = std::collections::BTreeMap::new();
            for (at, i) in g.instrs().iter().enumerate() {
                let name = |i: &galilei::tape::code::Instr| {
                    format!("{i:?}").split('(').next().unwrap().to_string()
                };
                let key = format!(
                    "{} {} {}",
                    name(i),
                    if g.is_wide(at as u32) { "wide" } else { "" },
                    i.operands()
                        .iter()
                        .map(|&v| name(&g.instrs()[v as usize]))
                        .collect::<Vec<_>>()
                        .join(",")
                );
                *h.entry(key).or_insert(0) += 1;
            }
            let mut h: Vec<_> = h.into_iter().filter(|h| h.1 > 40).collect();
            h.sort_by_key(|h| -h.1);
            println!("critical {} {h:?}", critical(&g));
            println!(
                "{form:?}: {} ops, fused {}, compile {t0:?} series {t1:?} fuse {:?} schedule {:?}",
                s.code.operations(),
                g.operations(),
                t2 - t1,
                t3 - t2
            );
            let st = model.initial_state().unwrap();
            let start: Vec<f64> = std::iter::once(st.time)
                .chain(st.position)
                .chain(st.velocity)
                .map(|e| e.evaluate_f64(&[]))
                .collect();
            for (name, code) in [
                ("w32", f.scheduled(32)),
                ("w200", f.scheduled(200)),
                ("w400", f.scheduled(400)),
                ("w1000", f.scheduled(1000)),
            ] {
                for mode in [Mode::Scalar, Mode::Lanes4] {
                    if packed && mode != Mode::Scalar {
                        continue;
                    }
                    let t = std::time::Instant::now();
                    let Some(m) = Machine::compile(&code, mode) else {
                        continue;
                    };
                    let t4 = t.elapsed();
                    let l = mode.lanes();
                    let x: Vec<f64> = start.iter().flat_map(|v| vec![*v; l]).collect();
                    let mut out = vec![0.0; m.output_len()];
                    let mut w = m.workspace();
                    let mut best = f64::INFINITY;
                    for _ in 0..200 {
                        let t = std::time::Instant::now();
                        for _ in 0..50 {
                            m.call_with(&mut w, &x, &mut out);
                        }
                        best = best.min(t.elapsed().as_secs_f64() / 50.0);
                    }
                    println!(
                        "   {name} {mode:?}: jit {t4:?} {} bytes, {:.1} ns, per lane {:.1}",
                        m.size(),
                        best * 1e9,
                        best * 1e9 / l as f64
                    );
                }
            }
        }
    }
}
