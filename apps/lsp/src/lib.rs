//! The language server of Galilei: diagnostics with corrections, explanations, completions, navigation, renaming and formatting
//! for models, in every editor that speaks the language server protocol.
//!
//! [`Service`] has the documents and answers requests; it knows neither processes nor standard input. [`serve`] connects it
//! to an editor. What takes time, the [`Analysis`] of a model, is computed by a process of its own, which is stopped when
//! the text changes or a time limit is reached.
//!
//! ```
//! use galilei_lsp::Service;
//! use serde_json::json;
//! let mut service = Service::default();
//! service.open("m.gal", "coord x [m]\nkinetic: x'^2/2\n".into(), 1);
//! let params = json!({ "textDocument": { "uri": "m.gal" }, "position": { "line": 1, "character": 9 } });
//! let place = service.answer("textDocument/definition", &params).unwrap();
//! assert_eq!(place["range"]["start"], json!({ "line": 0, "character": 6 }));
//! ```

mod analysis;
#[cfg(not(target_family = "wasm"))]
mod child;
mod complete;
mod document;
mod explain;
mod fix;
mod outline;
mod position;
mod rename;
#[cfg(not(target_family = "wasm"))]
mod server;
mod service;
mod words;

pub use analysis::{Analysis, Named, Problem};
#[cfg(not(target_family = "wasm"))]
pub use child::{Outcome, Program};
pub use document::Document;
pub use fix::{Fix, fixes};
pub use position::LineIndex;
#[cfg(not(target_family = "wasm"))]
pub use server::serve;
pub use service::{COMMANDS, Refusal, Service, capabilities, diagnostic};
pub use words::{Piece, Role, Space, Symbol, Word, Words};
