//! Functions given by tables: `table f(s) = …` and `table f(s) from "file.csv" …`.

use crate::code::SyntaxCode;
use crate::cursor::Cursor;
use crate::tree::{Kind, Name, TableSource};

/// The form of a table in a file, for hints.
const FILE_HINT: &str = "write table f(s) from \"file.csv\" columns \"t\", \"steer\" cubic";

impl Cursor<'_> {
    /// `f(s) = [(0, 1), …] linear` or `f(s) from "file.csv" columns "t", "steer" cubic`
    pub(super) fn table(&mut self) -> Option<Kind> {
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
        let path = self.quoted("the path of a file in quotes", FILE_HINT)?;
        if !self.take_word("columns") {
            return Some(TableSource::File {
                path,
                columns: None,
            });
        }
        let knots = self.quoted("the name of a column in quotes", FILE_HINT)?;
        self.expect(",", "columns names two columns: columns \"t\", \"steer\"")
            .then_some(())?;
        let values = self.quoted("the name of a column in quotes", FILE_HINT)?;
        Some(TableSource::File {
            path,
            columns: Some([knots, values]),
        })
    }
}
