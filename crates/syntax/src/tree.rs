//! The tree of a model file.

use crate::error::SyntaxError;
use crate::span::Span;
use crate::unit::UnitExpression;

/// A model file: its statements and its syntax errors.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// The statements, in order; one that could not be read is [`Kind::Broken`].
    pub statements: Vec<Statement>,
    /// The errors, in order of place.
    pub errors: Vec<SyntaxError>,
    /// Names that may have been declared in parts that could not be read; that they are unknown elsewhere
    /// is a consequence of the listed errors and not reported again.
    pub lost: Vec<String>,
}

/// A statement and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The kind of the statement, with its parts.
    pub kind: Kind,
    /// The whole text of it.
    pub span: Span,
}

/// A word and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// The name of a statement, perhaps with an index: `bob[k]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// The name.
    pub name: Name,
    /// The index.
    pub index: Option<Expression>,
}

/// `lo..hi`, both ends included.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// The first value.
    pub low: Expression,
    /// The last value.
    pub high: Expression,
}

/// `k in 1..n`
#[derive(Clone, PartialEq, Debug)]
pub struct IndexBinder {
    /// The index.
    pub variable: Name,
    /// Its values.
    pub range: Range,
}

/// One entry of a list of `const`, `param`, `coord` or `let`.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// The name.
    pub name: Name,
    /// `[i in 1..n]` of a family with values.
    pub binder: Option<IndexBinder>,
    /// `[1..n]` of a family of coordinates.
    pub range: Option<Range>,
    /// `[0]`, the index of a single member of a family.
    pub member: Option<Expression>,
    /// `(s, k)`, the parameters of a function defined in the model.
    pub parameters: Option<Vec<Name>>,
    /// `= EXPR`
    pub value: Option<Expression>,
    /// `[unit]`
    pub unit: Option<UnitExpression>,
    /// `sphere` of `coord n on sphere`.
    pub manifold: Option<Name>,
    /// The whole text of it.
    pub span: Span,
}

/// `target = value`; the target is a coordinate, a velocity or `t`.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The coordinate, velocity or `t` that gets the value.
    pub target: Expression,
    /// The value.
    pub value: Expression,
}

/// `x y = EXPR` of a metric.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricEntry {
    /// The two coordinates.
    pub coordinates: [Expression; 2],
    /// The value.
    pub value: Expression,
}

/// The orientation of a frame or a body.
#[derive(Clone, PartialEq, Debug)]
pub enum Orientation {
    /// `angle φ`
    Angle(Expression),
    /// `rotation zxz(φ, θ, ψ)`, `rotation z(α) then x(β)`: one or more factors, each about the axes that the former
    /// produced.
    Rotation(Vec<Rotation>),
}

/// A factor of a rotation: `zxz(φ, θ, ψ)`, `axis((a, b, c), α)`, `quaternion(a, b, c, d)`, or `R`, a coordinate on the
/// rotations.
#[derive(Clone, PartialEq, Debug)]
pub struct Rotation {
    /// The word before the parenthesis, or the name of the coordinate.
    pub kind: Name,
    /// The index of a member of a family of coordinates.
    pub index: Option<Expression>,
    /// The angles or numbers in parentheses; `None` for a coordinate.
    pub arguments: Option<Vec<Expression>>,
}

/// A place relative to space or to a frame: `in FRAME at (a, b, c) rotation ROT`.
#[derive(Clone, PartialEq, Debug)]
pub struct Pose {
    /// The frame after `in`; space if there is none.
    pub frame: Option<Label>,
    /// The origin after `at`.
    pub at: Option<Expression>,
    /// The orientation after `rotation` or `angle`.
    pub orientation: Option<Orientation>,
}

/// The ways to write a force.
#[derive(Clone, PartialEq, Debug)]
pub enum ForceBody {
    /// `x = EXPR, q[k] = EXPR`
    Components(Vec<Assignment>),
    /// `(Fx, Fy) at (px, py)`
    At {
        /// The force in space.
        force: Expression,
        /// The material point.
        point: Expression,
    },
    /// `torque (a, b, c) on BODY`
    Torque {
        /// The torque in space axes.
        torque: Expression,
        /// The body.
        body: Label,
    },
    /// `form FORM`: a one-form or a two-form on the state space.
    Form(Expression),
}

/// The three ways in which a constraint can be enforced.
#[derive(Clone, PartialEq, Debug)]
pub enum ReactionBody {
    /// `ideal`: without virtual work.
    Ideal,
    /// `connection`: only the dependent velocities are corrected.
    Connection,
    /// `x = EXPR, …`: by a force along this covector.
    Along(Vec<Assignment>),
}

/// The direction of the crossings that an event counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From below to above.
    Rising,
    /// From above to below.
    Falling,
    /// Both.
    Both,
}

/// The data of a `table`.
#[derive(Clone, PartialEq, Debug)]
pub enum TableSource {
    /// `[(0, 1), (0.5, 2), …]`: knots and values.
    Inline(Vec<(Expression, Expression)>),
    /// `from "file.csv" columns "t", "steer"`: the path and the names of two columns, in quotes as written; without names
    /// the first two columns.
    File {
        /// The path, without its quotes.
        path: Name,
        /// The columns of the knots and of the values, without quotes.
        columns: Option<[Name; 2]>,
    },
}

/// `from 0`, `method taylor`: a clause of `simulate`.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// `from`, `to`, `every`, `method` or `tolerance`.
    pub keyword: Name,
    /// The value of the clause; a method is a name.
    pub value: Expression,
}

