//! The rule: a dependency must be above its user in the table and be allowed by the user's row.

use super::member::Member;
use super::table::{Table, short};

/// Folders that may use any crate and that no crate may use.
const TOOLS: [&str; 2] = ["bench", "xtask"];

/// The violations of the table, one sentence each.
pub(crate) fn violations(table: &Table, members: &[Member]) -> Vec<String> {
    let mut found = table.upward();
    let allowed = table.allowed();
    for member in members {
        let folder = member.folder.as_str();
        if let Some(name) = expected_package(folder)
            && member.package != name
        {
            found.push(format!(
                "{folder}: its package is called `{}`, not `{name}`",
                member.package
            ));
        }
        let tool = TOOLS.contains(&folder);
        if !tool && table.row(folder).is_none() {
            found.push(format!("{folder}: not in the table of ARCHITECTURE.md"));
            continue;
        }
        for used in &member.uses {
            let (name, kind) = (short(&used.folder), &used.kind);
            let problem = if TOOLS.contains(&used.folder.as_str()) {
                "which nobody may use"
            } else if tool {
                continue;
            } else if table.row(&used.folder) >= table.row(folder) {
                "which is not above it in the table"
            } else if !allowed[folder].contains(name) {
                "which its row does not allow"
            } else {
                continue;
            };
            found.push(format!("{folder}: uses `{name}` ({kind}), {problem}"));
        }
    }
    found
}

/// The package name of a folder: `galilei-<short>`, and `galilei` for the façade; `None` for the tasks.
fn expected_package(folder: &str) -> Option<String> {
    match folder {
        "xtask" => None,
        "crates/galilei" => Some("galilei".to_string()),
        _ => Some(format!("galilei-{}", short(folder))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::member::Use;
    use super::*;

    const TEXT: &str = "\
| folder | holds | may use |
| --- | --- | --- |
| `crates/expr` | | – |
| `crates/geometry` | | expr |
| `crates/syntax` | | – |
| `crates/model` | | geometry |
| `crates/galilei` | | all above |
| `apps/cli` `apps/studio` | | galilei |
| `bench/` | | |
";

    fn member(folder: &str, uses: &[(&str, &str)]) -> Member {
        Member {
            folder: folder.to_string(),
            package: expected_package(folder).unwrap_or_else(|| folder.to_string()),
            uses: uses
                .iter()
                .map(|(folder, kind)| Use {
                    folder: folder.to_string(),
                    kind: kind.to_string(),
                })
                .collect(),
        }
    }

    fn house() -> Vec<Member> {
        vec![
            member("crates/expr", &[]),
            member("crates/geometry", &[("crates/expr", "normal")]),
            member("crates/syntax", &[]),
            member(
                "crates/model",
                &[("crates/geometry", "normal"), ("crates/expr", "dev")],
            ),
            member(
                "crates/galilei",
                &[("crates/syntax", "normal"), ("crates/model", "build")],
            ),
            member("apps/cli", &[("crates/galilei", "normal")]),
            member("bench", &[("crates/model", "normal"), ("apps/cli", "dev")]),
            member("xtask", &[]),
        ]
    }

    fn check(members: &[Member]) -> Vec<String> {
        violations(&Table::parse(TEXT).expect("a table"), members)
    }

    /// Checks that the workspace with one more dependency has exactly one violation, whose text contains all of `parts`.
    fn planted(user: &str, used: &str, kind: &str, parts: &[&str]) {
        let mut members = house();
        let user = members
            .iter_mut()
            .find(|member| member.folder == user)
            .expect("a member");
        user.uses.push(Use {
            folder: used.to_string(),
            kind: kind.to_string(),
        });
        let found = check(&members);
        assert_eq!(found.len(), 1, "{found:?}");
        for part in parts {
            assert!(found[0].contains(part), "{} lacks {part}", found[0]);
        }
    }

    #[test]
    fn the_house_stands() {
        assert_eq!(check(&house()), [""; 0]);
    }

    #[test]
    fn a_crate_below_is_refused() {
        planted(
            "crates/expr",
            "crates/geometry",
            "normal",
            &["crates/expr: uses `geometry`", "above"],
        );
    }

    #[test]
    fn a_dev_or_build_dependency_counts() {
        planted("crates/expr", "crates/model", "dev", &["(dev)", "above"]);
        planted(
            "crates/syntax",
            "crates/model",
            "build",
            &["(build)", "above"],
        );
    }

    #[test]
    fn a_crate_above_which_the_row_does_not_name_is_refused() {
        planted(
            "crates/model",
            "crates/syntax",
            "normal",
            &["`syntax`", "row does not allow"],
        );
    }

    #[test]
    fn folders_of_one_row_may_not_use_each_other() {
        planted("apps/cli", "apps/studio", "normal", &["`studio`", "above"]);
    }

    #[test]
    fn the_tools_are_used_by_nobody() {
        planted("crates/galilei", "bench", "dev", &["`bench`", "nobody"]);
        planted("bench", "xtask", "normal", &["`xtask`", "nobody"]);
    }

    #[test]
    fn a_folder_outside_the_table_is_refused() {
        let mut members = house();
        members.push(member("crates/extra", &[]));
        let found = check(&members);
        assert_eq!(found, ["crates/extra: not in the table of ARCHITECTURE.md"]);
    }

    #[test]
    fn a_foreign_package_name_is_refused() {
        let mut members = house();
        members[0].package = "expr".to_string();
        let found = check(&members);
        assert_eq!(
            found,
            ["crates/expr: its package is called `expr`, not `galilei-expr`"]
        );
    }
}
