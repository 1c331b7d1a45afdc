//! The crates of the workspace and their dependencies on each other, from cargo.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// A crate of the workspace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// The folder relative to the root: `crates/expr`.
    pub(crate) folder: String,
    /// Its cargo name: `galilei-expr`.
    pub(crate) package: String,
    /// The crates of the workspace it depends on.
    pub(crate) uses: Vec<Use>,
}

/// A dependency between two crates of the workspace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Use {
    /// Folder of the crate depended on.
    pub(crate) folder: String,
    /// `normal`, `build` or `dev`.
    pub(crate) kind: String,
}

/// The members from `cargo metadata`, with their dependencies of every kind on other members.
pub(crate) fn members(metadata: &Value) -> Result<Vec<Member>, String> {
    let incomplete = || "cargo metadata is not of the expected form".to_string();
    let root = metadata["workspace_root"].as_str().ok_or_else(incomplete)?;
    let packages = metadata["packages"].as_array().ok_or_else(incomplete)?;
    let mut folders = BTreeMap::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str().ok_or_else(incomplete)?;
        let absolute = Path::new(manifest).parent().ok_or_else(incomplete)?;
        let folder = absolute
            .strip_prefix(root)
            .map_err(|_| format!("{} is outside the repository", absolute.display()))?;
        let folder = folder.to_string_lossy().replace('\\', "/");
        folders.insert(absolute.to_path_buf(), folder);
    }
    let mut members = Vec::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str().ok_or_else(incomplete)?;
        let absolute = Path::new(manifest).parent().ok_or_else(incomplete)?;
        let dependencies = package["dependencies"].as_array().ok_or_else(incomplete)?;
        let uses = dependencies
            .iter()
            .filter_map(|dependency| {
                let path = Path::new(dependency["path"].as_str()?);
                Some(Use {
                    folder: folders.get(path)?.clone(),
                    kind: dependency["kind"].as_str().unwrap_or("normal").to_string(),
                })
            })
            .collect();
        members.push(Member {
            folder: folders[absolute].clone(),
            package: package["name"].as_str().ok_or_else(incomplete)?.to_string(),
            uses,
        });
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dependencies_of_every_kind_are_found_by_their_folder() {
        let metadata = json!({
            "workspace_root": "/r",
            "packages": [
                {"name": "galilei-expr", "manifest_path": "/r/crates/expr/Cargo.toml",
                 "dependencies": [{"name": "serde", "path": null, "kind": null}]},
                {"name": "galilei-tape", "manifest_path": "/r/crates/tape/Cargo.toml",
                 "dependencies": [{"name": "galilei-expr", "path": "/r/crates/expr", "kind": null},
                                  {"name": "galilei-expr", "path": "/r/crates/expr", "kind": "dev"}]},
            ]
        });
        let members = members(&metadata).expect("members");
        assert!(members[0].uses.is_empty());
        let kinds: Vec<&str> = members[1].uses.iter().map(|u| u.kind.as_str()).collect();
        assert_eq!(kinds, ["normal", "dev"]);
        assert!(members[1].uses.iter().all(|u| u.folder == "crates/expr"));
    }

    #[test]
    fn other_json_is_refused() {
        assert!(members(&json!({"packages": 3})).is_err());
    }
}
