#![allow(missing_docs)]
use galilei::tape::Op;
use galilei::{Form, Settings, compile_as, read};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let settings = Settings {
        set: args[2..].to_vec(),
        ..Settings::default()
    };
    let model = read(&text, &settings).model.unwrap();
    let c = compile_as(&model, Form::Squares).unwrap();
    if let Some(s) = &c.rates().squares {
        let m: Vec<f64> = s
            .velocities
            .iter()
            .map(|v| match c.tape().ops()[v.mass as usize] {
                Op::Const(m) => m,
                _ => f64::NAN,
            })
            .collect();
        println!("{m:?}");
        println!(
            "{:?}",
            s.velocities
                .iter()
                .map(|v| (v.parent, v.entries.len()))
                .collect::<Vec<_>>()
        );
    }
    println!("{}", c.accelerations(1).operations());
}
