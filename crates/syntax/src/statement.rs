//! Statements: one shape, `KIND NAME: BODY`, and lists of declarations.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::error::SyntaxError;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::tree::{
    Assignment, Clause, Declaration, Direction, Expression, ExpressionKind, ForceBody, Kind, Label,
    MetricEntry, Name, ReactionBody, Statement, TableSource,
};

/// The words that start a statement.
pub(crate) const WORDS: [&str; 42] = [
    "system",
    "const",
    "param",
    "coord",
    "let",
    "function",
    "input",
    "table",
    "assume",
    "particle",
    "frame",
    "body",
    "shape",
    "gravity",
    "spring",
    "damper",
    "kinetic",
    "potential",
    "lagrangian",
    "hamiltonian",
    "vector",
    "metric",
    "reference",
    "force",
    "dissipation",
    "constraint",
    "reaction",
    "contact",
    "friction",
    "impact",
    "dependent",
    "chart",
    "inverse",
    "atlas",
    "symmetry",
    "variation",
    "initial",
    "output",
    "event",
    "simulate",
    "action",
    "acceleration",
];

/// Words that start a statement and may name a value all the same.
pub(crate) const UNRESERVED: [&str; 13] = [
    "action",
    "acceleration",
    "atlas",
    "frame",
    "inverse",
    "shape",
    "reaction",
    "variation",
    "input",
    "table",
    "contact",
    "friction",
    "impact",
];

/// Statements that have no label.
const UNLABELLED: [&str; 13] = [
    "system",
    "const",
    "param",
    "coord",
    "let",
    "function",
    "input",
    "table",
    "assume",
    "initial",
    "dependent",
    "simulate",
    "for",
];

/// The manifolds of `coord NAME on MANIFOLD`.
const MANIFOLDS: [&str; 3] = ["sphere", "circle", "rotations"];

/// Words that mean something inside of statements.
pub(crate) const KEYWORDS: [&str; 17] = [
    "in",
    "then",
    "mass",
    "inertia",
    "at",
    "angle",
    "rotation",
    "stiffness",
    "length",
    "coefficient",
    "from",
    "to",
    "on",
    "limit",
    "static",
    "along",
    "restitution",
];

/// Lists the words that start a statement, for hints.
fn all_statements() -> String {
    let words: Vec<&str> = WORDS.into_iter().chain(["for"]).collect();
    format!("statements are: {}", words.join(", "))
}

/// Statements, errors, and names that may have been declared in parts that could not be read.
type Parsed = (Vec<Statement>, Vec<SyntaxError>, Vec<String>);

pub(crate) fn statements(source: &str, tokens: &[Token]) -> Parsed {
    let mut cursor = Cursor::new(source, tokens);
    let mut list = Vec::new();
    loop {
        list.extend(cursor.block());
        if cursor.at_end() {
            return (list, cursor.errors, cursor.lost);
        }
        // A brace that closes nothing.
        let span = cursor.here();
        cursor.error(
            SyntaxCode::UnexpectedToken,
            "this brace closes nothing",
            "remove it",
            span,
        );
        cursor.advance();
    }
}

