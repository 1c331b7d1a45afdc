//! The theorems behind the numbers `T-…`, in one line each, with their sources.

/// A numbered statement of the theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Theorem {
    /// `T-47`
    pub number: &'static str,
    /// The statement.
    pub says: &'static str,
    /// Paper and equation; empty for common knowledge and immediate consequences.
    pub source: &'static str,
}

/// The papers, by the letters they are cited with.
pub const PAPERS: [(&str, &str); 5] = [
    (
        "ECW",
        "S. R. Eugster, G. Capobianco, T. Winandy: Geometric description of time-dependent finite-dimensional mechanical systems",
    ),
    (
        "CWE",
        "G. Capobianco, T. Winandy, S. R. Eugster: The principle of virtual work and Hamilton’s principle on Galilean manifolds",
    ),
    (
        "S",
        "W. Sarlet: A direct geometrical construction of the dynamics of non-holonomic Lagrangian systems",
    ),
    (
        "ECW′",
        "S. R. Eugster, G. Capobianco, T. Winandy: On different geometric approaches to the dynamics of finite-dimensional mechanical systems",
    ),
    (
        "GMS",
        "G. Giachetta, L. Mangiarotti, G. Sardanashvily: Nonholonomic constraints in time-dependent mechanics",
    ),
];

/// The statement of that number.
///
/// ```
/// let t = galilei_report::theorem("T-47").unwrap();
/// assert_eq!(t.source, "ECW (86), (87); CWE (73), (74)");
/// ```
pub fn theorem(number: &str) -> Option<&'static Theorem> {
    THEOREMS.iter().find(|t| t.number == number)
}

const fn t(number: &'static str, says: &'static str, source: &'static str) -> Theorem {
    Theorem {
        number,
        says,
        source,
    }
}

