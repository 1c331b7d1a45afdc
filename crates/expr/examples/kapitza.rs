//! A pendulum whose pivot is shaken, written down and derived: positions, Lagrangian, Lagrange's
//! equation, and a proved statement about its energy.

use galilei_expr::{Pool, Rational};

fn main() {
    let pool = Pool::new();
    let [m, l, g, a, w, c] = pool.symbols(["m", "l", "g", "a", "w", "c"]);
    let [t, theta, u, accel] = pool.symbols(["t", "theta", "theta'", "theta''"]);

    // The bob hangs from a pivot at height a·cos(wt).
    let bob = [l * theta.sin(), a * (w * t).cos() - l * theta.cos()];
    let rates = [(t, pool.one()), (theta, u), (u, accel)];
    let velocity = bob.map(|x| x.derivative_along(&rates));

    let kinetic = Rational::new(1, 2) * m * (velocity[0].pow(2) + velocity[1].pow(2));
    let lagrangian = kinetic - m * g * bob[1];
    let friction = -c * u;

    // Lagrange: d/dt ∂L/∂u − ∂L/∂θ = F
    let momentum = lagrangian.diff(u);
    let equation = momentum.derivative_along(&rates) - lagrangian.diff(theta) - friction;
    // The equation as textbooks write it.
    let drive = g - a * w.pow(2) * (w * t).cos();
    let book = m * l.pow(2) * accel + c * u + m * l * drive * theta.sin();

    // Energy: dH/dt = −∂L/∂t + u·F + u·(equation), for any motion whatever.
    let energy = u * momentum - lagrangian;
    let balance = -lagrangian.diff(t) + u * friction + u * equation;

    println!("L  = {}", lagrangian.to_unicode());
    println!("p  = {}", momentum.to_unicode());
    println!("0  = {}", book.to_unicode());
    println!("     Lagrange's equation: {}", equation.decide_equal(book));
    println!(
        "     energy balance:      {}",
        energy.derivative_along(&rates).decide_equal(balance)
    );
    let wrong = book - 2 * c * u;
    println!(
        "     with −c in place of c: {}",
        equation.decide_equal(wrong)
    );
}
