#![allow(missing_docs)]
use galilei::tape::Wanted;
use galilei::{Settings, compile, read};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let settings = Settings {
        set: args[3..].to_vec(),
        ..Settings::default()
    };
    let model = read(&text, &settings).model.unwrap();
    let t = std::time::Instant::now();
    let c = compile(&model).unwrap();
    println!("compile {:?}", t.elapsed());
    let p: usize = args[2].parse().unwrap();
    for squares in [true, false] {
        let mut rates = c.rates().clone();
        if !squares {
            rates.squares = None
        }
        let t = std::time::Instant::now();
        let s = c.tape().series(&rates, &Wanted::default(), p);
        let t1 = t.elapsed();
        let f = s.code.fused();
        let t2 = t.elapsed();
        let g = f.scheduled(400);
        println!(
            "squares {squares}: {} ops, fused {}, series {t1:?} fuse {:?} schedule {:?}",
            s.code.operations(),
            g.operations(),
            t2 - t1,
            t.elapsed() - t2
        );
    }
}
