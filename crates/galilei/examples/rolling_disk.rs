//! A disk that rolls upright without slipping: constraints between velocities, reactions, dense output.
//!
//! `cargo run -p galilei --example rolling_disk`

use galilei::Model;

const DISK: &str = "
param m = 1.2 [kg], R = 0.5 [m], spin = 1.5 [rad/s], turn = 0.4 [rad/s]
coord x [m], y [m], phi [rad], psi [rad]
particle centre: mass m at (x, y)
kinetic heading: m*R^2/4*phi'^2/2
kinetic rolling: m*R^2/2*psi'^2/2
constraint rolling: (x', y') = R*psi'*(cos(phi), sin(phi))
initial x' = R*spin, phi' = turn, psi' = spin
simulate to 5
";

fn main() -> Result<(), galilei::Error> {
    let model = Model::parse(DISK)?;
    let check = model.check();
    if let Some(c) = &check.constraints {
        println!(
            "{} constraints, integrable: {}, regular: {}",
            c.count, c.integrable, c.regular
        );
    }
    for finding in &check.findings {
        if finding.name.starts_with("power of reactions") {
            println!("{}: {}", finding.name, finding.status.word());
        }
    }

    let start = model.evaluate(&model.state_at("")?)?;
    if let Some(c) = &start.constraints {
        println!("multipliers at the start: {:.6?}", c.multipliers);
    }

    // The centre moves on a circle with the radius R·spin/turn about (0, 1.875).
    let (_, mut trajectory) = model.simulate().run_dense()?;
    for t in [0.0, 1.0, 2.5, 5.0] {
        if let Some(Ok(state)) = trajectory.at(t) {
            let radius = state[0].hypot(state[1] - 1.875);
            println!(
                "t = {t}: at ({:.6}, {:.6}), {radius:.9} from the middle",
                state[0], state[1]
            );
        }
    }
    Ok(())
}
