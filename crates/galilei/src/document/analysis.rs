//! The documents of `modes`, `equilibrium`, `periodic` and `lyapunov`.

use galilei_report::document::Entries;
use serde::Serialize;

/// A state in a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StateDocument<'a> {
    /// t
    pub time: f64,
    /// x
    pub position: &'a [f64],
    /// u
    pub velocity: &'a [f64],
}

/// The document of `modes`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Modes<'a> {
    /// The state at which the motion was linearised.
    pub state: StateDocument<'a>,
    /// The names of the independent coordinates: positions, then velocities.
    pub independent: &'a [String],
    /// A
    #[serde(rename = "A")]
    pub a: &'a [Vec<f64>],
    /// B; null without inputs.
    #[serde(rename = "B")]
    pub b: Option<&'a [Vec<f64>]>,
    /// The names of the inputs.
    pub inputs: &'a [String],
    /// C; null where an output has no derivatives.
    #[serde(rename = "C")]
    pub c: Option<&'a [Vec<f64>]>,
    /// D; null without inputs.
    #[serde(rename = "D")]
    pub d: Option<&'a [Vec<f64>]>,
    /// The eigenvalues, as real and imaginary parts.
    pub eigenvalues: &'a [[f64; 2]],
    /// |Im s|/2π
    pub frequencies_hz: &'a [f64],
    /// −Re s/|s|; null for s = 0.
    pub damping_ratios: &'a [Option<f64>],
    /// An eigenvector for each eigenvalue.
    pub vectors: &'a [Vec<[f64; 2]>],
    /// The names of the outputs, the rows of C.
    pub outputs: &'a [String],
    /// ‖Av − sv‖ relative to ‖A‖.
    pub residuals: &'a [f64],
    /// Whether the state is an equilibrium or a steady motion.
    pub steady: bool,
}

impl<'a> Modes<'a> {
    /// The document of a linearisation.
    pub fn new(modes: &'a galilei_analyse::Modes) -> Self {
        Self {
            state: StateDocument {
                time: modes.time,
                position: &modes.position,
                velocity: &modes.velocity,
            },
            independent: &modes.independent,
            a: &modes.a,
            b: modes.b.as_deref(),
            inputs: &modes.inputs,
            c: modes.c.as_deref(),
            d: modes.d.as_deref(),
            eigenvalues: &modes.eigen.values,
            frequencies_hz: &modes.frequencies_hz,
            damping_ratios: &modes.damping_ratios,
            vectors: &modes.eigen.vectors,
            outputs: &modes.outputs,
            residuals: &modes.eigen.residuals,
            steady: modes.steady,
        }
    }
}

/// The document of `fit`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fit<'a> {
    /// The unknowns by name.
    pub parameters: Entries<FittedValue>,
    /// √(SSR/N)
    pub residual_rms: f64,
    /// Iterations of the search.
    pub iterations: usize,
    /// The covariance of the unknowns, in their order; null where the data do not determine them.
    pub covariance: &'a [Vec<Option<f64>>],
    /// Whether the data determine all unknowns.
    pub identifiable: bool,
    /// The combinations that the data do not determine, in words.
    pub undetermined: &'a [String],
    /// The profiles of the unknowns, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile<'a>>,
}

/// The least sums of squares with one unknown held.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Profile<'a> {
    /// The name of the unknown.
    pub name: &'a str,
    /// Values of the unknown.
    pub values: &'a [f64],
    /// The least sums of squares with them.
    pub squares: &'a [f64],
    /// The ends of the interval of 95 % confidence; null where the profile does not reach it.
    pub interval: [Option<f64>; 2],
}

/// A value that was found, in SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FittedValue {
    /// The value.
    pub value: f64,
    /// The standard error; null where the data do not determine the value.
    pub standard_error: Option<f64>,
}

