//! Statements: one shape, `KIND NAME: BODY`, and lists of declarations.

mod declaration;
mod force;
mod table;

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::error::SyntaxError;
use crate::hint::{UNITS_ELSEWHERE, bare_unit, form_with, longer_or_shorter, meant_by};
use crate::nearest::nearest;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::tree::{
    Assignment, Clause, Direction, Expression, ExpressionKind, Kind, Label, MetricEntry, Name,
    Statement,
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

impl<'s> Cursor<'s> {
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
        let (found, word) = (self.describe(), self.statement_word);
        let clause = KEYWORDS.contains(&self.text()).then(|| self.text());
        let (message, hint) = if let Some(hint) = clause.and_then(|c| form_with(word, c)) {
            (format!("{found} does not continue the statement"), hint)
        } else if self.operator_missing() {
            let before = self.text_before();
            (
                format!("there is no operator between `{before}` and {found}"),
                match self.text() {
                    product @ ("cross" | "dot") => format!("write {product}(a, b)"),
                    _ => bare_unit(word, self.rest_of_entry()).unwrap_or_else(|| {
                        "write * for a product; a statement ends at the end of its line, or at ;"
                            .into()
                    }),
                },
            )
        } else {
            (
                format!("{found} does not continue the statement"),
                match self.text() {
                    "=" => "an equation has one = sign; only `constraint` and entries have it",
                    "/" => {
                        "a comment starts with #; a statement ends at the end of its line, or at ;"
                    }
                    "[" => UNITS_ELSEWHERE,
                    _ => "a statement ends at the end of its line, or at ;",
                }
                .into(),
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
    fn statement_of(&mut self, word: &'s str, start: Span) -> Option<Kind> {
        self.statement_word = word;
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
                let (meant, hint) = self.meant(word);
                self.error(
                    SyntaxCode::UnknownStatement,
                    format!("there is no statement `{word}`"),
                    hint,
                    start,
                );
                // Read the statement that is probably meant, so that its names are known and resolved. The guess may
                // be wrong, so no further errors of form are reported.
                let errors = self.errors.len();
                let kind = self.statement_of(meant?, start);
                self.errors.truncate(errors);
                kind
            }
        }
    }

    /// The statement that an unknown first word means, if that can be told, and the hint. All statements are listed once
    /// in a file.
    fn meant(&self, word: &str) -> (Option<&'static str>, String) {
        if let Some((meant, hint)) = meant_by(word) {
            return (Some(meant), hint.to_owned());
        }
        let listed = |e: &SyntaxError| e.code == SyntaxCode::UnknownStatement;
        let list = match self.errors.iter().any(listed) {
            true => "`galilei help statements` lists all statements".to_owned(),
            false => all_statements(),
        };
        let near = nearest(word, WORDS.into_iter().chain(["for"]));
        let meant = near.or_else(|| longer_or_shorter(word));
        let hint = match meant {
            Some(w) => format!("did you mean `{w}`? {list}"),
            None if self.sees("=") => format!(
                "a quantity is `param {word} = 1 [kg]`, an abbreviation `let {word} = EXPR`, an equation `constraint NAME: EXPR = EXPR`, \
                 energies are `kinetic: EXPR`, `potential: EXPR` or `lagrangian: EXPR`"
            ),
            None => list,
        };
        (meant, hint)
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
        if self.take(":") {
            return Some(label);
        }
        let (found, word) = (self.describe(), self.statement_word);
        self.error(
            SyntaxCode::ExpectedToken,
            format!("a colon stands before the body of a statement: expected :, found {found}"),
            form_with(word, self.text()).unwrap_or_else(|| "write : here".into()),
            self.here(),
        );
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
        if self.sees(",") && self.text_at(1) == keyword {
            if !self.has_error() {
                self.error(
                    SyntaxCode::UnexpectedToken,
                    "the parts of a statement are not separated by commas",
                    "remove the comma",
                    self.here(),
                );
            }
            self.advance();
            return self.after(keyword, statement);
        }
        let hint = match self.text() {
            "[" => "units stand where a name is declared: `param m = 1 [kg]`, then m".to_owned(),
            found => form_with(statement, found).unwrap_or_default(),
        };
        if !self.has_error() {
            self.expected(SyntaxCode::ExpectedKeyword, &format!("`{keyword}`"), hint);
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

    fn system(&mut self) -> Option<Kind> {
        let title = self.quoted("a title in quotes", "write system \"Title\"")?;
        Some(Kind::System { title })
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
                self.expected(
                    SyntaxCode::ExpectedName,
                    "from, to, every, method or tolerance",
                    "write `simulate to 10`, or `simulate from 0 to 10 every 0.01`",
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
                let hint = match (keyword.text.as_str(), nearest) {
                    ("for" | "until" | "duration", _) => {
                        "write `simulate to 10`, or `simulate from 0 to 10`".into()
                    }
                    ("s", _) => "times are in seconds, without a unit".into(),
                    (_, Some(w)) => format!("did you mean `{w}`?"),
                    (_, None) => "clauses are from, to, every, method, tolerance".into(),
                };
                self.error(
                    SyntaxCode::ExpectedKeyword,
                    format!("`simulate` has no clause `{}`", keyword.text),
                    hint,
                    keyword.span,
                );
                // The value of the clause, and the clauses behind it.
                if !self.at_statement_end() {
                    let _ = self.sum();
                }
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
}
