//! The service behind the protocol: documents, and answers to requests. It knows neither files nor processes, so that the studio
//! can use it, too.

use std::collections::HashMap;

use galilei_syntax::{Span, edits, format};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, Diagnostic,
    DiagnosticSeverity, ExecuteCommandOptions, NumberOrString, OneOf, Position,
    PositionEncodingKind, Range, RenameOptions, SemanticTokenModifier, SemanticTokenType,
    SemanticTokens, SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions,
    ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextEdit,
};
use serde_json::{Value, json};

use crate::analysis::{Analysis, Problem};
use crate::document::Document;
use crate::{complete, explain, fix, outline, rename};

/// The commands that a client may ask for, by name.
pub const COMMANDS: [&str; 3] = ["derive", "simulate", "check"];

/// The open documents, and answers about them.
#[derive(Debug, Default)]
pub struct Service {
    documents: HashMap<String, Document>,
    /// Whether the client understands snippets.
    pub snippets: bool,
}

/// What the server can do, for the answer to `initialize`.
pub fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["[".into(), ".".into(), "(".into()]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".into(), ",".into(), ":".into()]),
            ..SignatureHelpOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        folding_range_provider: Some(true.into()),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: outline::TOKEN_TYPES.map(SemanticTokenType::new).to_vec(),
                    token_modifiers: outline::TOKEN_MODIFIERS
                        .map(SemanticTokenModifier::new)
                        .to_vec(),
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(|c| format!("galilei.{c}")).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// A request that could not be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The method is not known.
    UnknownMethod,
    /// The parameters do not fit, with the reason.
    Invalid(String),
}

fn invalid(why: impl Into<String>) -> Refusal {
    Refusal::Invalid(why.into())
}

/// A position in JSON.
fn position(value: &Value) -> Result<Position, Refusal> {
    serde_json::from_value(value.clone()).map_err(|e| invalid(e.to_string()))
}

/// A range in JSON.
fn range(value: &Value) -> Result<Range, Refusal> {
    serde_json::from_value(value.clone()).map_err(|e| invalid(e.to_string()))
}

/// An answer as JSON.
fn answer(value: impl serde::Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(value).map_err(|e| invalid(e.to_string()))
}

/// The address of the document of a request.
fn address(params: &Value) -> Result<&str, Refusal> {
    let uri = params["textDocument"]["uri"].as_str();
    uri.ok_or_else(|| invalid("there is no textDocument.uri"))
}

/// A problem as editors show it: the message, then the hint.
pub fn diagnostic(document: &Document, problem: &Problem) -> Diagnostic {
    let range = match problem.span() {
        Some(span) => document.range(span),
        None => Range::default(),
    };
    let message = match problem.hint.is_empty() {
        true => problem.message.clone(),
        false => format!("{}\n{}", problem.message, problem.hint),
    };
    Diagnostic {
        range,
        severity: Some(match problem.error {
            true => DiagnosticSeverity::ERROR,
            false => DiagnosticSeverity::WARNING,
        }),
        code: (!problem.code.is_empty()).then(|| NumberOrString::String(problem.code.clone())),
        source: Some("galilei".into()),
        message,
        ..Diagnostic::default()
    }
}

impl Service {
    /// Opens a document, or replaces its text.
    pub fn open(&mut self, uri: &str, text: String, version: i32) {
        let document = match self.documents.remove(uri) {
            Some(document) => document.changed(text, version),
            None => Document::new(text, version),
        };
        self.documents.insert(uri.to_owned(), document);
    }

    /// Applies the changes of `textDocument/didChange`.
    pub fn change(&mut self, uri: &str, version: i32, changes: &[Value]) {
        let Some(document) = self.documents.get(uri) else {
            return;
        };
        let mut text = document.text.clone();
        let mut index = document.index.clone();
        for change in changes {
            let Some(new) = change["text"].as_str() else {
                continue;
            };
            match range(&change["range"]) {
                Ok(range) => {
                    let start = index.byte(&text, range.start) as usize;
                    let end = index.byte(&text, range.end) as usize;
                    text.replace_range(start..end.max(start), new);
                }
                Err(_) => text = new.to_owned(),
            }
            index = crate::position::LineIndex::new(&text);
        }
        self.open(uri, text, version);
    }

    /// Forgets a document.
    pub fn close(&mut self, uri: &str) {
        self.documents.remove(uri);
    }

    /// The document of an address.
    pub fn document(&self, uri: &str) -> Option<&Document> {
        self.documents.get(uri)
    }

