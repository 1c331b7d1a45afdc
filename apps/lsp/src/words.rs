//! The words of a model and what each refers to, found from the text alone, so that it works while a statement is half written.
//!
//! Values, functions and labels of statements have separate name spaces, as in the language. Indices of sums and families,
//! arguments of functions and coordinates of charts are local to their place.

use std::collections::HashMap;

use galilei_syntax::{Lexeme, LexemeKind, Span, lexemes, statement_words};

/// The name space of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Constants, parameters, coordinates, abbreviations, indices.
    Value,
    /// Functions.
    Function,
    /// Names of statements: `bob` of `particle bob: …`.
    Label,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Its name space.
    pub space: Space,
    /// The statement word that declares it; `index` for an index, `argument` for an argument.
    pub kind: String,
    /// The place of the name in its declaration.
    pub span: Span,
    /// The whole declaration.
    pub declaration: Span,
    /// The place where a local name is known; `None` for a name of the whole file.
    pub scope: Option<Span>,
    /// The names of its arguments, if it is a function.
    pub arguments: Vec<String>,
}

/// The role of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A word that starts a statement.
    Statement,
    /// A word with a meaning inside of its statement.
    Keyword,
    /// A unit.
    Unit,
    /// `x` of `p.x`.
    Component,
    /// A name that is declared here.
    Declaration(usize),
    /// A name that refers to a symbol; `None` if nothing declares it.
    Use(Space, Option<usize>),
}

/// A word with its role.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Its place.
    pub span: Span,
    /// Its role.
    pub role: Role,
}

/// A statement: its first word and its extent, in lexemes and in bytes.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The word that starts it.
    pub word: String,
    /// From its first byte to its last.
    pub span: Span,
}

/// All words of a text with their roles, and the symbols it declares.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The words in order.
    pub words: Vec<Word>,
    /// The declared names.
    pub symbols: Vec<Symbol>,
    /// The statements in order.
    pub pieces: Vec<Piece>,
    /// All lexemes, with comments.
    pub lexemes: Vec<Lexeme>,
}

/// Statements that declare values and functions.
const DECLARING: [&str; 7] = [
    "const", "param", "coord", "let", "function", "input", "table",
];
/// Statements whose body starts with a keyword.
const KEYWORD_FIRST: [&str; 8] = [
    "particle", "body", "frame", "spring", "damper", "shape", "friction", "simulate",
];
/// Statements that place something others refer to by `on`, `in`, `position(…)`.
pub(crate) const PLACED: [&str; 3] = ["body", "frame", "particle"];
/// Statements that have a multiplier.
const ENFORCED: [&str; 4] = ["constraint", "contact", "friction", "body"];

/// A reference to a statement by its label: the kinds that are meant.
fn kinds_of_call(callee: &str) -> Option<&'static [&'static str]> {
    match callee {
        "position" | "direction" | "velocity" | "omega" => Some(&PLACED),
        "multiplier" | "reaction" => Some(&ENFORCED),
        _ => None,
    }
}

/// A name whose symbol is not known yet.
struct Pending {
    word: usize,
    space: Space,
    kinds: Option<&'static [&'static str]>,
    /// Whether local names are passed over.
    global: bool,
    /// The place of the name of the chart to whose coordinates the name belongs, in `inverse NAME: r = …`.
    chart: Option<Span>,
}

struct Walker<'s> {
    text: &'s str,
    list: Vec<Lexeme>,
    /// The bracket that closes each bracket.
    partners: Vec<usize>,
    /// The names of the whole file that are declared so far.
    declared: HashMap<(String, Space), usize>,
    out: Words,
    pending: Vec<Pending>,
    /// The name of the chart whose inverse is being read.
    chart: Option<Span>,
}

/// The most local names of equal spelling that are compared to find the one that is meant.
const MAX_COMPARED_SCOPES: usize = 1000;

/// The bracket that closes each bracket; the end of the text for those that nothing closes.
fn partners(list: &[Lexeme]) -> Vec<usize> {
    let mut partners = vec![list.len(); list.len()];
    let mut open = Vec::new();
    for (k, lexeme) in list.iter().enumerate() {
        match lexeme.kind {
            LexemeKind::Mark("(" | "[" | "{") => open.push(k),
            LexemeKind::Mark(")" | "]" | "}") => {
                if let Some(partner) = open.pop() {
                    partners[partner] = k;
                }
            }
            _ => {}
        }
    }
    partners
}