#[rustfmt::skip]
const THEOREMS: &[Theorem] = &[
    t("T-5", "Time is a closed one-form without zeros; adapted charts have ϑ = dt.", "ECW (1)–(6)"),
    t("T-6", "The Galilean metric measures velocities in space; its components are the mass matrix.", "ECW (30)–(32)"),
    t("T-7", "A reference field says which points of space count as resting: R = ∂ₜ + Rⁱ∂ᵢ.", "ECW §9; GMS (5)"),
    t("T-9", "Adapted charts differ by the origin of time and by moving coordinates of space.", "ECW §3"),
    t("T-10", "Velocities of two adapted charts differ by the motion of one chart in the other.", "ECW §4"),
    t("T-11", "Metric, forces and reference fields are tensors: their components follow the chart.", "ECW §5"),
    t("T-12", "The Hamiltonian is no scalar: a moving chart shifts it by pⱼ∂ₜXʲ.", "GMS §V"),
    t("T-15", "The vertical homomorphism turns directions of space into changes of velocity.", "ECW (34)"),
    t("T-17", "∂ differentiates along velocities: ∂f = (∂f/∂uⁱ)θⁱ.", "ECW (40)"),
    t("T-21", "A second-order field: what it calls velocity is the rate of position.", "ECW (20), (21)"),
    t("T-23", "The action form of a metric and a field: Ω = gᵢⱼ ηⁱ ∧ θʲ.", "ECW (44), (45)"),
    t("T-24", "A two-form is an action form exactly if it is regular in this sense and ∂Ω = 0.", "ECW Theorem 1"),
    t("T-25", "An action form determines the motion: the only X with X ⌟ Ω = 0 and ϑ(X) = 1.", "ECW §7"),
    t("T-26", "Every regular Lagrangian has its two-form and its field, quadratic or not.", ""),
    t("T-28", "A force is a covector on directions of space; it may depend on the velocity.", "ECW (51), (52)"),
    t("T-29", "A force as covector F, as one-form φ and as two-form Φ: three views of one thing.", "ECW Theorem 2"),
    t("T-31", "Forces add: Ω + Φ is the action form of the sum of the accelerations.", "ECW Theorem 3"),
    t("T-32", "A force has potentials exactly if dΦ = 0, that is P1 to P4: affine in u, antisymmetric, and the two Maxwell conditions.", "ECW (66)–(70)"),
    t("T-33", "If all forces have potentials, Ω is closed.", "ECW (71)"),
    t("T-34", "φ = −V dt + Aᵢdxⁱ and Φ = dφ: Fᵢ = −∂ᵢV − ∂ₜAᵢ + (∂ᵢAⱼ − ∂ⱼAᵢ)uʲ.", "ECW (72)"),
    t("T-35", "Potentials are found by integrating along rays.", "ECW §10.2"),
    t("T-36", "Potentials are determined up to a gauge: V − ∂ₜf and A + ∂f give the same force.", "ECW (73)"),
    t("T-38", "The kinetic energy is that of the velocity against the reference field: T = ½g(u − R, u − R).", "ECW (59), (60)"),
    t("T-40", "What one observer calls a free motion needs inertia forces for another.", "ECW (64)"),
    t("T-41", "Inertia forces always have potentials.", "ECW (65)"),
    t("T-42", "L = T − V + Aᵢuⁱ, and the Cartan form ω = L dt + (∂L/∂uⁱ)θⁱ.", "ECW (75)–(78)"),
    t("T-43", "dω contains metric, reference field and potentials at once.", "ECW (80)"),
    t("T-44", "Lagrangians that differ by a total derivative have the same dω.", "ECW (82)"),
    t("T-45", "Metric, potentials and reference field can be read off a quadratic Lagrangian.", "ECW (85)"),
    t("T-46", "dω is an action form exactly if L is quadratic in u with a positive definite Hessian.", "ECW §11"),
    t("T-47", "The postulate: Ω = dω + ΣΦ, and the motion is the field X with ϑ(X) = 1 and X ⌟ Ω = 0.", "ECW (86), (87); CWE (73), (74)"),
    t("T-48", "Contraction gives Lagrange’s equations: X ⌟ Ω = [X(∂L/∂uⁱ) − ∂L/∂xⁱ − Fᵢ]θⁱ.", "ECW (95)–(98)"),
    t("T-49", "Lagrange: d/dt ∂L/∂uⁱ − ∂L/∂xⁱ = Fᵢ.", "ECW (95)–(98)"),
    t("T-50", "The energy E = uⁱ∂L/∂uⁱ − L changes at the rate −∂L/∂t + uⁱFᵢ.", "ECW (100)"),
    t("T-51", "Legendre: pᵢ = ∂L/∂uⁱ, and H = pᵢuⁱ − L in the canonical chart (t, x, p).", "ECW (103)–(108)"),
    t("T-53", "In the canonical chart ω = −H dt + pᵢdxⁱ.", "ECW (108), (110)"),
    t("T-54", "Hamilton: ẋⁱ = ∂H/∂pᵢ, ṗᵢ = −∂H/∂xⁱ + Fᵢ.", "ECW (115)–(119)"),
    t("T-55", "A second-order field in the canonical chart.", "CWE (72)"),
    t("T-56", "Virtual displacements are tangent to simultaneity: ϑ(Y) = 0.", "CWE (82)"),
    t("T-57", "Displacements of motions carry their velocities along: δuⁱ = Z[δxⁱ].", "CWE (84)–(90)"),
    t("T-58", "The virtual work of all forces is Ω(Z, Y).", "CWE (97)"),
    t("T-59", "Principle of virtual work: Ω(Z, Y) = 0 for all virtual displacements.", "CWE Theorem 12.2"),
    t("T-60", "Hamel’s form of the central equation.", "CWE (109)"),
    t("T-61", "Lagrange’s central equation.", "CWE (110)"),
    t("T-62", "The first variation of the action is the virtual work, up to the ends.", "CWE (118), (119)"),
    t("T-63", "Principle I: positions and velocities, or momenta, are varied independently.", "CWE (127), (128)"),
    t("T-64", "Principle II: curves whose velocity is the rate of position.", "CWE (130)"),
    t("T-65", "Principle III: curves in space-time.", "CWE (134)"),
    t("T-66", "Variations must respect what the curves respect.", ""),
    t("T-67", "Without time: q̈ᵏ + Γᵏₗₘq̇ˡq̇ᵐ is the acceleration, with the Christoffel symbols of g.", "ECW′ (3), (4)"),
    t("T-68", "Without time on TQ: X ⌟ Ω_L = dE − f.", "ECW′ (6), (7)"),
    t("T-69", "Without time on T*Q: Y ⌟ Ω_H = dH − f.", "ECW′ (8)"),
    t("T-70", "The three time-independent formulations and the time-dependent one agree.", "ECW′"),
    t("T-71", "Some velocities are expressed through the others: uᵃ = gᵃ(t, x, u^α).", "S §1"),
    t("T-72", "The constraints define a connection: η^a, X_α.", "S §2"),
    t("T-73", "Second-order fields on the constraint manifold.", "S §3"),
    t("T-74", "The connection that belongs to a second-order field.", "S §3"),
    t("T-75", "The curvature of the constraints; it vanishes exactly if they are holonomic.", "S §2, §5"),
    t("T-76", "The Jacobi endomorphism of the constrained motion.", "S §3"),
    t("T-77", "The two-form of the constrained system on J¹_σ.", "S §4, §5"),
    t("T-78", "i_ΓΩ_Γ = 0: the equations of motion with curvature of the constraints.", "S §1, §5"),
    t("T-79", "The free accelerations by a linear system with the reduced mass matrix.", "S §4, §5"),
    t("T-80", "The rank of the two-form of the constrained system.", "S §4"),
    t("T-81", "Chetaev’s rule, and the multipliers.", "S §1"),
    t("T-82", "Constraints as one-forms; they are admissible if they restrict accelerations independently.", "GMS §III"),
    t("T-83", "Reactions that keep the constraints, of which there are many.", "GMS (9)"),
    t("T-84", "The ideal reaction: orthogonal to what the constraints allow, in the mass metric.", "GMS (21)"),
    t("T-85", "The reaction force λₐ∂fᵃ/∂uⁱ, and its multipliers.", "GMS (34)"),
    t("T-86", "Gauss: the constrained motion is nearest to the free one in the mass metric.", "GMS §IV"),
    t("T-87", "Accelerations and multipliers together by one linear system.", ""),
    t("T-88", "The constraint functions are conserved; a start on them stays on them.", "GMS §III"),
    t("T-89", "Newtonian systems.", "GMS (17), (18), (20)"),
    t("T-90", "The reference frame of affine constraints.", "GMS (13)"),
    t("T-91", "The first variational formula.", "GMS (25)"),
    t("T-92", "The energy in a frame and its rate, with inertia forces and reactions.", "GMS (35), (36)"),
    t("T-93", "The power of the reactions; it vanishes in the frame of the constraints.", "GMS §IV"),
    t("T-94", "Both constructions of constrained motion agree.", ""),
    t("T-95", "Hamiltonian forms, split by a frame.", "GMS §V"),
    t("T-96", "γ_H ⌟ Ω = dH.", "GMS (40)"),
    t("T-97", "Constraints on the momentum phase space.", "GMS §VI"),
    t("T-98", "Hamilton’s equations with reactions.", "GMS (53), (54)"),
    t("T-99", "The vertical extension: positions and momenta with their variations.", "GMS §V"),
    t("T-100", "Hamilton’s equations of the vertical extension.", "GMS (43)"),
    t("T-101", "The Jacobi extension: variations obey the linearised equations.", "GMS (46)–(48)"),
    t("T-102", "Every first-order equation is Hamiltonian on the vertical extension.", "GMS (49)"),
    t("T-103", "The vertical extension of a constrained system.", "GMS §VI"),
    t("T-104", "The Lagrangian of the vertical extension.", "GMS (55)"),
    t("T-105", "A constrained system is an action form with the reaction as a force.", ""),
    t("T-106", "Constraints between positions are kept together with their rates.", ""),
    t("T-107", "Homogeneous forces have a potential in closed form.", ""),
    t("T-108", "Inertia forces by name: centrifugal, Euler, Coriolis.", ""),
    t("T-109", "The homogeneous parts of the kinetic energy.", "ECW (60)"),
    t("T-110", "Reference fields are classes of charts in which something rests.", "GMS §II"),
    t("T-111", "Noether: a symmetry of L that the forces respect gives a conserved quantity.", "GMS (25)"),
    t("T-112", "The connection behind the solved form.", "S §2, §5"),
    t("T-113", "A reaction by a connection, ideal only for special metrics.", "GMS (14)–(16)"),
    t("T-114", "Lagrangian and Hamiltonian forms correspond.", "GMS (50)"),
    t("T-115", "The canonical form of the vertical extension.", "GMS (46)"),
    t("T-117", "Every action form is a kinetic energy with a force, for every reference field.", "ECW Proposition 1"),
    t("T-119", "Every standard Newtonian system is a kinetic energy with a force, for every frame.", "GMS (32)"),
    t("T-120", "The inverse problem: which equations with a given mass matrix come from a Lagrangian.", ""),
    t("T-125", "The charts of an atlas fit together: each change has its inverse, and Ω is the same two-form in both.", ""),
    t("T-201", "Near an equilibrium motions obey M q̈ + (C + G) q̇ + (K + N) q = 0: symmetric and antisymmetric parts of the slopes.", ""),
    t("T-202", "An equilibrium rests, a steady motion moves along a symmetry; a strict minimum of the amended potential is stable.", ""),
    t("T-203", "An impact reverses the velocity of approach times the coefficient of restitution; impulses only push.", ""),
    t("T-204", "A contact pushes or opens; Coulomb friction holds up to its limit, and opposes sliding.", ""),
    t("T-205", "A periodic motion has multipliers 1 for its flow and for first integrals; the others decide its stability.", ""),
    t("T-206", "The Lyapunov exponents add up to the time mean of the divergence, zero for Hamiltonian systems.", ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_sources_are_papers() {
        for (k, t) in THEOREMS.iter().enumerate() {
            assert!(
                THEOREMS[..k].iter().all(|s| s.number != t.number),
                "{}",
                t.number
            );
            for part in t.source.split("; ").filter(|p| !p.is_empty()) {
                let letters = part.split([' ', ',']).next().unwrap();
                assert!(
                    PAPERS.iter().any(|p| p.0 == letters),
                    "{}: {part}",
                    t.number
                );
            }
        }
    }
}