    /// Takes over the analysis of a version of a document and returns its diagnostics; `None` if the text has changed since.
    pub fn analysed(
        &mut self,
        uri: &str,
        version: i32,
        analysis: Analysis,
    ) -> Option<Vec<Diagnostic>> {
        let document = self.documents.get_mut(uri)?;
        if document.version != version {
            return None;
        }
        document.analysis = analysis;
        let document = self.documents.get(uri)?;
        let problems = document.analysis.problems.iter();
        Some(problems.map(|p| diagnostic(document, p)).collect())
    }

    /// Answers a request.
    ///
    /// # Errors
    /// Where the method is unknown or its parameters do not fit.
    pub fn answer(&self, method: &str, params: &Value) -> Result<Value, Refusal> {
        if !METHODS.contains(&method) {
            return Err(Refusal::UnknownMethod);
        }
        let uri = address(params)?;
        let Some(document) = self.documents.get(uri) else {
            return Ok(Value::Null);
        };
        let at = || position(&params["position"]).map(|p| document.byte(p));
        let location = |span: Span| json!({ "uri": uri, "range": document.range(span) });
        let symbol_at = |byte: u32| {
            let word = document.words.at(byte)?;
            document.words.symbol(word)
        };
        match method {
            "textDocument/hover" => answer(explain::hover(document, at()?)),
            "textDocument/completion" => {
                answer(complete::completions(document, at()?, self.snippets))
            }
            "textDocument/signatureHelp" => answer(explain::signature(document, at()?)),
            "textDocument/definition" => {
                let found = symbol_at(at()?).map(|k| location(document.words.symbols[k].span));
                Ok(found.unwrap_or(Value::Null))
            }
            "textDocument/references" => {
                let declaration = params["context"]["includeDeclaration"] != json!(false);
                let found = symbol_at(at()?).map(|k| {
                    let own = document.words.symbols[k].span;
                    let all = document.words.occurrences(k);
                    let all = all.filter(|span| declaration || *span != own);
                    all.map(location).collect::<Vec<_>>()
                });
                answer(found)
            }
            "textDocument/documentHighlight" => {
                let found = symbol_at(at()?).map(|k| {
                    let all = document.words.occurrences(k);
                    all.map(|span| json!({ "range": document.range(span) }))
                        .collect::<Vec<_>>()
                });
                answer(found)
            }
            "textDocument/prepareRename" => {
                let found = rename::renamable(document, at()?);
                answer(found.map(|span| document.range(span)))
            }
            "textDocument/rename" => {
                let name = params["newName"].as_str().unwrap_or_default();
                let found = rename::rename(document, at()?, name).map_err(Refusal::Invalid)?;
                Ok(json!({ "changes": { uri: self.text_edits(document, found) } }))
            }
            "textDocument/inlayHint" => answer(explain::inlays(document, range(&params["range"])?)),
            "textDocument/semanticTokens/full" => answer(SemanticTokens {
                result_id: None,
                data: outline::semantic_tokens(document),
            }),
            "textDocument/foldingRange" => answer(outline::folds(document)),
            "textDocument/documentSymbol" => Ok(outline::symbols(document)),
            "textDocument/codeLens" => Ok(outline::lenses(document, uri)),
            "textDocument/formatting" => {
                let found = edits(&document.text, &format(&document.text));
                answer(self.text_edits(document, found))
            }
            "textDocument/codeAction" => self.actions(document, uri, range(&params["range"])?),
            _ => Err(Refusal::UnknownMethod),
        }
    }

    fn text_edits(&self, document: &Document, list: Vec<(Span, String)>) -> Vec<TextEdit> {
        let edit = |(span, text): (Span, String)| TextEdit::new(document.range(span), text);
        list.into_iter().map(edit).collect()
    }

    /// Corrections of the problems in a range.
    fn actions(&self, document: &Document, uri: &str, range: Range) -> Result<Value, Refusal> {
        let (from, to) = (document.byte(range.start), document.byte(range.end));
        let problems = document.analysis.problems.iter();
        let touched = problems.filter(|p| p.span().is_some_and(|s| s.start <= to && from <= s.end));
        let mut list = Vec::new();
        for problem in touched.take(MAX_FIXED_PROBLEMS) {
            for fix in fix::fixes(document, problem) {
                list.push(json!({
                    "title": fix.title,
                    "kind": "quickfix",
                    "isPreferred": true,
                    "diagnostics": [diagnostic(document, problem)],
                    "edit": { "changes": { uri: self.text_edits(document, fix.edits) } },
                }));
            }
        }
        Ok(json!(list))
    }
}

/// The most problems for which corrections are looked for at once.
const MAX_FIXED_PROBLEMS: usize = 20;

/// The requests that are answered.
const METHODS: [&str; 15] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/foldingRange",
    "textDocument/documentSymbol",
    "textDocument/codeLens",
    "textDocument/formatting",
    "textDocument/codeAction",
];
