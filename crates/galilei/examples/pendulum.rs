//! A pendulum: its equation of motion, what holds for it, its period, and how the period depends on the length.
//!
//! `cargo run -p galilei --example pendulum`

use galilei::{Derivation, Model, Topic};

const PENDULUM: &str = "
param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]
coord theta [rad]
particle bob: mass m at (l*sin(theta), -l*cos(theta))
gravity: (0, -g)
initial theta = 1
event lowest: theta falling terminal
simulate to 10
";

fn main() -> Result<(), galilei::Error> {
    let model = Model::parse(PENDULUM)?;
    let lagrange = Derivation::new(&model).section(Topic::Lagrange);
    println!("{}", lagrange.formulas[0].layout.to_text());

    let check = model.check();
    println!(
        "everything required is proved: {:?}; energy conserved: {}",
        check.ok, check.conservative
    );

    // A quarter of a period ends where the bob passes its lowest point.
    let quarter =
        |model: &Model| -> Result<f64, galilei::Error> { Ok(model.simulate().run()?.run.time) };
    println!("period {:.9} s", 4.0 * quarter(&model)?);
    let longer = Model::reader().set("l=2").parse(PENDULUM)?;
    println!(
        "period {:.9} s at twice the length",
        4.0 * quarter(&longer)?
    );

    // Derivatives of the state at t = 1 by its start, and by the length.
    let found = model.sensitivities().by("l").to(0.3).run()?;
    println!("∂θ(0.3)/∂θ(0) = {:.9}", found.transition[0][0]);
    println!("∂θ(0.3)/∂l = {:.9}", found.by_parameters[0][0]);
    Ok(())
}