impl<'a> Fit<'a> {
    /// The document of a fit.
    pub fn new(fit: &'a galilei_analyse::Fit) -> Self {
        let value = |p: &galilei_analyse::Fitted| {
            let value = FittedValue {
                value: p.value,
                standard_error: p.standard_error,
            };
            (p.name.clone(), value)
        };
        Self {
            parameters: fit.parameters.iter().map(value).collect(),
            residual_rms: fit.residual_rms,
            iterations: fit.iterations,
            covariance: &fit.covariance,
            identifiable: fit.identifiable,
            undetermined: &fit.undetermined,
            profiles: (fit.profiles.iter())
                .map(|p| Profile {
                    name: &p.name,
                    values: &p.values,
                    squares: &p.squares,
                    interval: p.interval,
                })
                .collect(),
        }
    }
}

/// The document of `equilibrium`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Equilibria<'a> {
    /// The equilibria, the nearest to the guess first.
    pub equilibria: Vec<Equilibrium<'a>>,
}

/// A rest position or a steady motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Equilibrium<'a> {
    /// x
    pub position: &'a [f64],
    /// u
    pub velocity: &'a [f64],
    /// λ_a; null where the connection enforces the constraint.
    pub multipliers: &'a [Option<f64>],
    /// The largest residual of the equations.
    pub residual: f64,
    /// `proved`, `certified` or `sampled`.
    pub verdict: &'static str,
    /// Whether it is stable, modulo symmetries.
    pub stable: Option<bool>,
    /// The second variation of the amended potential.
    pub energy_hessian: Option<Hessian>,
    /// The eigenvalues of the linearisation.
    pub eigenvalues: &'a [[f64; 2]],
    /// The values of free parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Entries<f64>>,
    /// Formulas of the positions.
    pub formulas: Option<Entries<&'a str>>,
    /// The argument that decided about stability, or why none did.
    pub reason: &'a str,
    /// Whether the linearised motion is bounded, modulo symmetries; null where that is open.
    pub linearly_stable: Option<bool>,
    /// Whether other equilibria are arbitrarily near.
    pub family: bool,
}

/// Index and nullity of a second variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hessian {
    /// The number of directions in which the energy falls.
    pub index: usize,
    /// The number of directions in which it does not change to second order.
    pub nullity: usize,
}

impl<'a> Equilibria<'a> {
    /// The document of the equilibria that were found.
    pub fn new(found: &'a galilei_analyse::Equilibria) -> Self {
        Self {
            equilibria: found.list.iter().map(Equilibrium::new).collect(),
        }
    }
}

impl<'a> Equilibrium<'a> {
    fn new(e: &'a galilei_analyse::Equilibrium) -> Self {
        let formulas = e.formulas.as_ref();
        Self {
            position: &e.position,
            velocity: &e.velocity,
            multipliers: &e.multipliers,
            residual: e.residual,
            verdict: e.verdict.as_str(),
            stable: e.stable,
            energy_hessian: e.energy_hessian.map(|h| Hessian {
                index: h.index,
                nullity: h.nullity,
            }),
            eigenvalues: &e.eigenvalues,
            parameters: (!e.parameters.is_empty()).then(|| e.parameters.iter().cloned().collect()),
            formulas: formulas.map(|f| f.iter().map(|(n, e)| (n.clone(), e.as_str())).collect()),
            reason: &e.reason,
            linearly_stable: e.linearly_stable,
            family: e.family,
        }
    }
}

/// The document of `periodic`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Periodic<'a> {
    /// The motions, in the order of the family.
    pub motions: Vec<PeriodicMotion<'a>>,
}

/// A periodic motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PeriodicMotion<'a> {
    /// The period.
    pub period: f64,
    /// The state at the start of a period.
    pub state: StateDocument<'a>,
    /// The distance of the state after a period.
    pub residual: f64,
    /// The value of the varied parameter, in its unit.
    pub parameter: Option<f64>,
    /// The Floquet multipliers.
    pub multipliers: &'a [[f64; 2]],
    /// The number of multipliers that must be 1.
    pub trivial: usize,
    /// Whether the orbit is stable.
    pub stable: Option<bool>,
    /// The bifurcation that was located here.
    pub bifurcation: Option<&'static str>,
    /// Whether the linearised motion near the orbit is bounded, modulo symmetries; null where that is open.
    pub linearly_stable: Option<bool>,
    /// The proof that the motion exists, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofDocument<'a>>,
}

