//! `table`: functions of one variable given by values.

use galilei_expr::{Interpolation, Table};
use galilei_syntax::{Expression, Name, Span, TableSource, nearest};

use crate::code::Code;
use crate::data::{Column, DataError, read_columns};
use crate::dimension::{Dimension, Unit};
use crate::reader::{Callable, Reader};

/// The smallest number of knots of a table.
const MIN_KNOTS: usize = 2;

/// The knots and values of a table with the dimensions of both.
struct Data {
    knots: Vec<f64>,
    values: Vec<f64>,
    dimensions: [Option<Dimension>; 2],
}

/// Declares a table: reads its data and gives them to the function of its name.
pub(crate) fn declare_table<'s>(
    r: &mut Reader<'_, 's>,
    name: &'s Name,
    source: &'s TableSource,
    interpolation: &'s Name,
    span: Span,
) -> Option<Callable> {
    let words = Interpolation::ALL.map(|i| i.0);
    let Some(found) = Interpolation::ALL
        .iter()
        .find(|i| i.0 == interpolation.text)
    else {
        r.error(
            Code::UnknownInterpolation,
            format!("`{}` is no interpolation", interpolation.text),
            match nearest(&interpolation.text, words) {
                Some(word) => format!("did you mean `{word}`?"),
                None => "write linear, cubic, periodic or steps".to_owned(),
            },
            interpolation.span,
        );
        return None;
    };
    let interpolation = found.1;
    let data = match source {
        TableSource::Inline(entries) => inline(r, entries)?,
        TableSource::File { path, columns } => {
            let read = from_file(r, path, columns.as_ref());
            match read {
                Ok(data) => data,
                Err((why, place)) => {
                    r.error(why.code, why.message, why.hint, place);
                    return None;
                }
            }
        }
    };
    if data.knots.len() < MIN_KNOTS {
        r.error(
            Code::TableTooShort,
            format!("the table `{}` has {} rows", name.text, data.knots.len()),
            "a table has at least two rows",
            span,
        );
        return None;
    }
    if let Some(k) = data.knots.windows(2).position(|w| w[0] >= w[1]) {
        let [before, after] = [data.knots[k], data.knots[k + 1]];
        r.error(
            Code::TableNotIncreasing,
            format!(
                "the table `{}` is not increasing: row {} has {after} behind {before}",
                name.text,
                k + 2
            ),
            "sort the rows by their first entry, and give each of them once",
            span,
        );
        return None;
    }
    if interpolation == Interpolation::Periodic
        && let [first, .., last] = data.values[..]
        && first != last
    {
        r.error(
            Code::TableNotPeriodic,
            format!(
                "the table `{}` is not periodic: its first value is {first}, its last {last}",
                name.text
            ),
            "a periodic table begins and ends with the same value, one period apart",
            span,
        );
        return None;
    }
    let Some(table) = Table::new(data.knots, data.values, interpolation) else {
        r.error(
            Code::TableNotANumber,
            format!("the table `{}` has a value that is not a number", name.text),
            "all entries are finite numbers",
            span,
        );
        return None;
    };
    r.pool.table(&name.text, table);
    let [input, output] = data
        .dimensions
        .map(|d| d.unwrap_or_else(|| r.unifier.unknown()));
    Some(Callable::Table(input, output, interpolation))
}

fn not_a_number(name: &str, row: usize, text: &str) -> DataError {
    let what = match text.is_empty() {
        true => "nothing".to_owned(),
        false => format!("`{text}`"),
    };
    DataError {
        code: Code::TableNotANumber,
        message: format!("row {row} of {name} has {what} where a number is needed"),
        hint: "all entries of a table are finite numbers; leave out rows without a value".into(),
    }
}

/// The entries of a table in the model.
fn inline<'s>(r: &mut Reader<'_, 's>, entries: &'s [(Expression, Expression)]) -> Option<Data> {
    let (mut knots, mut values) = (Vec::new(), Vec::new());
    for (k, (knot, value)) in entries.iter().enumerate() {
        for (e, list) in [(knot, &mut knots), (value, &mut values)] {
            let v = r.read(e)?;
            let (x, _) = r.scalar(&v, e)?;
            if v.uses.symbols || v.uses.state.is_some() {
                r.error(
                    Code::NotConstant,
                    format!("row {} of a table is made of numbers, not of `{}`", k + 1, r.text(e.span)),
                    "write numbers and constants; multiply the table by a parameter where it is used",
                    e.span,
                );
                return None;
            }
            let number = x.evaluate_f64(&[]);
            if !number.is_finite() {
                let why = not_a_number("the table", k + 1, r.text(e.span));
                r.error(why.code, why.message, why.hint, e.span);
                return None;
            }
            list.push(number);
        }
    }
    Some(Data {
        knots,
        values,
        dimensions: [None, None],
    })
}

/// The columns of a table in a file.
fn from_file(
    r: &Reader<'_, '_>,
    path: &Name,
    names: Option<&[Name; 2]>,
) -> Result<Data, (DataError, Span)> {
    let at = |span: Span| move |e: DataError| (e, span);
    let file = r.folder.resolve(&path.text).map_err(at(path.span))?;
    let columns = read_columns(&file).map_err(at(path.span))?;
    let find = |name: &Name| -> Result<&Column, (DataError, Span)> {
        let found = columns.iter().find(|c| c.name == name.text);
        found.ok_or_else(|| {
            let known: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            let hint = match nearest(&name.text, known.iter().copied()) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("its columns are {}", known.join(", ")),
            };
            let why = DataError {
                code: Code::TableColumnMissing,
                message: format!("`{}` has no column `{}`", path.text, name.text),
                hint,
            };
            (why, name.span)
        })
    };
    let pair = match names {
        Some([knots, values]) => [(find(knots)?, knots.span), (find(values)?, values.span)],
        None => match &columns[..] {
            [knots, values] => [(knots, path.span), (values, path.span)],
            _ => {
                let why = DataError {
                    code: Code::TableColumnMissing,
                    message: format!("`{}` has {} columns, not two", path.text, columns.len()),
                    hint: "name the two: columns \"t\", \"steer\"".into(),
                };
                return Err((why, path.span));
            }
        },
    };
    let mut lists = [vec![], vec![]];
    let mut dimensions = [None, None];
    for (k, (column, span)) in pair.into_iter().enumerate() {
        let unit = column.read_unit().map_err(at(span))?;
        let scale = column.scale().map_err(at(span))?;
        dimensions[k] = unit.map(|u: Unit| u.dimension);
        for (row, value) in column.values.iter().enumerate() {
            let name = format!("the column `{}`", column.name);
            let value = value.as_ref();
            let value = value.map_err(|text| (not_a_number(&name, row + 1, text), span))?;
            lists[k].push(value * scale);
        }
    }
    let [knots, values] = lists;
    if knots.len() != values.len() {
        let why = DataError {
            code: Code::TableNotANumber,
            message: format!("the columns have {} and {} rows", knots.len(), values.len()),
            hint: "both columns have one entry for each row".into(),
        };
        return Err((why, path.span));
    }
    Ok(Data {
        knots,
        values,
        dimensions,
    })
}
