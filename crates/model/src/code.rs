//! The codes of all diagnostics, from reading a file to writing one.

use galilei_syntax::SyntaxCode;

galilei_syntax::codes! {
    /// The code of a diagnostic: a stable word, listed in `docs/diagnostics.md`.
    ///
    /// ```
    /// use galilei_model::Code;
    /// let code: Code = "unknown_name".parse().unwrap();
    /// assert_eq!(code, Code::UnknownName);
    /// assert_eq!(code.to_string(), "unknown_name");
    /// assert!(Code::all().any(|code| code.as_str() == "expected_token"));
    /// assert!("no_such_code".parse::<Code>().is_err());
    /// ```
    pub enum Code {
        /// The file does not exist, cannot be opened or is not UTF-8.
        CannotRead = "cannot_read",
        /// An exponent beyond ±10000.
        NumberTooLarge = "number_too_large",
        /// A name that is not declared; the nearest name is offered.
        UnknownName = "unknown_name",
        /// An unknown function; perhaps a missing `*`.
        UnknownFunction = "unknown_function",
        /// `table` ends in `linear`, `cubic`, `periodic` or `steps`.
        UnknownInterpolation = "unknown_interpolation",
        /// The knots of a `table` do not increase.
        TableNotIncreasing = "table_not_increasing",
        /// The first and the last value of a periodic `table` differ.
        TableNotPeriodic = "table_not_periodic",
        /// An entry of a `table` is no finite number.
        TableNotANumber = "table_not_a_number",
        /// A `table` has fewer than two rows.
        TableTooShort = "table_too_short",
        /// The file of a `table`, or of data, has no such column.
        TableColumnMissing = "table_column_missing",
        /// The file of a `table` does not exist.
        TableFileMissing = "table_file_missing",
        /// A `table` reads only files in the folder of the model.
        PathNotAllowed = "path_not_allowed",
        /// A column of measurements is neither `t` nor an output.
        DataColumnUnknown = "data_column_unknown",
        /// No run of a model reaches the end of the data.
        FitFailed = "fit_failed",
        /// A fit did not converge.
        FitNotConverged = "fit_not_converged",
        /// An unknown of a fit is at its bound.
        ParameterAtBound = "parameter_at_bound",
        /// A run goes beyond the ends of a `table`, where it is constant.
        TableExtrapolated = "table_extrapolated",
        /// An unknown unit.
        UnknownUnit = "unknown_unit",
        /// `position`, `velocity`, `omega` or `torque … on` name no `body`.
        UnknownBody = "unknown_body",
        /// `in` names no `frame` or `body`.
        UnknownFrame = "unknown_frame",
        /// `reaction` or `multiplier` name no `constraint`.
        UnknownConstraint = "unknown_constraint",
        /// Rotations are `x`, `y`, `z`, `axis`, sequences such as `zxz`, and `quaternion`.
        /// `inertia A B` names no declared `reference`.
        UnknownReference = "unknown_reference",
        /// Rotations are `zxz`, `zyx`, `xyz`, `quaternion`.
        UnknownRotation = "unknown_rotation",
        /// An axis without direction, a quaternion without unit norm.
        NotARotation = "not_a_rotation",
        /// A tensor of inertia that no body has.
        ImpossibleInertia = "impossible_inertia",
        /// `initial omega(…)` and `initial velocity(…)` do not determine the velocities they need.
        InitialRateUndetermined = "initial_rate_undetermined",
        /// `initial omega(…)` and `initial velocity(…)` contradict each other, or other entries.
        InitialRateContradictory = "initial_rate_contradictory",
        /// `impact` names no `event`.
        UnknownEvent = "unknown_event",
        /// A contact with friction whose tangential velocity is not known.
        MissingTangent = "missing_tangent",
        /// A coefficient of restitution beyond 0 to 1, or a negative coefficient of friction.
        WrongCoefficient = "wrong_coefficient",
        /// The number of equations of an `impact` is not that of the velocities on their left sides.
        ImpactUndetermined = "impact_undetermined",
        /// Formulas and properties are those of free motion, without contacts, friction and impacts.
        FreeMotion = "free_motion",
        /// The initial state penetrates a contact.
        ContactPenetrated = "contact_penetrated",
        /// The limit of a friction element is negative.
        NegativeFriction = "negative_friction",
        /// The equations of contact and friction have no solution, or several, for example in Painlevé's paradox.
        ContactNotUnique = "contact_not_unique",
        /// Several contacts collide together: other impact laws give other velocities (Newton's cradle).
        ImpactLawUndetermined = "impact_law_undetermined",
        /// Impacts that accumulate at an instant: the contact is closed from then on.
        ImpactsAccumulate = "impacts_accumulate",
        /// A run ends where a force with the sign of a velocity sticks: `friction` is what is meant.
        DryFriction = "dry_friction",
        /// An unknown method of integration.
        UnknownMethod = "unknown_method",
        /// `t`, `pi`, the statement words and the functions of the language are taken.
        ReservedName = "reserved_name",
        /// Two values, or two functions, of the same name.
        DuplicateName = "duplicate_name",
        /// Two statements of the same kind and name, two titles, two metrics, two `simulate` lines; a constraint named
        /// like a body with a quaternion.
        DuplicateStatement = "duplicate_statement",
        /// An entry given twice.
        DuplicateEntry = "duplicate_entry",
        /// A statement that has no name.
        UnexpectedName = "unexpected_name",
        /// A parameter uses a parameter that is declared after it.
        DeclaredLater = "declared_later",
        /// A definition, function or body that refers to itself, also through others.
        SelfReference = "self_reference",
        /// A function without its arguments.
        MissingArguments = "missing_arguments",
        /// Too many or too few arguments.
        WrongArgumentCount = "wrong_argument_count",
        /// The left side of an entry, or a primed name, is no coordinate.
        NotACoordinate = "not_a_coordinate",
        /// `dependent` lists velocities.
        NotAVelocity = "not_a_velocity",
        /// A family without an index.
        MissingIndex = "missing_index",
        /// An index on something that has none.
        NotAFamily = "not_a_family",
        /// A family has one index.
        WrongIndex = "wrong_index",
        /// An index that the family does not have.
        IndexOutOfRange = "index_out_of_range",
        /// Ranges, indices and constants are integers known while the file is read.
        NotAnInteger = "not_an_integer",
        /// `for` repeats statements, not declarations.
        DeclarationInRepetition = "declaration_in_repetition",
        /// A range of more than 10000 members.
        FamilyTooLarge = "family_too_large",
        /// More than 4096 coordinates.
        TooManyCoordinates = "too_many_coordinates",
        /// Reading takes more than four million steps, repetitions write out more than 100000 statements, or a product
        /// has more than 64 factors.
        ModelTooLarge = "model_too_large",
        /// Two dimensions that must agree do not; both are named, with where they come from.
        DimensionMismatch = "dimension_mismatch",
        /// Tuples and scalars, or tuples of different length, where they do not fit.
        ShapeMismatch = "shape_mismatch",
        /// Differential forms of degrees that do not fit: both degrees are named. Also a form where a function is
        /// needed.
        DegreeMismatch = "degree_mismatch",
        /// A force given as a one-form that is no combination of contact forms; its part along d(t) or d(x') is named.
        NotAForceOneForm = "not_a_force_one_form",
        /// A force given as a two-form that is not semi-basic or not ∂-closed (T-30); the part that fails is named.
        NotAForceTwoForm = "not_a_force_two_form",
        /// A component the tuple does not have.
        NoSuchComponent = "no_such_component",
        /// Something defined nowhere: a division by zero, a root of a negative number.
        UndefinedValue = "undefined_value",
        /// A comparison where a value is needed.
        UnexpectedComparison = "unexpected_comparison",
        /// `if` and `assume` need a comparison.
        ExpectedComparison = "expected_comparison",
        /// A velocity, perhaps through a `let`, where only (t, x) is allowed.
        VelocityNotAllowed = "velocity_not_allowed",
        /// Accelerations are computed, not given.
        SecondDerivative = "second_derivative",
        /// `abs`, `sign`, `min`, `max` or `if` outside of forces, outputs and events.
        NotSmooth = "not_smooth",
        /// A value that must not depend on time or the state does.
        NotConstant = "not_constant",
        /// A constraint that contains an acceleration in a product, a power or a function of it: accelerations stand in
        /// a constraint of second order linearly, with coefficients that depend on t, x, x'.
        NotAffineInAccelerations = "not_affine_in_accelerations",
        /// A constraint does not feel the reaction that should enforce it: ṡ m⁻¹ times the covector is singular, at all
        /// states or at the one asked for.
        ReactionCannotEnforce = "reaction_cannot_enforce",
        /// A constraint that is enforced by the connection has a reaction, but no multiplier.
        NoMultiplier = "no_multiplier",
        /// `reaction` and `multiplier` are known after the motion is computed.
        OnlyInOutputs = "only_in_outputs",
        /// A model without coordinates.
        NoCoordinates = "no_coordinates",
        /// ∂²L/∂u∂u is singular everywhere: some velocity has no inertia, the accelerations are not determined.
        DegenerateLagrangian = "degenerate_lagrangian",
        /// The Lagrangian is degenerate at the initial state, or at the given one.
        DegenerateLagrangianAtState = "degenerate_lagrangian_at_state",
        /// A two-form that is not an action form: the message names the condition (i), (ii) or (iii) of Theorem 1 that
        /// fails, its component and a point. (T-24, T-26)
        NotAnActionForm = "not_an_action_form",
        /// An `action form` or a `hamiltonian` beside energies, or `acceleration` beside energies other than the metric or
        /// beside forces.
        MixedFormulations = "mixed_formulations",
        /// `acceleration` without `metric`.
        AccelerationWithoutMetric = "acceleration_without_metric",
        /// `acceleration` leaves out a coordinate.
        MissingAcceleration = "missing_acceleration",
        /// ∂²H/∂p∂p is singular, everywhere or at the initial state: the velocities ∂H/∂p do not determine the momenta.
        DegenerateHamiltonian = "degenerate_hamiltonian",
        /// Both p(x) and x' are given for one coordinate, in `initial` or in a state.
        MomentumBesideVelocity = "momentum_beside_velocity",
        /// `x y` and `y x` differ.
        MetricNotSymmetric = "metric_not_symmetric",
        /// An error for a `metric` at the initial state; a warning for the mass matrix of the whole L if it is regular.
        MetricNotPositiveDefinite = "metric_not_positive_definite",
        /// L is not quadratic in the velocities; statements about g hold in the extended sense.
        NotAnActionFormInStrictSense = "not_an_action_form_in_strict_sense",
        /// An unnamed `reference` belongs to a `metric`.
        ReferenceWithoutMetric = "reference_without_metric",
        /// Gravity acts on particles and bodies, and there are none.
        GravityWithoutMass = "gravity_without_mass",
        /// A constraint that restricts nothing, repeats others or
        /// \[contradicts\](../apps/cli/tests/wrong/contradictory-constraints.gal) them: the rank is too small. Also one
        /// \[whose derivatives vanish wherever it holds\](../apps/cli/tests/wrong/squared-constraint.gal), and one that
        /// no state satisfies.
        InadmissibleConstraint = "inadmissible_constraint",
        /// The constraints lose their rank at the initial state only.
        InadmissibleConstraintAtState = "inadmissible_constraint_at_state",
        /// More velocities are called dependent than there are constraints.
        TooManyDependent = "too_many_dependent",
        /// The constraints do not determine the velocities called dependent at the initial state; others are taken for
        /// the solved form.
        DependentNotDetermined = "dependent_not_determined",
        /// The mass matrix is degenerate on the velocities the constraints allow.
        ConstrainedDynamicsNotUnique = "constrained_dynamics_not_unique",
        /// The initial state is off the constraint, at position or velocity level; the residual is named and the
        /// nearest admissible state offered.
        StateViolatesConstraint = "state_violates_constraint",
        /// A chart gives every old coordinate as a function of t and as many new ones.
        WrongChart = "wrong_chart",
        /// The new coordinates do not determine the old ones anywhere.
        SingularChart = "singular_chart",
        /// What `inverse` gives does not undo its chart, or does not shift time back.
        NotAnInverse = "not_an_inverse",
        /// The point of a sphere or circle is a vector of length one, and the velocity of it is perpendicular to it.
        NotAUnitVector = "not_a_unit_vector",
        /// The time component of a symmetry is 0 or 1.
        SymmetryTime = "symmetry_time",
        /// Assumptions are strict inequalities.
        WeakAssumption = "weak_assumption",
        /// The parameters of the file violate an assumption.
        AssumptionViolated = "assumption_violated",
        /// An event function that never changes.
        ConstantEvent = "constant_event",
        /// `simulate` without `to`.
        MissingEndTime = "missing_end_time",
        /// A run by `gauss2`, `gauss4` or `gauss6` under constraints, where these methods are not symplectic.
        NotSymplectic = "not_symplectic",
        /// `jacobi --by` a parameter on which the end time depends: derivatives are those at a fixed time, and the
        /// motion of the end is reported.
        EndDependsOnParameter = "end_depends_on_parameter",
        /// Energy and the work done differ by more than 10³ tolerances and 10⁻⁶ of the largest energy; from 10⁵
        /// tolerances and 10⁻² on the run fails, unless `--accept-balance` is given. \[How far a run can be
        /// trusted\](trust.md)
        EnergyBalance = "energy_balance",
        /// Errors of constant steps, each within the tolerance, add up to more than 10⁴ tolerances and 10⁻⁶ of the positions,
        /// by comparison with a run of twice the step. \[How far a run can be trusted\](trust.md)
        AccumulatedError = "accumulated_error",
        /// An event becomes smaller than any number along a run, so that its zeros are not seen from then on. \[How far a run can be
        /// trusted\](trust.md)
        EventUnderflow = "event_underflow",
        /// A step or tolerance that is not positive, a tolerance that is no relative error; a step for a method that
        /// chooses its own, or one that makes too many steps; and other settings that would have no effect.
        WrongSetting = "wrong_setting",
        /// A force acts on a material point; one that slides along its body, hidden in a `let`, is not one.
        SlidingPoint = "sliding_point",
        /// The model is so large that `check` judges only its regularity and its constraints; proofs are `undecided`.
        CheckInPart = "check_in_part",
        /// `--set` wants names with numbers.
        InvalidSetting = "invalid_setting",
        /// `--set` or `--by` names no parameter.
        UnknownParameter = "unknown_parameter",
        /// `--at` wants coordinates, velocities and `t` with numbers.
        InvalidState = "invalid_state",
        /// A parameter without a value where numbers are needed.
        MissingValue = "missing_value",
        /// An undetermined function where numbers are needed.
        UndeterminedFunction = "undetermined_function",
        /// A quantity is not defined at the given state, or a constraint, \[an energy or a
        /// force\](../apps/cli/tests/wrong/undefined-at-start.gal) at the initial one.
        NotDefinedAtState = "not_defined_at_state",
        /// `--chart` names no chart of the model.
        UnknownChart = "unknown_chart",
        /// `derive` has nothing of this name.
        UnknownRequest = "unknown_request",
        /// The initial state could not be expressed in the given chart.
        ChartAtState = "chart_at_state",
        /// No velocities were found for given momenta.
        LegendreFailed = "legendre_failed",
        /// `multiplier(NAME)` of a constraint between tuples.
        SeveralMultipliers = "several_multipliers",
        /// `--project` found no state on the constraints nearby.
        ProjectionFailed = "projection_failed",
        /// A run that had to reach its end failed.
        RunFailed = "run_failed",
        /// An initial value or a constant of the model is not a number.
        NotFinite = "not_finite",
        /// The extension of an output file is unknown, or names a format that `merge` cannot read for a part of a
        /// sweep.
        UnknownFormat = "unknown_format",
        /// The output file cannot be written, or is one of the parts that are merged.
        CannotWrite = "cannot_write",
        /// An output has no derivatives by the state at the end of a run.
        NotDifferentiable = "not_differentiable",
        /// `export` knows no language of this name.
        UnknownLanguage = "unknown_language",
        /// An exported file would be too long to be of use.
        TooLarge = "too_large",
        /// `stationary` lacks the end of a coordinate.
        MissingEnd = "missing_end",
        /// Under nonholonomic constraints motions are not stationary curves of the action: neither `stationary` nor
        /// variational integrators have them.
        NotVariational = "not_variational",
        /// An unknown action functional: there are six, a to f.
        UnknownFunctional = "unknown_functional",
        /// `--free-start` or `--free-end` names no coordinate.
        UnknownCoordinate = "unknown_coordinate",
        /// No tried curve led to a motion between the ends.
        NoMotionFound = "no_motion_found",
        /// A state that was to be linearised is neither an equilibrium nor a steady motion.
        NotSteady = "not_steady",
        /// Matrices or equilibria of a system that depends on time.
        DependsOnTime = "depends_on_time",
        /// The matrices of a linearisation are those in axes that move along a symmetry.
        MovingAxes = "moving_axes",
        /// Eigenvectors of a nearly defective matrix.
        CoarseEigenvectors = "coarse_eigenvectors",
        /// No start led to an equilibrium.
        NoEquilibriumFound = "no_equilibrium_found",
        /// Zeros of the equations of equilibrium at singular points of the coordinates.
        SingularCoordinates = "singular_coordinates",
        /// Velocities of the guess are not those of a steady motion and were replaced.
        GuessChanged = "guess_changed",
        /// The search for a periodic motion did not converge.
        NoPeriodicMotion = "no_periodic_motion",
        /// A family of periodic motions was not followed to the end of its range.
        FamilyEnds = "family_ends",
        /// The largest Lyapunov exponent is not known well after the time of the run, or the impulses of a step of time stepping
        /// were not found to rounding.
        NotConverged = "not_converged",
        /// A run by a method of first order.
        FirstOrder = "first_order",
        /// An equilibrium or a linearisation belongs to one mode of contact and friction.
        ContactMode = "contact_mode",
        /// A sweep whose runs would all be the same.
        NothingVaried = "nothing_varied",
        /// `--vary` without the number of samples.
        MissingSample = "missing_sample",
        /// An axis of a sweep that cannot be read, is unknown, or is named twice.
        InvalidAxis = "invalid_axis",
        /// The journal next to the output file belongs to an unfinished sweep of another request.
        OtherJournal = "other_journal",
        /// Another process is writing the same sweep.
        JournalInUse = "journal_in_use",
        /// `merge` got parts of different sweeps, one twice, or not all.
        PartsDoNotFit = "parts_do_not_fit",
        /// Something a later version will offer, or that a method cannot do.
        NotAvailable = "not_available",
        /// A robot description that is no URDF, or describes no tree.
        InvalidUrdf = "invalid_urdf",
        /// `decide` wants an equation.
        ExpectedEquation = "expected_equation",
        /// Tuples, components and sums over families have no meaning in a claim.
        OnlyInModels = "only_in_models",
        @ /// An error of syntax.
        Syntax(SyntaxCode),
    }
}

impl Code {
    /// Whether the code concerns one state instead of the model at all states.
    pub const fn concerns_one_state(self) -> bool {
        matches!(
            self,
            Self::ChartAtState
                | Self::DegenerateLagrangianAtState
                | Self::InadmissibleConstraintAtState
                | Self::NotDefinedAtState
                | Self::StateViolatesConstraint
        )
    }
}
