//! The codes of diagnostics: stable words that documents list and scripts compare.

/// Defines an enum of codes from one list of variants with their words, and from the codes of other enums.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal,)*
            $(@ $(#[$outer_doc:meta])* $outer:ident($inner:ty),)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            $($(#[$outer_doc])* $outer($inner),)?
        }

        impl $name {
            /// All codes there are.
            pub fn all() -> impl Iterator<Item = Self> {
                [$(Self::$variant),*].into_iter()$(.chain(<$inner>::all().map(Self::$outer)))?
            }

            /// The stable word of the code, as it is printed and as it occurs in JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                    $(Self::$outer(code) => code.as_str(),)?
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownCode;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = Self::all().find(|code| code.as_str() == word);
                found.ok_or_else(|| $crate::UnknownCode(word.to_owned()))
            }
        }

        $(impl From<$inner> for $name {
            fn from(code: $inner) -> Self {
                Self::$outer(code)
            }
        })?
    };
}

/// A word that is not the code of any diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownCode(pub String);

impl std::fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not the code of a diagnostic", self.0)
    }
}
impl std::error::Error for UnknownCode {}

codes! {
    /// The kinds of errors of syntax.
    pub enum SyntaxCode {
        /// More than 1 MiB of text.
        FileTooLarge = "file_too_large",
        /// A character the language does not have; typographic signs are named with what to write.
        UnexpectedCharacter = "unexpected_character",
        /// A number starts and ends with a digit.
        MalformedNumber = "malformed_number",
        /// A title that is not closed on its line.
        UnterminatedString = "unterminated_string",
        /// `system` without a text in quotes.
        ExpectedTitle = "expected_title",
        /// A line that starts with something else than a word.
        ExpectedStatement = "expected_statement",
        /// A word that starts no statement; the nearest one is named.
        UnknownStatement = "unknown_statement",
        /// A word of a statement is missing or misspelt.
        ExpectedKeyword = "expected_keyword",
        /// A name is needed here.
        ExpectedName = "expected_name",
        /// A bracket that touches its name in a declaration holds an index range; a unit needs a space.
        ExpectedRange = "expected_range",
        /// A bracket, colon or equals sign is missing.
        ExpectedToken = "expected_token",
        /// An operator without what it acts on.
        ExpectedExpression = "expected_expression",
        /// A statement that goes on where it should end; most often a missing `*`.
        UnexpectedToken = "unexpected_token",
        /// A block `{ … }` that is not closed.
        UnclosedBrace = "unclosed_brace",
        /// Units are products and quotients of names with whole exponents.
        MalformedUnit = "malformed_unit",
        /// Expressions nested more than 200, repetitions more than 16, definitions more than 12000 deep.
        NestingTooDeep = "nesting_too_deep",
        /// More than 1000 errors; the rest is not listed.
        TooManyErrors = "too_many_errors",
    }
}
