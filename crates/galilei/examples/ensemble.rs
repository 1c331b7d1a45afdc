//! A thousand projectiles with drag, thrown at random angles and speeds, on all cores: how far do they fly?
//!
//! `cargo run --release -p galilei --example ensemble`

use galilei::Model;

const PROJECTILE: &str = "
param m = 0.15 [kg], c = 0.002 [kg/m], g = 9.81 [m/s^2], speed = 20 [m/s], angle = 0.8 [rad]
coord x [m], y [m]
let place = (x, y)
particle ball: mass m at place
gravity: (0, -g)
force drag: -c*norm(D(place))*D(place) at place
initial x' = speed*cos(angle), y' = speed*sin(angle)
event ground: y falling terminal
simulate to 10
";

fn main() -> Result<(), galilei::Error> {
    let model = Model::parse(PROJECTILE)?;
    let sweep = model
        .sweep()
        .sample(1000)
        .seed(1)
        .vary("speed in 15..25")
        .vary("angle in 0.4..1.2")
        .build()?;
    let column = |name: &str| sweep.columns().iter().position(|c| c == name);
    let (Some(angle), Some(x)) = (column("angle"), column("x")) else {
        unreachable!("varied quantities and final positions are columns")
    };
    let mut best = (0.0_f64, 0.0_f64);
    let mut runs = 0;
    sweep.run(
        |_| false,
        |block| {
            for row in &block.rows {
                runs += 1;
                if row[x] > best.0 {
                    best = (row[x], row[angle]);
                }
            }
            true
        },
    );
    println!(
        "{runs} runs; the farthest flew {:.3} m, thrown at {:.3} rad",
        best.0, best.1
    );
    Ok(())
}