/// The kinds of statements. Bodies are kept as written: the meaning of names is not known here.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    System {
        title: Name,
    },
    Const(Vec<Declaration>),
    Param(Vec<Declaration>),
    Coord(Vec<Declaration>),
    Let(Vec<Declaration>),
    Function(Vec<Declaration>),
    /// `input u [N] = EXPR, …`
    Input(Vec<Declaration>),
    /// `table f(s) = [(0, 1), …] linear`
    Table {
        name: Name,
        argument: Name,
        source: TableSource,
        /// `linear`, `cubic` or `steps`.
        interpolation: Name,
    },
    Assume(Vec<Expression>),
    Particle {
        label: Option<Label>,
        mass: Expression,
        pose: Pose,
    },
    Frame {
        label: Option<Label>,
        pose: Pose,
    },
    Body {
        label: Option<Label>,
        mass: Expression,
        inertia: Expression,
        pose: Pose,
    },
    Shape {
        label: Option<Label>,
        shape: Name,
        sizes: Vec<Expression>,
        on: Option<Label>,
    },
    Gravity {
        label: Option<Label>,
        field: Expression,
    },
    Spring {
        label: Option<Label>,
        stiffness: Expression,
        length: Option<Expression>,
        from: Expression,
        to: Expression,
    },
    Damper {
        label: Option<Label>,
        coefficient: Expression,
        from: Expression,
        to: Expression,
    },
    Kinetic {
        label: Option<Label>,
        value: Expression,
    },
    Potential {
        label: Option<Label>,
        value: Expression,
    },
    Lagrangian {
        label: Option<Label>,
        value: Expression,
    },
    Hamiltonian {
        label: Option<Label>,
        value: Expression,
    },
    Dissipation {
        label: Option<Label>,
        value: Expression,
    },
    VectorPotential {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    Metric {
        label: Option<Label>,
        entries: Vec<MetricEntry>,
    },
    Reference {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    Force {
        label: Option<Label>,
        body: ForceBody,
    },
    Constraint {
        label: Option<Label>,
        left: Expression,
        right: Expression,
    },
    /// `constraint NAME: form FORM`, a one-form on the state space.
    ConstraintForm {
        label: Option<Label>,
        form: Expression,
    },
    /// `action form: FORM`, a two-form on the state space.
    ActionForm {
        label: Option<Label>,
        form: Expression,
    },
    /// `acceleration: x = EXPR, …`
    Acceleration {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    Reaction {
        label: Option<Label>,
        body: ReactionBody,
    },
    /// `contact NAME: GAP >= 0 restitution E friction MU along (T…)`; the gap is the left side minus the bound.
    Contact {
        label: Option<Label>,
        gap: Expression,
        bound: Expression,
        restitution: Option<Expression>,
        friction: Option<Expression>,
        along: Option<Expression>,
    },
    /// `friction NAME: limit F static F0 along V`
    Friction {
        label: Option<Label>,
        limit: Expression,
        /// The limit while it sticks.
        sticking: Option<Expression>,
        along: Expression,
    },
    /// `impact NAME: EVENT x' = EXPR, …`, equations for the velocities after the event.
    Impact {
        label: Option<Label>,
        event: Label,
        equations: Vec<Assignment>,
    },
    Dependent(Vec<Expression>),
    Chart {
        label: Option<Label>,
        coordinates: Vec<Name>,
        components: Vec<Assignment>,
    },
    /// `inverse NAME: a = EXPR, …`, the coordinates of a chart as functions of t and the model's own.
    Inverse {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    /// `atlas: NAME, …`
    Atlas {
        label: Option<Label>,
        charts: Vec<Expression>,
    },
    Symmetry {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    Variation {
        label: Option<Label>,
        components: Vec<Assignment>,
    },
    Initial(Vec<Assignment>),
    Output {
        label: Option<Label>,
        value: Expression,
    },
    Event {
        label: Option<Label>,
        value: Expression,
        direction: Direction,
        terminal: bool,
    },
    Simulate(Vec<Clause>),
    For {
        binder: IndexBinder,
        body: Vec<Statement>,
    },
    /// A statement that could not be read; an error says why.
    Broken,
}

/// An expression and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// The kind of the expression, with its parts.
    pub kind: ExpressionKind,
    /// The whole text of it.
    pub span: Span,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The kinds of expressions, as written.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// A number, as text: exact.
    Number(String),
    /// A name.
    Name(String),
    /// `name[i, j]`
    Index(Name, Vec<Expression>),
    /// `e'`, with the number of primes.
    Prime(Box<Expression>, u32),
    /// `-e`
    Negate(Box<Expression>),
    /// `a + b - c`: at least two terms, each with whether it is subtracted.
    Sum(Vec<(bool, Expression)>),
    /// `a * b / c`: at least two factors, each with whether it divides.
    Product(Vec<(bool, Expression)>),
    /// `a /\ b /\ c`, or with `∧`: at least two factors of a wedge product.
    Wedge(Vec<Expression>),
    /// `a ^ b`
    Power(Box<Expression>, Box<Expression>),
    /// `a < b` and so on; only in conditions and assumptions.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `a = b`; only in claims.
    Equals(Box<Expression>, Box<Expression>),
    /// `f(a, b)`; with an index, `f[1,2](x, y)`, a partial derivative.
    Call(Name, Vec<Expression>, Vec<Expression>),
    /// `sum(k in 1..n: e)`, `product(k in 1..n: e)`
    Fold(Name, Box<IndexBinder>, Box<Expression>),
    /// `(a, b, c)`
    Tuple(Vec<Expression>),
    /// `e.x`
    Component(Box<Expression>, Name),
    /// A missing expression, for which there is an error.
    Missing,
}