/// The proof of a periodic motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProofDocument<'a> {
    /// Whether exactly one periodic motion is proved to start in the box.
    pub certified: bool,
    /// An interval that contains its period.
    pub period: [f64; 2],
    /// Intervals that contain the positions at the start.
    pub position: &'a [[f64; 2]],
    /// Intervals that contain the velocities at the start.
    pub velocity: &'a [[f64; 2]],
    /// The entries of the state that are held, which choose the start on the orbit and the orbit in its family.
    pub held: Vec<String>,
    /// Why nothing is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

impl<'a> ProofDocument<'a> {
    /// The document of a proof with the names of the coordinates.
    pub fn new(proof: &'a galilei_certify::PeriodicProof, coordinates: &[String]) -> Self {
        let primes = coordinates.iter().map(|c| format!("{c}'"));
        let names: Vec<String> = coordinates.iter().cloned().chain(primes).collect();
        Self {
            certified: proof.certified,
            period: proof.period,
            position: &proof.position,
            velocity: &proof.velocity,
            held: proof.held.iter().map(|k| names[*k].clone()).collect(),
            reason: proof.reason.as_deref(),
        }
    }
}

impl<'a> Periodic<'a> {
    /// The document with the proof of its only motion.
    #[must_use]
    pub fn with_proof(mut self, proof: Option<ProofDocument<'a>>) -> Self {
        if let [motion] = &mut self.motions[..] {
            motion.proof = proof;
        }
        self
    }

    /// The document of motions, with the unit of the varied parameter in SI units.
    pub fn new(found: &'a galilei_analyse::PeriodicMotions, unit: f64) -> Self {
        let motion = |m: &'a galilei_analyse::PeriodicMotion| PeriodicMotion {
            period: m.period,
            state: StateDocument {
                time: m.time,
                position: &m.position,
                velocity: &m.velocity,
            },
            residual: m.residual,
            parameter: m.parameter.map(|p| p / unit),
            multipliers: &m.multipliers,
            trivial: m.trivial,
            stable: m.stable,
            bifurcation: m.bifurcation.map(galilei_analyse::Bifurcation::as_str),
            linearly_stable: m.linearly_stable,
            proof: None,
        };
        Self {
            motions: found.motions.iter().map(motion).collect(),
        }
    }
}

/// The document of `lyapunov`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lyapunov<'a> {
    /// The exponents, the largest first.
    pub exponents: &'a [f64],
    /// The standard error of each; null where the run is too short for one.
    pub standard_error: Vec<Option<f64>>,
    /// The time that was followed.
    pub time: f64,
    /// The sum of the exponents.
    pub sum: f64,
    /// The time mean of the divergence; null where it is not known.
    pub expected_sum: Option<f64>,
    /// The exponents until earlier times.
    pub convergence: Vec<Convergence<'a>>,
    /// `finished` or `failed`.
    pub status: &'static str,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// The number of steps.
    pub steps: usize,
}

/// Exponents until a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Convergence<'a> {
    /// The time since the start.
    pub time: f64,
    /// The exponents until then.
    pub exponents: &'a [f64],
}

impl<'a> Lyapunov<'a> {
    /// The document of Lyapunov exponents.
    pub fn new(found: &'a galilei_analyse::Lyapunov) -> Self {
        let errors = found.standard_error.iter();
        Self {
            exponents: &found.exponents,
            standard_error: errors.map(|e| e.is_finite().then_some(*e)).collect(),
            time: found.time,
            sum: found.sum,
            expected_sum: found.expected_sum,
            convergence: (found.convergence.iter())
                .map(|(time, exponents)| Convergence {
                    time: *time,
                    exponents,
                })
                .collect(),
            status: if found.failure.is_some() {
                "failed"
            } else {
                "finished"
            },
            reason: found.failure.map(|why| why.to_string()),
            steps: found.steps,
        }
    }
}
