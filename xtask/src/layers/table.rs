//! The table of crates in ARCHITECTURE.md: folders, and what each may use.

use std::collections::{BTreeMap, BTreeSet};

/// A folder of the table.
#[derive(Debug)]
struct Entry {
    /// The folder as written, without a trailing slash: `crates/expr`.
    folder: String,
    /// The number of its row. Folders of one row may not use each other.
    row: usize,
    /// Short names of the crates its row allows, not yet those they allow in turn.
    named: BTreeSet<String>,
}

/// The table: the folders in order, each with the short names it may use.
#[derive(Debug)]
pub(crate) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// Reads the first markdown table whose header has the columns `folder` and `may use`.
    ///
    /// Folders are in backquotes, several in one cell if they share a row. In `may use` only words that are
    /// short names of the table count; `all above` means every row before, and other words are remarks.
    pub(crate) fn parse(markdown: &str) -> Result<Table, String> {
        let mut lines = markdown.lines();
        let (folder, may_use) = lines
            .by_ref()
            .map(cells)
            .find_map(|header| {
                let column = |name: &str| header.iter().position(|cell| cell == name);
                Some((column("folder")?, column("may use")?))
            })
            .ok_or("ARCHITECTURE.md has no table with the columns `folder` and `may use`")?;
        let rows: Vec<(Vec<String>, String)> = lines
            .skip(1)
            .map_while(|line| line.trim_start().starts_with('|').then(|| cells(line)))
            .map(|row| {
                let cell = |column: usize| row.get(column).map_or("", String::as_str);
                (quoted(cell(folder)), cell(may_use).to_string())
            })
            .collect();

        let mut entries: Vec<Entry> = Vec::new();
        let known: BTreeSet<&str> = rows
            .iter()
            .flat_map(|(folders, _)| folders)
            .map(|folder| short(folder))
            .collect();
        for (row, (folders, may_use)) in rows.iter().enumerate() {
            let named: BTreeSet<String> = if may_use.contains("all above") {
                entries
                    .iter()
                    .map(|entry| short(&entry.folder).to_string())
                    .collect()
            } else {
                words(may_use)
                    .filter(|word| known.contains(word))
                    .map(str::to_string)
                    .collect()
            };
            for folder in folders {
                if entries
                    .iter()
                    .any(|entry| short(&entry.folder) == short(folder))
                {
                    return Err(format!("ARCHITECTURE.md names `{}` twice", short(folder)));
                }
                entries.push(Entry {
                    folder: folder.clone(),
                    row,
                    named: named.clone(),
                });
            }
        }
        Ok(Table { entries })
    }

    /// The row of a folder, if the table has it.
    pub(crate) fn row(&self, folder: &str) -> Option<usize> {
        self.entries
            .iter()
            .find(|entry| entry.folder == folder)
            .map(|entry| entry.row)
    }

    /// For every folder the short names it may use: those of its row, and what those may use.
    pub(crate) fn allowed(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut allowed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        // Rows only allow rows above them (`upward` says where not), so one pass downwards is the closure.
        for entry in &self.entries {
            let mut all = BTreeSet::new();
            for name in &entry.named {
                all.insert(name.as_str());
                if let Some(used) = self.folder(name).and_then(|folder| allowed.get(folder)) {
                    all.extend(used);
                }
            }
            allowed.insert(&entry.folder, all);
        }
        allowed
    }

    /// The rows that allow a crate which is not above them, as sentences.
    pub(crate) fn upward(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in &self.entries {
            for name in &entry.named {
                let above = self
                    .folder(name)
                    .and_then(|folder| self.row(folder))
                    .is_some_and(|row| row < entry.row);
                if !above {
                    found.push(format!(
                        "ARCHITECTURE.md lets {} use `{name}`, which is not above it in the table",
                        entry.folder
                    ));
                }
            }
        }
        found
    }

    fn folder(&self, name: &str) -> Option<&str> {
        self.entries
            .iter()
            .map(|entry| entry.folder.as_str())
            .find(|folder| short(folder) == name)
    }
}

/// The short name of a folder: its last component.
pub(crate) fn short(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The cells of a table line, trimmed; `\|` does not separate.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.replace("\\|", "\u{0}")
        .split('|')
        .map(|cell| cell.replace('\u{0}', "|").trim().to_string())
        .collect()
}

/// The texts in backquotes, without trailing slashes.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(|folder| folder.trim_end_matches('/').to_string())
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# House

| other | table |
| --- | --- |
| `crates/none` | x |

| folder | holds | may use | does not know |
| --- | --- | --- | --- |
| `crates/expr` | numbers \\| names | – | mass |
| `crates/tape` | code | expr | mechanics |
| `crates/run` | steppers | tape (through a `Kernel` trait) | – |
| `crates/all` | everything | all above | terminals |
| `apps/cli` `apps/web` | commands | all | – |
| `bench/` | figures | | |

after
";

    #[test]
    fn folders_and_rows_are_read() {
        let table = Table::parse(TEXT).expect("a table");
        assert_eq!(table.row("crates/expr"), Some(0));
        assert_eq!(table.row("apps/cli"), table.row("apps/web"));
        assert_eq!(table.row("bench"), Some(5));
        assert_eq!(table.row("crates/none"), None);
        assert!(table.upward().is_empty());
    }

    #[test]
    fn remarks_do_not_count_and_permission_is_inherited() {
        let table = Table::parse(TEXT).expect("a table");
        let allowed = table.allowed();
        assert!(allowed["crates/expr"].is_empty());
        assert_eq!(allowed["crates/run"], BTreeSet::from(["tape", "expr"]));
        assert_eq!(
            allowed["crates/all"],
            BTreeSet::from(["tape", "expr", "run"])
        );
        assert!(allowed["apps/cli"].contains("expr"));
        assert!(!allowed["apps/cli"].contains("web"));
    }

    #[test]
    fn a_row_that_allows_a_crate_below_it_is_named() {
        let text = TEXT.replace("| – | mass |", "| tape | mass |");
        let upward = Table::parse(&text).expect("a table").upward();
        assert_eq!(upward.len(), 1);
        assert!(upward[0].contains("crates/expr") && upward[0].contains("`tape`"));
    }

    #[test]
    fn short_names_are_unique() {
        let text = TEXT.replace("apps/web", "apps/tape");
        assert!(Table::parse(&text).expect_err("twice").contains("`tape`"));
    }

    #[test]
    fn a_text_without_the_table_is_refused() {
        assert!(Table::parse("| a | b |\n| - | - |\n").is_err());
    }
}