impl Words {
    /// Finds the words of a text.
    pub fn new(text: &str) -> Self {
        let all = lexemes(text);
        let list: Vec<Lexeme> = (all.iter().copied())
            .filter(|l| l.kind != LexemeKind::Comment)
            .collect();
        let mut walker = Walker {
            text,
            partners: partners(&list),
            declared: HashMap::new(),
            list,
            out: Self::default(),
            pending: Vec::new(),
            chart: None,
        };
        walker.walk();
        walker.resolve();
        let mut out = walker.out;
        out.words.sort_by_key(|w| w.span.start);
        out.lexemes = all;
        out
    }

    /// The word at a byte, or that ends there.
    pub fn at(&self, byte: u32) -> Option<&Word> {
        let k = self.words.partition_point(|w| w.span.start <= byte);
        let word = self.words.get(k.checked_sub(1)?)?;
        (byte <= word.span.end).then_some(word)
    }

    /// The symbol to which a word refers, or which it declares.
    pub fn symbol(&self, word: &Word) -> Option<usize> {
        match word.role {
            Role::Declaration(k) | Role::Use(_, Some(k)) => Some(k),
            _ => None,
        }
    }

    /// The places of all words that mean a symbol.
    pub fn occurrences(&self, symbol: usize) -> impl Iterator<Item = Span> {
        let same = move |w: &&Word| self.symbol(w) == Some(symbol);
        self.words.iter().filter(same).map(|w| w.span)
    }

    /// The statement at a byte.
    pub fn piece(&self, byte: u32) -> Option<&Piece> {
        let k = self.pieces.partition_point(|p| p.span.start <= byte);
        let piece = self.pieces.get(k.checked_sub(1)?)?;
        (byte <= piece.span.end).then_some(piece)
    }

    /// Symbols of a name space that are known at a byte.
    pub fn visible(&self, space: Space, byte: u32) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(move |s| {
            s.space == space
                && s.scope
                    .is_none_or(|scope| scope.start <= byte && byte <= scope.end)
        })
    }
}