impl Cursor<'_> {
    /// Statements up to the end of the text or a closing brace.
    fn block(&mut self) -> Vec<Statement> {
        let mut list = Vec::new();
        loop {
            self.skip_newlines();
            if self.at_end() || self.sees("}") {
                return list;
            }
            let (start, from) = (self.here(), self.position());
            let errors = self.errors.len();
            self.errors_before = errors;
            let kind = self.statement();
            if self.errors.len() == errors && !self.at_statement_end() {
                self.does_not_continue();
            }
            self.skip_to(&[]);
            let kind = kind.unwrap_or(Kind::Broken);
            if kind == Kind::Broken {
                self.record_lost_names(from, self.position(), false);
            }
            list.push(Statement {
                kind,
                span: start.to(self.before()),
            });
        }
    }

    /// Reports that the token here does not continue the statement.
    fn does_not_continue(&mut self) {
        let found = self.describe();
        let (message, hint) = if self.operator_missing() {
            let before = self.text_before();
            (
                format!("there is no operator between `{before}` and {found}"),
                "write * for a product; a statement ends at the end of its line, or at ;",
            )
        } else {
            (
                format!("{found} does not continue the statement"),
                match self.text() {
                    "=" => "an equation has one = sign; only `constraint` and entries have it",
                    "/" => {
                        "a comment starts with #; a statement ends at the end of its line, or at ;"
                    }
                    _ => "a statement ends at the end of its line, or at ;",
                },
            )
        };
        self.error(SyntaxCode::UnexpectedToken, message, hint, self.here());
    }

    /// Whether another entry follows. Tokens between an entry and the next comma are skipped, and reported unless the
    /// entry has an error already.
    fn another(&mut self, errors: usize, declares: bool) -> bool {
        if !self.sees(",") && !self.at_statement_end() {
            if self.errors.len() == errors {
                self.does_not_continue();
            }
            let from = self.position();
            self.skip_entry();
            if declares {
                self.record_lost_names(from, self.position(), true);
            }
        }
        self.take(",")
    }

    fn statement(&mut self) -> Option<Kind> {
        let start = self.here();
        if self.kind() != Some(TokenKind::Name) {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedStatement,
                format!("a statement starts with a word, not with {found}"),
                match self.text() {
                    "/" => "a comment starts with #".to_owned(),
                    _ => all_statements(),
                },
                start,
            );
            return None;
        }
        let word = self.text();
        self.advance();
        if self.sees(":") && UNLABELLED.contains(&word) {
            self.error(
                SyntaxCode::UnexpectedToken,
                format!("`{word}` has no label, and stands without a colon"),
                "remove the colon",
                self.here(),
            );
            self.advance();
        }
        self.statement_of(word, start)
    }

    /// Reads the rest of a statement after its first word.
    fn statement_of(&mut self, word: &str, start: Span) -> Option<Kind> {
        match word {
            "system" => self.system(),
            "const" => Some(Kind::Const(self.declarations(Self::constant))),
            "param" => Some(Kind::Param(self.declarations(Self::parameter))),
            "coord" => Some(Kind::Coord(self.declarations(Self::coordinate))),
            "let" => Some(Kind::Let(self.declarations(Self::abbreviation))),
            "function" => Some(Kind::Function(self.declarations(Self::function))),
            "input" => Some(Kind::Input(self.declarations(Self::signal))),
            "table" => self.table(),
            "assume" => Some(Kind::Assume(self.list(Self::comparison))),
            "initial" => Some(Kind::Initial(self.assignments())),
            "dependent" => Some(Kind::Dependent(self.list(Self::sum))),
            "simulate" => self.simulate(),
            "for" => self.repeat(),
            "vector" => self.vector_potential(),
            "action" => self.action_form(),
            _ if WORDS.contains(&word) => self.labelled(word),
            _ => {
                let nearest = nearest(word, WORDS.into_iter().chain(["for"]));
                let hint = match nearest {
                    Some(w) => format!("did you mean `{w}`? {}", all_statements()),
                    None => all_statements(),
                };
                self.error(
                    SyntaxCode::UnknownStatement,
                    format!("there is no statement `{word}`"),
                    hint,
                    start,
                );
                // Read the statement that is probably meant, so that its names are known and resolved. The guess may
                // be wrong, so no further errors of form are reported.
                let errors = self.errors.len();
                let kind = self.statement_of(nearest?, start);
                self.errors.truncate(errors);
                kind
            }
        }
    }

    /// `NAME:`, `NAME[k]:` or `:`; then the body.
    fn label(&mut self) -> Option<Option<Label>> {
        let mut label = None;
        if self.kind() == Some(TokenKind::Name) {
            let name = self.name("a name")?;
            let mut index = None;
            if self.sees("[") {
                self.advance();
                index = Some(self.sum());
                self.expect("]", "the index of the name is not closed");
            }
            label = Some(Label { name, index });
        }
        if self.expect(":", "a statement has the form KIND NAME: BODY") {
            return Some(label);
        }
        // A body that starts with a word of its own is recognised without the colon.
        KEYWORDS.contains(&self.text()).then_some(label)
    }

    fn labelled(&mut self, word: &str) -> Option<Kind> {
        if word == "chart" {
            return self.chart();
        }
        let label = self.label()?;
        Some(match word {
            "particle" => self.particle(label),
            "frame" => self.frame(label),
            "body" => self.body(label),
            "shape" => return self.shape(label),
            "gravity" => Kind::Gravity {
                label,
                field: self.sum(),
            },
            "spring" => {
                let stiffness = self.after("stiffness", word);
                let length = self
                    .sees_nearly("length")
                    .then(|| self.after("length", word));
                let from = self.after("from", word);
                let to = self.after("to", word);
                Kind::Spring {
                    label,
                    stiffness,
                    length,
                    from,
                    to,
                }
            }
            "damper" => {
                let coefficient = self.after("coefficient", word);
                let from = self.after("from", word);
                let to = self.after("to", word);
                Kind::Damper {
                    label,
                    coefficient,
                    from,
                    to,
                }
            }
            "kinetic" => Kind::Kinetic {
                label,
                value: self.sum(),
            },
            "potential" => Kind::Potential {
                label,
                value: self.sum(),
            },
            "lagrangian" => Kind::Lagrangian {
                label,
                value: self.sum(),
            },
            "hamiltonian" => Kind::Hamiltonian {
                label,
                value: self.sum(),
            },
            "dissipation" => Kind::Dissipation {
                label,
                value: self.sum(),
            },
            "metric" => Kind::Metric {
                label,
                entries: self.list_of(Self::metric_entry),
            },
            "reference" => Kind::Reference {
                label,
                components: self.assignments(),
            },
            "inverse" => Kind::Inverse {
                label,
                components: self.assignments(),
            },
            "atlas" => Kind::Atlas {
                label,
                charts: self.list(Self::sum),
            },
            "symmetry" => Kind::Symmetry {
                label,
                components: self.assignments(),
            },
            "variation" => Kind::Variation {
                label,
                components: self.assignments(),
            },
            "reaction" => Kind::Reaction {
                label,
                body: self.reaction(),
            },
            "force" => Kind::Force {
                label,
                body: self.force(),
            },
            "contact" => self.contact(label),
            "friction" => self.friction(label),
            "impact" => return self.impact(label),
            "acceleration" => Kind::Acceleration {
                label,
                components: self.assignments(),
            },
            "constraint" if self.is_form() => {
                self.advance();
                Kind::ConstraintForm {
                    label,
                    form: self.sum(),
                }
            }
            "constraint" => {
                let left = self.sum();
                let right = match self.expect("=", "a constraint is an equation") {
                    true => self.sum(),
                    false => self.missing(),
                };
                Kind::Constraint { label, left, right }
            }
            "output" => Kind::Output {
                label,
                value: self.sum(),
            },
            "event" => {
                let value = self.sum();
                let mut direction = Direction::Both;
                let mut terminal = false;
                loop {
                    if self.take_word("rising") {
                        direction = Direction::Rising;
                    } else if self.take_word("falling") {
                        direction = Direction::Falling;
                    } else if self.take_word("both") {
                        direction = Direction::Both;
                    } else if self.take_word("terminal") {
                        terminal = true;
                    } else {
                        break;
                    }
                }
                Kind::Event {
                    label,
                    value,
                    direction,
                    terminal,
                }
            }
            _ => return None,
        })
    }

    /// A missing expression at the current position.
    pub(crate) fn missing(&self) -> Expression {
        let at = self.here().start;
        let span = Span { start: at, end: at };
        Expression {
            kind: ExpressionKind::Missing,
            span,
        }
    }

    /// Whether the next word is probably a misspelling of this keyword.
    pub(crate) fn sees_nearly(&self, keyword: &str) -> bool {
        self.kind() == Some(TokenKind::Name)
            && (self.text() == keyword
                || !KEYWORDS.contains(&self.text()) && nearest(self.text(), [keyword]).is_some())
    }

    /// The expression after a keyword of a statement. A misspelt, replaced or missing keyword is reported
    /// once, and the expression is read.
    pub(crate) fn after(&mut self, keyword: &str, statement: &str) -> Expression {
        if self.take_word(keyword) {
            return self.sum();
        }
        let found = self.describe();
        let form = match statement {
            "particle" => "particle NAME: mass M at (x, y)",
            "frame" => "frame NAME: in FRAME at (a, b, c) rotation z(φ)",
            "body" => "body NAME: mass M inertia J at (x, y) angle φ",
            "spring" => "spring NAME: stiffness K length L from P to Q",
            _ => "damper NAME: coefficient C from P to Q",
        };
        let hint = match self.text() {
            "[" => "units stand where a name is declared: `param m = 1 [kg]`, then m".to_owned(),
            _ => format!("the statement has the form `{form}`"),
        };
        if !self.has_error() {
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("`{keyword}` expected, found {found}"),
                hint,
                self.here(),
            );
        }
        let operand = |k: Option<TokenKind>| {
            matches!(
                k,
                Some(TokenKind::Name | TokenKind::Number | TokenKind::Mark("(" | "-"))
            )
        };
        let here = self.kind();
        let is_word = here == Some(TokenKind::Name) && !KEYWORDS.contains(&self.text());
        let next = self.peek(1).map(|t| t.kind);
        // A word followed by an operand: another word instead of the expected one.
        let replaced = is_word
            && matches!(next, Some(TokenKind::Name | TokenKind::Number))
            && !KEYWORDS.contains(&self.text_at(1));
        if self.sees_nearly(keyword) || replaced {
            self.advance();
            return self.sum();
        }
        // The word was left out.
        if is_word || here != Some(TokenKind::Name) && operand(here) {
            return self.sum();
        }
        while !self.at_statement_end() && !KEYWORDS.contains(&self.text()) {
            self.advance();
        }
        match self.take_word(keyword) {
            true => self.sum(),
            false => self.missing(),
        }
    }

    fn force(&mut self) -> ForceBody {
        if self.sees_word("torque") && self.is_torque() {
            self.advance();
            let torque = self.sum();
            if !self.take_word("on") {
                let found = self.describe();
                self.error(
                    SyntaxCode::ExpectedKeyword,
                    format!("`on` expected, found {found}"),
                    "a torque has the form `torque (a, b, c) on BODY`",
                    self.here(),
                );
                return self.without_place(torque);
            }
            let Some(body) = self.reference("a body") else {
                return self.without_place(torque);
            };
            return ForceBody::Torque { torque, body };
        }
        if self.is_form() {
            self.advance();
            return ForceBody::Form(self.sum());
        }
        let first = self.sum();
        if self.take_word("at") {
            let point = self.sum();
            return ForceBody::At {
                force: first,
                point,
            };
        }
        if !self.take("=") {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedToken,
                format!("a force gives components, `x = …`, or acts `at` a point; found {found}"),
                "write `force NAME: x = EXPR` or `force NAME: (Fx, Fy) at (px, py)`",
                self.here(),
            );
            return self.without_place(first);
        }
        let value = self.sum();
        let mut components = vec![Assignment {
            target: first,
            value,
        }];
        if self.take(",") {
            components.extend(self.assignments());
        }
        ForceBody::Components(components)
    }

    /// `ideal`, `connection`, or the components of a covector; a coordinate of that name stands before `=`.
    fn reaction(&mut self) -> ReactionBody {
        let entry = matches!(
            self.peek(1).map(|t| t.kind),
            Some(TokenKind::Mark("=" | "[" | "'"))
        );
        if !entry && self.take_word("ideal") {
            return ReactionBody::Ideal;
        }
        if !entry && self.take_word("connection") {
            return ReactionBody::Connection;
        }
        ReactionBody::Along(self.assignments())
    }

    /// A force of which only the expression could be read.
    fn without_place(&self, force: Expression) -> ForceBody {
        let point = self.missing();
        ForceBody::At { force, point }
    }

    /// Whether the word `torque` here starts `torque M on BODY`; otherwise it names a value.
    fn is_torque(&self) -> bool {
        let next = self.peek(1);
        let marked = |m: &str| matches!(next.map(|t| t.kind), Some(TokenKind::Mark(k)) if k == m);
        if marked("=") || marked("'") || (marked("[") && next.is_some_and(|t| t.touches)) {
            return false;
        }
        let mut at = false;
        for k in 1.. {
            match self.peek(k).map(|t| t.kind) {
                None | Some(TokenKind::Newline | TokenKind::Mark(";" | "}")) => break,
                Some(TokenKind::Name) if self.text_at(k) == "on" => return true,
                Some(TokenKind::Name) => at |= self.text_at(k) == "at",
                Some(_) => {}
            }
        }
        !at
    }

    /// Whether the word `form` here starts `form FORM`; otherwise it names a value, in an equation, an entry or a
    /// force at a point.
    fn is_form(&self) -> bool {
        if !self.sees_word("form") {
            return false;
        }
        for k in 1.. {
            match self.peek(k).map(|t| t.kind) {
                None | Some(TokenKind::Newline | TokenKind::Mark(";" | "}")) => return k > 1,
                Some(TokenKind::Mark("=")) => return false,
                Some(TokenKind::Name) if self.text_at(k) == "at" => return false,
                Some(_) => {}
            }
        }
        false
    }

    /// `action form: FORM`
    fn action_form(&mut self) -> Option<Kind> {
        if !self.take_word("form") {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("`action form` expected, found {found}"),
                "write action form: FORM, with d( ), contact( ) and /\\",
                self.here(),
            );
            return None;
        }
        let label = self.label()?;
        Some(Kind::ActionForm {
            label,
            form: self.sum(),
        })
    }

    fn system(&mut self) -> Option<Kind> {
        let span = self.here();
        if self.kind() != Some(TokenKind::Text) {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedTitle,
                format!("a title in quotes expected, found {found}"),
                "write system \"Title\"",
                span,
            );
            return None;
        }
        let text = self.text().trim_matches('"').to_owned();
        self.advance();
        Some(Kind::System {
            title: Name { text, span },
        })
    }

    fn vector_potential(&mut self) -> Option<Kind> {
        if !self.take_word("potential") {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("`vector potential` expected, found {found}"),
                "write vector potential NAME: x = EXPR, …",
                self.here(),
            );
            return None;
        }
        let label = self.label()?;
        Some(Kind::VectorPotential {
            label,
            components: self.assignments(),
        })
    }

    /// `chart NAME(r, φ): x = …`
    fn chart(&mut self) -> Option<Kind> {
        let name = self.name("the name of the chart")?;
        let coordinates = self.parameters("a chart lists its coordinates, chart NAME(r, φ): …")?;
        self.expect(":", "a chart has the form chart NAME(r, φ): x = …")
            .then_some(())?;
        let components = self.assignments();
        let label = Some(Label { name, index: None });
        Some(Kind::Chart {
            label,
            coordinates,
            components,
        })
    }

    fn simulate(&mut self) -> Option<Kind> {
        let mut clauses = Vec::new();
        while !self.at_statement_end() {
            if self.kind() != Some(TokenKind::Name) {
                let found = self.describe();
                self.error(
                    SyntaxCode::ExpectedName,
                    format!("from, to, every, method or tolerance expected, found {found}"),
                    "write `simulate to 10`, or `simulate from 0 to 10 every 0.01`",
                    self.here(),
                );
                break;
            }
            let Some(keyword) = self.name("from, to, every, method or tolerance") else {
                break;
            };
            if !["from", "to", "every", "method", "tolerance"].contains(&keyword.text.as_str()) {
                let nearest = nearest(
                    &keyword.text,
                    ["from", "to", "every", "method", "tolerance"],
                );
                self.error(
                    SyntaxCode::ExpectedKeyword,
                    format!("`simulate` has no clause `{}`", keyword.text),
                    nearest.map_or(
                        "clauses are from, to, every, method, tolerance".into(),
                        |w| format!("did you mean `{w}`?"),
                    ),
                    keyword.span,
                );
                // The value of the clause, and the clauses behind it.
                let _ = self.sum();
                continue;
            }
            let value = self.sum();
            clauses.push(Clause { keyword, value });
        }
        Some(Kind::Simulate(clauses))
    }

    fn repeat(&mut self) -> Option<Kind> {
        let binder = self.binder();
        if binder.is_none() {
            self.skip_to(&["{"]);
            if self.at_statement_end() {
                return None;
            }
        }
        let open = self.here();
        self.expect("{", "a repetition has the form for k in 1..n { … }")
            .then_some(())?;
        if self.depth >= crate::MAX_BLOCKS {
            self.error(
                SyntaxCode::NestingTooDeep,
                format!(
                    "repetitions are nested more than {} deep",
                    crate::MAX_BLOCKS
                ),
                "join the loops",
                open,
            );
            return None;
        }
        self.depth += 1;
        let body = self.block();
        self.depth -= 1;
        if !self.take("}") {
            self.error(
                SyntaxCode::UnclosedBrace,
                "this brace is not closed",
                "add } after the block",
                open,
            );
        }
        Some(Kind::For {
            binder: binder?,
            body,
        })
    }

    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut list = vec![item(self)];
        while self.take(",") {
            list.push(item(self));
        }
        list
    }

    /// Entries between commas; one that cannot be read is left out.
    fn list_of<T>(&mut self, item: fn(&mut Self) -> Option<T>) -> Vec<T> {
        let mut list = Vec::new();
        loop {
            let errors = self.errors.len();
            list.extend(item(self));
            if !self.another(errors, false) {
                return list;
            }
        }
    }

    pub(crate) fn assignments(&mut self) -> Vec<Assignment> {
        self.list_of(Self::assignment)
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let target = self.sum();
        if !self.expect("=", "an entry has the form x = EXPR") {
            self.skip_entry();
            let value = self.missing();
            return Some(Assignment { target, value });
        }
        let mut value = self.sum();
        if self.sees_word("then") {
            value = self.turns(value);
        }
        Some(Assignment { target, value })
    }

    /// `z(α) then x(β)` after its first factor: a call of `then`.
    fn turns(&mut self, first: Expression) -> Expression {
        let name = Name {
            text: "then".into(),
            span: self.here(),
        };
        let mut factors = vec![first];
        while self.take_word("then") {
            factors.push(self.sum());
        }
        let span = factors[0].span.to(self.before());
        Expression {
            kind: ExpressionKind::Call(name, vec![], factors),
            span,
        }
    }

    fn metric_entry(&mut self) -> Option<MetricEntry> {
        let first = self.coordinate_name()?;
        let second = self.coordinate_name()?;
        self.expect("=", "an entry of a metric has the form x y = EXPR")
            .then_some(())?;
        let value = self.sum();
        Some(MetricEntry {
            coordinates: [first, second],
            value,
        })
    }

    /// A coordinate, perhaps indexed.
    fn coordinate_name(&mut self) -> Option<Expression> {
        let name = self.name("a coordinate")?;
        if self.sees("[") && self.token().is_some_and(|t| t.touches) {
            self.advance();
            let index = self.list(Self::sum);
            self.expect("]", "the index is not closed");
            let span = name.span.to(self.before());
            return Some(Expression {
                kind: ExpressionKind::Index(name, index),
                span,
            });
        }
        Some(Expression {
            kind: ExpressionKind::Name(name.text),
            span: name.span,
        })
    }

    /// Declarations between commas; the names of those that cannot be read are remembered.
    fn declarations(&mut self, item: fn(&mut Self) -> Option<Declaration>) -> Vec<Declaration> {
        let mut list = Vec::new();
        loop {
            let (from, errors) = (self.position(), self.errors.len());
            match item(self) {
                Some(entry) => list.push(entry),
                None => self.record_lost_names(from, self.position(), true),
            }
            if !self.another(errors, true) {
                return list;
            }
        }
    }

    fn declaration(&mut self, what: &str) -> Option<Declaration> {
        let name = self.name(what)?;
        let span = name.span;
        Some(Declaration {
            name,
            binder: None,
            range: None,
            member: None,
            parameters: None,
            value: None,
            unit: None,
            manifold: None,
            span,
        })
    }

    fn finished(&self, mut d: Declaration) -> Option<Declaration> {
        d.span = d.span.to(self.before());
        Some(d)
    }

    fn value(&mut self) -> Option<Expression> {
        self.expect("=", "a declaration has the form NAME = EXPR")
            .then(|| self.sum())
    }

    fn constant(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a constant")?;
        d.value = self.value();
        self.finished(d)
    }

    fn parameter(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a parameter")?;
        d.binder = self.family_binder()?;
        if self.take("=") {
            d.value = Some(self.sum());
        }
        d.unit = self.unit();
        self.finished(d)
    }

    /// `u [N] = EXPR`, with the unit on either side of the value, which may be absent.
    fn signal(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of an input")?;
        d.binder = self.family_binder()?;
        d.unit = self.unit();
        if self.take("=") {
            d.value = Some(self.sum());
        }
        if d.unit.is_none() {
            d.unit = self.unit();
        }
        self.finished(d)
    }

    /// `f(s) = [(0, 1), …] linear` or `f(s) from "file.csv" columns "t", "steer" cubic`
    fn table(&mut self) -> Option<Kind> {
        let name = self.name("the name of a table")?;
        let arguments = self.parameters("a table has one argument: table f(s) = …")?;
        let argument = match <[Name; 1]>::try_from(arguments) {
            Ok([argument]) => argument,
            Err(list) => {
                self.error(
                    SyntaxCode::UnexpectedToken,
                    "a table has one argument",
                    "write table f(s) = [(0, 1), (0.5, 2)] linear",
                    list.get(1).map_or(name.span, |n| n.span),
                );
                return None;
            }
        };
        let source = match self.take_word("from") {
            true => self.table_file()?,
            false => self.table_entries()?,
        };
        let interpolation = self.name("linear, cubic or steps")?;
        Some(Kind::Table {
            name,
            argument,
            source,
            interpolation,
        })
    }

    /// `= [(0, 1), (0.5, 2), …]`
    fn table_entries(&mut self) -> Option<TableSource> {
        let form = "a table has the form table f(s) = [(0, 1), (0.5, 2)] linear, or table f(s) from \"file.csv\" columns \"t\", \"y\" cubic";
        self.expect("=", form).then_some(())?;
        self.expect("[", form).then_some(())?;
        let mut entries = Vec::new();
        while !self.sees("]") {
            self.expect("(", form).then_some(())?;
            let knot = self.sum();
            self.expect(",", form).then_some(())?;
            let value = self.sum();
            self.expect(")", form).then_some(())?;
            entries.push((knot, value));
            if !self.take(",") {
                break;
            }
        }
        self.expect("]", "the list of the table is not closed")
            .then_some(TableSource::Inline(entries))
    }

    /// `"file.csv" columns "t", "steer"`, behind `from`
    fn table_file(&mut self) -> Option<TableSource> {
        let path = self.quoted("the path of a file in quotes")?;
        if !self.take_word("columns") {
            return Some(TableSource::File {
                path,
                columns: None,
            });
        }
        let knots = self.quoted("the name of a column in quotes")?;
        self.expect(",", "columns names two columns: columns \"t\", \"steer\"")
            .then_some(())?;
        let values = self.quoted("the name of a column in quotes")?;
        Some(TableSource::File {
            path,
            columns: Some([knots, values]),
        })
    }

    /// A text in quotes, without them.
    fn quoted(&mut self, what: &str) -> Option<Name> {
        let span = self.here();
        if self.kind() != Some(TokenKind::Text) {
            let found = self.describe();
            self.error(
                SyntaxCode::ExpectedTitle,
                format!("{what} expected, found {found}"),
                "write table f(s) from \"file.csv\" columns \"t\", \"steer\" cubic",
                span,
            );
            return None;
        }
        let text = self.text().trim_matches('"').to_owned();
        self.advance();
        Some(Name { text, span })
    }

    /// `[i in 1..n]` touching the name.
    #[allow(clippy::option_option)]
    fn family_binder(&mut self) -> Option<Option<crate::tree::IndexBinder>> {
        let touches = self.token().is_some_and(|t| t.touches);
        if !(self.sees("[") && touches) {
            return Some(None);
        }
        if self
            .peek(2)
            .is_none_or(|t| t.span.text(self.source()) != "in")
        {
            self.no_range("k in 1..n");
            return None;
        }
        self.advance();
        let binder = self.binder()?;
        self.expect("]", "the index range is not closed");
        Some(Some(binder))
    }

    fn coordinate(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a coordinate")?;
        if self.sees("[") && self.token().is_some_and(|t| t.touches) {
            let mut ahead = 1;
            while !matches!(
                self.peek(ahead).map(|t| t.kind),
                None | Some(TokenKind::Newline | TokenKind::Mark("]" | ".."))
            ) {
                ahead += 1;
            }
            if self.text_at(ahead) == "]" {
                self.no_range("1..n");
                return None;
            }
            self.advance();
            d.range = Some(self.range()?);
            self.expect("]", "the index range is not closed");
        }
        if self.take_word("on") {
            d.manifold = Some(self.manifold()?);
        }
        d.unit = self.unit();
        self.finished(d)
    }

    /// `sphere` of `coord n on sphere`
    fn manifold(&mut self) -> Option<Name> {
        let name = self.name("sphere, circle or rotations")?;
        if !MANIFOLDS.contains(&name.text.as_str()) {
            let hint = match nearest(&name.text, MANIFOLDS) {
                Some(w) => format!("did you mean `{w}`?"),
                None => "manifolds are sphere, circle and rotations".into(),
            };
            self.error(
                SyntaxCode::ExpectedKeyword,
                format!("there is no manifold `{}`", name.text),
                hint,
                name.span,
            );
            return None;
        }
        Some(name)
    }

    /// A bracket that touches a name in a declaration holds no range.
    fn no_range(&mut self, form: &str) {
        let name = self.text_before().to_owned();
        let start = self.here();
        self.skip_to(&["]"]);
        let span = start.to(self.here());
        let inside = span.text(self.source()).to_owned();
        self.error(
            SyntaxCode::ExpectedRange,
            format!("a bracket that touches its name holds an index range, not `{inside}`"),
            format!(
                "write `{name} {inside}`, with a space, for a unit, or `{name}[{form}]` for a family"
            ),
            span,
        );
    }

    fn abbreviation(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of an abbreviation")?;
        let ranged = self.peek(2).map(|t| t.span.text(self.source())) == Some("in");
        if self.sees("[") && self.token().is_some_and(|t| t.touches) && !ranged {
            self.advance();
            d.member = Some(self.sum());
            self.expect("]", "the index of the member is not closed");
            d.value = self.value();
            return self.finished(d);
        }
        d.binder = self.family_binder()?;
        if self.sees("(") {
            d.parameters = Some(self.parameters("a function lists its arguments")?);
        }
        d.value = self.value();
        self.finished(d)
    }

    fn function(&mut self) -> Option<Declaration> {
        let mut d = self.declaration("the name of a function")?;
        d.parameters =
            Some(self.parameters("an undetermined function lists its arguments, function V(r)")?);
        self.finished(d)
    }

    /// `(a, b)`
    fn parameters(&mut self, message: &str) -> Option<Vec<Name>> {
        self.expect("(", message).then_some(())?;
        let mut list = vec![self.name("an argument")?];
        while self.take(",") {
            list.push(self.name("an argument")?);
        }
        self.expect(")", "the list of arguments is not closed")
            .then_some(list)
    }
}

/// The known word that is nearest to a misspelt one, if any is close enough.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|w| (distance(word, w), w))
        // A name of one letter is near only to itself in the other case.
        .filter(|(d, w)| {
            let length = w.chars().count().min(word.chars().count());
            (*d <= 1 + w.chars().count() / 4 && *d < length) || w.to_lowercase() == lower
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, w)| w)
}

/// The edit distance of two words: characters added, left out, changed or exchanged with the next one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}