impl Walker<'_> {
    fn text(&self, k: usize) -> &str {
        self.list.get(k).map_or("", |l| l.span.text(self.text))
    }

    fn is_name(&self, k: usize) -> bool {
        self.list.get(k).is_some_and(|l| l.kind == LexemeKind::Name)
    }

    fn is(&self, k: usize, mark: &str) -> bool {
        self.list.get(k).is_some_and(|l| l.is(mark))
    }

    /// The bracket that closes the one at k, at most the last lexeme before `end`.
    fn partner(&self, k: usize, end: usize) -> usize {
        self.partners[k].min(end.saturating_sub(1)).max(k)
    }

    fn span(&self, from: usize, to: usize) -> Span {
        let last = self.list.len().saturating_sub(1);
        let (from, to) = (from.min(last), to.min(last));
        Span {
            start: self.list[from].span.start,
            end: self.list[to].span.end.max(self.list[from].span.end),
        }
    }

    fn push(&mut self, k: usize, role: Role) {
        let span = self.list[k].span;
        self.out.words.push(Word { span, role });
    }

    fn declare(
        &mut self,
        k: usize,
        space: Space,
        kind: &str,
        declaration: Span,
        scope: Option<Span>,
    ) -> usize {
        let name = self.text(k).to_owned();
        self.out.symbols.push(Symbol {
            name,
            space,
            kind: kind.to_owned(),
            span: self.list[k].span,
            declaration,
            scope,
            arguments: vec![],
        });
        let symbol = self.out.symbols.len() - 1;
        if scope.is_none() {
            let key = (self.text(k).to_owned(), space);
            self.declared.entry(key).or_insert(symbol);
        }
        self.push(k, Role::Declaration(symbol));
        symbol
    }

    fn refer(
        &mut self,
        k: usize,
        space: Space,
        kinds: Option<&'static [&'static str]>,
        global: bool,
    ) {
        self.push(k, Role::Use(space, None));
        let word = self.out.words.len() - 1;
        self.pending.push(Pending {
            word,
            space,
            kinds,
            global,
            chart: self.chart.filter(|_| global && space == Space::Value),
        });
    }

    /// Goes through the statements.
    fn walk(&mut self) {
        let mut k = 0;
        while k < self.list.len() {
            let ends =
                |l: &Lexeme| l.kind == LexemeKind::End || l.is(";") || l.is("{") || l.is("}");
            let end = (k..self.list.len())
                .find(|&i| ends(&self.list[i]))
                .unwrap_or(self.list.len());
            if end > k {
                self.statement(k, end);
            }
            k = end + 1;
        }
    }

    /// A statement of the lexemes from `start` up to `end`.
    fn statement(&mut self, start: usize, end: usize) {
        let word = self.text(start).to_owned();
        let span = self.span(start, end - 1);
        self.out.pieces.push(Piece {
            word: word.clone(),
            span,
        });
        if !self.is_name(start) {
            return self.expression(start, end, "", false);
        }
        let known = statement_words().any(|w| w == word) || DECLARING.contains(&word.as_str());
        self.push(
            start,
            if known {
                Role::Statement
            } else {
                Role::Keyword
            },
        );
        let mut at = start + 1;
        if matches!(
            (word.as_str(), self.text(at)),
            ("vector", "potential") | ("action", "form")
        ) {
            self.push(at, Role::Statement);
            at += 1;
        }
        if word == "for" {
            return self.repetition(at, end);
        }
        if DECLARING.contains(&word.as_str()) {
            return self.declarations(at, end, &word);
        }
        self.labelled(at, end, &word);
    }

    /// `k in 1..n` of a repetition, which ends with its block.
    fn repetition(&mut self, at: usize, end: usize) {
        let close = match self.is(end, "{") {
            true => self.partner(end, self.list.len()),
            false => end,
        };
        let scope = self.span(at.min(end), close);
        let mut from = at;
        if at < end && self.is_name(at) {
            self.declare(at, Space::Value, "index", scope, Some(scope));
            from += 1;
        }
        if from < end && self.text(from) == "in" {
            self.push(from, Role::Keyword);
            from += 1;
        }
        self.expression(from, end, "for", false);
    }

    /// Entries between commas.
    fn declarations(&mut self, start: usize, end: usize, word: &str) {
        let mut at = start;
        while at < end {
            let mut next = at;
            while next < end && !self.is(next, ",") {
                let bracket = self.is(next, "(") || self.is(next, "[");
                next = if bracket {
                    self.partner(next, end) + 1
                } else {
                    next + 1
                };
            }
            let next = next.min(end);
            if at < next {
                self.declaration(at, next, word);
            }
            at = next + 1;
        }
    }

    fn declaration(&mut self, start: usize, end: usize, word: &str) {
        if !self.is_name(start) {
            return self.expression(start, end, word, false);
        }
        let whole = self.span(start, end - 1);
        let mut at = start + 1;
        let touches = self.list.get(at).is_some_and(|l| l.touches) && at < end;
        let callable = at < end && self.is(at, "(");
        let space = if callable {
            Space::Function
        } else {
            Space::Value
        };
        // Another member of a family that is declared already, `let r[0] = …`.
        let name = self.text(start).to_owned();
        let again = (word == "let" && touches && self.is(at, "["))
            .then(|| self.declared.get(&(name, space)).copied())
            .flatten();
        let symbol = match again {
            Some(symbol) => {
                self.push(start, Role::Declaration(symbol));
                symbol
            }
            None => self.declare(start, space, word, whole, None),
        };
        if callable {
            let close = self.partner(at, end);
            for k in at + 1..close {
                if self.is_name(k) {
                    let argument = self.text(k).to_owned();
                    self.out.symbols[symbol].arguments.push(argument);
                    self.declare(k, Space::Value, "argument", whole, Some(whole));
                }
            }
            at = close + 1;
        } else if touches && self.is(at, "[") {
            let close = self.partner(at, end);
            if self.is_name(at + 1) && self.text(at + 2) == "in" {
                self.declare(at + 1, Space::Value, "index", whole, Some(whole));
                self.push(at + 2, Role::Keyword);
                self.expression(at + 3, close, word, false);
            } else {
                self.expression(at + 1, close, word, false);
            }
            at = close + 1;
        }
        self.expression(at, end, word, true);
    }

    /// `NAME: BODY`, `NAME[k]: BODY`, `NAME(r, φ): BODY`, or a body alone.
    fn labelled(&mut self, start: usize, end: usize, word: &str) {
        let mut at = start;
        let statement = self.span(start.saturating_sub(1), end - 1);
        if at < end && self.is_name(at) {
            let mut after = at + 1;
            if after < end && (self.is(after, "[") || self.is(after, "(")) {
                after = self.partner(after, end) + 1;
            }
            // A label without its colon is a label, too, while it is being written.
            let bare = statement_words().any(|w| w == word) && !self.unlabelled(word);
            if (after < end && self.is(after, ":")) || (after == end && bare) {
                match word {
                    "reaction" => self.refer(at, Space::Label, Some(&ENFORCED), true),
                    "inverse" => {
                        self.refer(at, Space::Label, Some(&["chart"]), true);
                        self.chart = Some(self.list[at].span);
                    }
                    _ => {
                        self.declare(at, Space::Label, word, statement, None);
                    }
                }
                if word == "chart" && self.is(at + 1, "(") {
                    for k in at + 2..after - 1 {
                        if self.is_name(k) {
                            self.declare(k, Space::Value, "argument", statement, Some(statement));
                        }
                    }
                } else {
                    self.expression(at + 1, after, word, false);
                }
                at = after;
            }
        }
        if at < end && self.is(at, ":") {
            at += 1;
        }
        self.body(at, end, word);
        self.chart = None;
    }

    fn unlabelled(&self, word: &str) -> bool {
        matches!(
            word,
            "system" | "assume" | "initial" | "dependent" | "simulate"
        )
    }

    fn body(&mut self, at: usize, end: usize, word: &str) {
        if at >= end {
            return;
        }
        let first = self.text(at);
        let operator = (at + 1 < end)
            && ["=", "+", "-", "*", "/", "^", "'", "[", "."]
                .iter()
                .any(|m| self.is(at + 1, m));
        let form = matches!(
            (word, first),
            ("force", "torque" | "form")
                | ("constraint", "form")
                | ("reaction", "ideal" | "connection")
        ) && !operator;
        if self.is_name(at) && (KEYWORD_FIRST.contains(&word) || form) {
            let label = matches!(first, "in" | "on");
            self.push(at, Role::Keyword);
            if label && self.is_name(at + 1) && at + 1 < end {
                self.refer(at + 1, Space::Label, Some(&PLACED), true);
                return self.expression(at + 2, end, word, true);
            }
            return self.expression(at + 1, end, word, false);
        }
        if word == "impact" && self.is_name(at) {
            self.refer(at, Space::Label, Some(&["event"]), true);
            return self.expression(at + 1, end, "metric", false);
        }
        if word == "atlas" {
            for k in at..end {
                if self.is_name(k) {
                    self.refer(k, Space::Label, Some(&["chart"]), true);
                }
            }
            return;
        }
        self.expression(at, end, word, false);
    }

    /// Names in an expression or several with keywords between them. `complete` says that an operand comes before.
    fn expression(&mut self, start: usize, end: usize, word: &str, complete: bool) {
        /// What a bracket holds.
        enum Inside {
            /// Arguments of a function, with the number of commas so far.
            Call(String, usize),
            Unit,
            Other,
        }
        let mut inside: Vec<Inside> = Vec::new();
        let mut complete = complete;
        let mut k = start;
        while k < end {
            let lexeme = self.list[k];
            match lexeme.kind {
                LexemeKind::Mark(mark) => {
                    match mark {
                        "(" => {
                            let called = k > start && self.is_name(k - 1) && !lexeme_gap(&lexeme);
                            inside.push(match called {
                                true => Inside::Call(self.text(k - 1).to_owned(), 0),
                                false => Inside::Other,
                            });
                        }
                        "[" => {
                            let index = lexeme.touches && k > 0 && self.is_name(k - 1);
                            let unit = complete && !index;
                            inside.push(if unit { Inside::Unit } else { Inside::Other });
                        }
                        ")" | "]" => {
                            inside.pop();
                        }
                        "," => {
                            if let Some(Inside::Call(_, commas)) = inside.last_mut() {
                                *commas += 1;
                            }
                        }
                        _ => {}
                    }
                    complete = matches!(mark, ")" | "]" | "'");
                }
                LexemeKind::Number | LexemeKind::Text => complete = true,
                LexemeKind::Name => {
                    let text = self.text(k).to_owned();
                    let next = k + 1;
                    let depth = inside.len();
                    let calls = next < end && self.is(next, "(") && self.list[next].touches;
                    if k > 0 && self.is(k - 1, ".") && k > start {
                        self.push(k, Role::Component);
                        complete = true;
                    } else if matches!(inside.last(), Some(Inside::Unit)) {
                        self.push(k, Role::Unit);
                        complete = true;
                    } else if self.text(next) == "in" && next < end && k > 0 && self.is(k - 1, "(")
                    {
                        let close = self.partner(k - 1, end);
                        let scope = self.span(k, close);
                        self.declare(k, Space::Value, "index", scope, Some(scope));
                        self.push(next, Role::Keyword);
                        complete = false;
                        k += 2;
                        continue;
                    } else if complete && depth == 0 && word != "metric" {
                        self.push(k, Role::Keyword);
                        complete = false;
                        if matches!(text.as_str(), "on" | "in")
                            && next < end
                            && self.is_name(next)
                            && word != "coord"
                        {
                            self.refer(next, Space::Label, Some(&PLACED), true);
                            complete = true;
                            k += 2;
                            continue;
                        }
                        if text == "method" && next < end && self.is_name(next) {
                            self.push(next, Role::Keyword);
                            complete = true;
                            k += 2;
                            continue;
                        }
                    } else if word == "event"
                        && depth == 0
                        && matches!(text.as_str(), "rising" | "falling" | "both" | "terminal")
                        && k > start
                    {
                        self.push(k, Role::Keyword);
                    } else if calls {
                        self.refer(k, Space::Function, None, false);
                        complete = true;
                    } else {
                        let kinds = match inside.last() {
                            Some(Inside::Call(callee, 0)) => kinds_of_call(callee),
                            _ => None,
                        };
                        let entry = k == start || self.is(k - 1, ",") || self.is(k - 1, ":");
                        let target = matches!(word, "chart" | "inverse") && depth == 0 && entry;
                        match kinds {
                            Some(kinds) => self.refer(k, Space::Label, Some(kinds), true),
                            None => self.refer(k, Space::Value, None, target),
                        }
                        complete = true;
                    }
                }
                LexemeKind::Comment | LexemeKind::End => {}
            }
            k += 1;
        }
    }

    /// Finds the symbols that names refer to: the innermost local one, then those of the file.
    fn resolve(&mut self) {
        let mut by_name: HashMap<(&str, Space), Vec<usize>> = HashMap::new();
        for (k, s) in self.out.symbols.iter().enumerate() {
            let key = (s.name.as_str(), s.space);
            by_name.entry(key).or_default().push(k);
        }
        for p in &self.pending {
            let span = self.out.words[p.word].span;
            let name = span.text(self.text);
            let fitting = |space: Space| by_name.get(&(name, space)).map(|list| (space, list));
            // `omega(R)` and `rotation R` may name a coordinate on the rotations.
            let rotation = || fitting(Space::Value).filter(|_| p.kinds == Some(&PLACED[..]));
            let Some((space, candidates)) = fitting(p.space).or_else(rotation) else {
                continue;
            };
            let fits = |k: &&usize| {
                let s = &self.out.symbols[**k];
                let labelled = |kinds: &[&str]| kinds.contains(&s.kind.as_str());
                space != p.space || p.kinds.is_none_or(labelled)
            };
            // Symbols are in the order of the text.
            let before =
                candidates.partition_point(|k| self.out.symbols[*k].span.start <= span.start);
            let near = candidates[..before].iter().rev().take(MAX_COMPARED_SCOPES);
            let local = near.filter(|k| {
                let scope = self.out.symbols[**k].scope;
                !p.global && scope.is_some_and(|s| s.start <= span.start && span.end <= s.end)
            });
            let size = |k: &&usize| {
                let scope = self.out.symbols[**k].scope;
                scope.map_or(u32::MAX, |s| s.end - s.start)
            };
            let global = || {
                let mut whole = candidates.iter().filter(fits);
                whole.find(|k| self.out.symbols[**k].scope.is_none())
            };
            // The coordinates of a chart are declared by the statement that declares the chart.
            let of_chart = |chart: Span| {
                let name = chart.text(self.text);
                let labels = by_name.get(&(name, Space::Label))?;
                let mut labels = labels.iter().map(|k| &self.out.symbols[*k]);
                let declaration = labels.find(|s| s.kind == "chart")?.declaration;
                let own = |k: &&usize| self.out.symbols[**k].scope == Some(declaration);
                candidates.iter().find(own)
            };
            let found = match p.chart {
                Some(chart) => of_chart(chart).copied(),
                None => local.min_by_key(size).or_else(global).copied(),
            };
            self.out.words[p.word].role = Role::Use(space, found);
        }
    }
}

/// Whether white space precedes a lexeme.
fn lexeme_gap(lexeme: &Lexeme) -> bool {
    !lexeme.touches
}
