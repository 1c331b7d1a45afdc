//! Declarations: constants, coordinates, parameters, abbreviations, functions.

use galilei_expr::{Expr, Interpolation, Rational};
use galilei_syntax::{Declaration, Expression, File, Kind, Name};

use crate::code::Code;
use crate::diagnostic::nearest;
use crate::dimension::{self, Dimension, Unit};
use crate::manifold::{Charts, Manifold, ManifoldKind};
use crate::reader::{
    BUILT_IN, Callable, Coordinate, Definition, InputUnit, Meaning, Parameter, Reader, is_reserved,
};
use crate::tables::declare_table;
use crate::value::Value;

/// Coordinates on spheres a model may have: each doubles the number of charts.
const MAX_SPHERES: usize = 5;
/// Coordinates a model may have.
pub(crate) const MAX_COORDINATES: usize = 4096;

pub(crate) fn declare<'p, 's>(
    r: &mut Reader<'p, 's>,
    file: &'s File,
    overrides: &[(String, Rational, Option<Expr<'p>>)],
    used: &mut [bool],
) {
    let mut constants: Vec<&'s Declaration> = Vec::new();
    for s in &file.statements {
        match &s.kind {
            Kind::Const(list) => constants.extend(list),
            Kind::Param(list)
            | Kind::Coord(list)
            | Kind::Let(list)
            | Kind::Function(list)
            | Kind::Input(list) => {
                for d in list {
                    r.declared.insert(d.name.text.clone(), d.name.span);
                }
            }
            _ => {}
        }
    }
    // A unit of time anywhere makes time a number of seconds.
    for s in &file.statements {
        let (Kind::Param(list) | Kind::Coord(list) | Kind::Input(list)) = &s.kind else {
            continue;
        };
        for written in list.iter().filter_map(|d| d.unit.as_ref()) {
            if dimension::unit(written).is_ok_and(|u| u.dimension.mentions_time()) {
                let time = r.time_dimension.clone();
                r.unifier.equate(&time, &Dimension::second());
            }
        }
    }
    declare_constants(r, constants, overrides, used);
    for s in &file.statements {
        if let Kind::Coord(list) = &s.kind {
            for d in list {
                declare_coordinate(r, d);
            }
        }
    }
    for s in &file.statements {
        if let Kind::Param(list) = &s.kind {
            for d in list {
                declare_parameter(r, d, overrides, used);
            }
        }
    }
    for s in &file.statements {
        match &s.kind {
            Kind::Let(list) => {
                for d in list {
                    declare_let(r, d, None);
                }
            }
            Kind::Input(list) => {
                for d in list {
                    let unit = read_unit(r, d);
                    let dimension = match &unit {
                        Some(u) => u.dimension.clone(),
                        None => r.unifier.unknown(),
                    };
                    declare_let(r, d, Some(InputUnit { unit, dimension }));
                }
            }
            Kind::Table {
                name,
                argument,
                source,
                interpolation,
            } => {
                repeated(r, std::slice::from_ref(argument));
                let table = declare_table(r, name, source, interpolation, s.span);
                // What uses a table that could not be read is not reported.
                let unknown = [r.unifier.unknown(), r.unifier.unknown()];
                let [input, output] = unknown;
                let table = table.unwrap_or(Callable::Table(input, output, Interpolation::Cubic));
                callable(r, name, table);
            }
            Kind::Function(list) => {
                for d in list {
                    let arguments = d.parameters.as_deref().unwrap_or_default();
                    repeated(r, arguments);
                    let inputs = arguments.iter().map(|_| r.unifier.unknown()).collect();
                    let output = r.unifier.unknown();
                    callable(r, &d.name, Callable::Undetermined(inputs, output));
                }
            }
            _ => {}
        }
    }
    r.declared.clear();
}

/// Constants may refer to each other in any order.
fn declare_constants<'p, 's>(
    r: &mut Reader<'p, 's>,
    mut waiting: Vec<&'s Declaration>,
    overrides: &[(String, Rational, Option<Expr<'p>>)],
    used: &mut [bool],
) {
    loop {
        let before = waiting.len();
        let mut rest = Vec::new();
        for d in waiting {
            let said = r.diagnostics.len();
            let given = overrides.iter().position(|o| o.0 == d.name.text);
            let value = match given {
                Some(k) => {
                    used[k] = true;
                    let n = overrides[k].1.to_i64();
                    if n.is_none() || overrides[k].2.is_some() {
                        r.error(
                            Code::NotAnInteger,
                            format!("the constant `{}` must be an integer", d.name.text),
                            "constants are known while the file is read",
                            None,
                        );
                        declare_name(r, &d.name, Meaning::Broken);
                        continue;
                    }
                    n
                }
                None => d.value.as_ref().and_then(|e| r.integer(e, "a constant")),
            };
            match value {
                Some(n) => declare_name(r, &d.name, Meaning::Constant(n)),
                None => {
                    r.diagnostics.truncate(said);
                    rest.push(d);
                }
            }
        }
        waiting = rest;
        if waiting.is_empty() || waiting.len() == before {
            break;
        }
    }
    for d in waiting {
        if let Some(e) = &d.value {
            r.integer(e, "a constant");
        }
        // Known as broken, so that what uses it is not reported again.
        r.names
            .entry(d.name.text.clone())
            .or_insert((Meaning::Broken, d.name.span));
    }
}

fn declare_name(r: &mut Reader<'_, '_>, name: &Name, meaning: Meaning) {
    if is_reserved(&name.text) {
        r.reserved(name);
        return;
    }
    if let Some((_, first)) = r.names.get(&name.text).copied() {
        if r.diagnostics.len() > galilei_syntax::MAX_ERRORS {
            return;
        }
        let (first, second) = (first.min(name.span), first.max(name.span));
        let line = r.line(first);
        r.error(
            Code::DuplicateName,
            format!("`{}` is already declared in line {line}", name.text),
            "choose another name; parameters, coordinates, constants and abbreviations share one space",
            second,
        );
        return;
    }
    r.names.insert(name.text.clone(), (meaning, name.span));
}

fn callable(r: &mut Reader<'_, '_>, name: &Name, callable: Callable) {
    if galilei_expr::Function::from_name(&name.text).is_some()
        || BUILT_IN.contains(&name.text.as_str())
    {
        r.error(
            Code::ReservedName,
            format!("`{}` is a function of the language", name.text),
            "choose another name",
            name.span,
        );
        return;
    }
    if let Some((_, first)) = r.callables.get(&name.text) {
        if r.diagnostics.len() > galilei_syntax::MAX_ERRORS {
            return;
        }
        let line = r.line(*first);
        r.error(
            Code::DuplicateName,
            format!(
                "the function `{}` is already declared in line {line}",
                name.text
            ),
            "choose another name",
            name.span,
        );
        return;
    }
    r.callables.insert(name.text.clone(), (callable, name.span));
}

pub(crate) fn repeated(r: &mut Reader<'_, '_>, arguments: &[Name]) {
    for (k, a) in arguments.iter().enumerate() {
        if arguments[..k].iter().any(|b| b.text == a.text) {
            r.error(
                Code::DuplicateName,
                format!("`{}` occurs twice in this list", a.text),
                "choose another name",
                a.span,
            );
        }
        if is_reserved(&a.text) && a.text != "t" {
            r.reserved(a);
        }
    }
}

fn read_unit(r: &mut Reader<'_, '_>, d: &Declaration) -> Option<Unit> {
    let written = d.unit.as_ref()?;
    match dimension::unit(written) {
        Ok(u) => Some(u),
        Err(_) if r.diagnostics.len() > galilei_syntax::MAX_ERRORS => None,
        Err(e) => {
            let near =
                dimension::spelt_out(&e.name).or_else(|| nearest(&e.name, dimension::unit_names()));
            let hint = match near {
                Some(w) => format!("did you mean `{w}`?"),
                None => "units are SI names with prefixes: kg, m, s, N, J, rad, deg, rpm, …".into(),
            };
            r.error(
                Code::UnknownUnit,
                format!("`{}` is no unit", e.name),
                hint,
                e.span,
            );
            None
        }
    }
}

fn unit_text(r: &Reader<'_, '_>, d: &Declaration) -> Option<String> {
    let text = r.text(d.unit.as_ref()?.span);
    Some(
        text.trim_start_matches('[')
            .trim_end_matches(']')
            .trim()
            .to_owned(),
    )
}

/// The unit in SI units.
pub(crate) fn scale<'p>(r: &Reader<'p, '_>, unit: Option<&Unit>) -> Expr<'p> {
    match unit {
        None => r.pool.one(),
        Some(u) => r.pool.number(u.factor.clone()) * r.pool.pi().pow(u.pi),
    }
}

fn declare_coordinate<'s>(r: &mut Reader<'_, 's>, d: &'s Declaration) {
    if let Some(kind) = (d.manifold.as_ref()).and_then(|m| ManifoldKind::from_word(&m.text)) {
        declare_point(r, d, kind);
        return;
    }
    let unit = read_unit(r, d);
    let text = unit_text(r, d);
    let range = match &d.range {
        None => None,
        Some(range) => match r.range(range) {
            Some(range) => Some(range),
            None => {
                r.names
                    .entry(d.name.text.clone())
                    .or_insert((Meaning::Broken, d.name.span));
                return;
            }
        },
    };
    let first = r.coordinates.len();
    let names: Vec<String> = match range {
        None => vec![d.name.text.clone()],
        Some((low, high)) => (low..=high)
            .map(|k| format!("{}[{k}]", d.name.text))
            .collect(),
    };
    if first + names.len() > MAX_COORDINATES {
        r.error(
            Code::TooManyCoordinates,
            format!(
                "a model may have {MAX_COORDINATES} coordinates; with `{}` there are {}",
                d.name.text,
                first + names.len()
            ),
            "make the family smaller",
            d.span,
        );
        r.names
            .entry(d.name.text.clone())
            .or_insert((Meaning::Broken, d.name.span));
        return;
    }
    let meaning = match range {
        None => Meaning::Coordinate(first),
        Some((low, _)) => Meaning::Coordinates(low, first, names.len()),
    };
    let known = r.names.contains_key(&d.name.text) || is_reserved(&d.name.text);
    declare_name(r, &d.name, meaning);
    if known {
        return;
    }
    for name in names {
        let dimension = unit
            .as_ref()
            .map_or_else(|| r.unifier.unknown(), |u| u.dimension.clone());
        r.coordinates.push(Coordinate {
            position: r.pool.symbol(&name),
            velocity: r.pool.symbol(&format!("{name}'")),
            dimension,
            unit: unit.clone(),
            unit_text: text.clone(),
            name,
        });
    }
}

/// `coord n on sphere`: a point of a manifold, with the coordinates of a chart.
fn declare_point<'s>(r: &mut Reader<'_, 's>, d: &'s Declaration, kind: ManifoldKind) {
    let broken = |r: &mut Reader<'_, 's>| {
        let entry = r.names.entry(d.name.text.clone());
        entry.or_insert((Meaning::Broken, d.name.span));
    };
    if let Some(unit) = &d.unit {
        r.error(
            Code::DimensionMismatch,
            format!(
                "a point of the {} is a pure number and has no unit",
                kind.word()
            ),
            "give lengths to what is multiplied by it, such as l*n with `param l [m]`",
            unit.span,
        );
        return broken(r);
    }
    let indices: Vec<Option<i64>> = match &d.range {
        None => vec![None],
        Some(range) => match r.range(range) {
            Some((low, high)) => (low..=high).map(Some).collect(),
            None => return broken(r),
        },
    };
    let first = r.coordinates.len();
    let count = first + indices.len() * kind.dimension();
    let spheres = |r: &Reader<'_, '_>| {
        let list = r.manifolds.iter();
        list.filter(|m| m.kind == ManifoldKind::Sphere).count()
    };
    if count > MAX_COORDINATES {
        r.error(
            Code::TooManyCoordinates,
            format!(
                "a model may have {MAX_COORDINATES} coordinates; with `{}` there are {count}",
                d.name.text
            ),
            "make the family smaller",
            d.span,
        );
        return broken(r);
    }
    if kind == ManifoldKind::Sphere && spheres(r) + indices.len() > MAX_SPHERES {
        r.error(
            Code::NotAvailable,
            format!("a model may have {MAX_SPHERES} coordinates on spheres, each of which doubles the number of charts"),
            "use angles, or unit vectors as coordinates with a constraint `dot(n, n) = 1`",
            d.span,
        );
        return broken(r);
    }
    let place = r.manifolds.len();
    let known = r.names.contains_key(&d.name.text) || is_reserved(&d.name.text);
    let meaning = match (&d.range, indices.first()) {
        (Some(_), Some(Some(low))) => Meaning::Manifolds(*low, place, indices.len()),
        (Some(_), _) => Meaning::Manifolds(1, place, 0),
        (None, _) => Meaning::Manifold(place),
    };
    declare_name(r, &d.name, meaning);
    if known {
        return;
    }
    // What the charts call their coordinates is taken, too.
    for stem in Manifold::names(kind, Charts::Runs(0), &d.name.text, None) {
        let name = Name {
            text: stem,
            span: d.name.span,
        };
        declare_name(r, &name, Meaning::Inner(place));
    }
    for index in indices {
        let manifold = Manifold {
            name: match index {
                None => d.name.text.clone(),
                Some(k) => format!("{}[{k}]", d.name.text),
            },
            kind,
            first: r.coordinates.len(),
            bit: spheres(r),
            charts: r.charts,
            span: d.span,
        };
        for name in Manifold::names(kind, r.charts, &d.name.text, index) {
            r.coordinates.push(Coordinate {
                position: r.pool.symbol(&name),
                velocity: r.pool.symbol(&format!("{name}'")),
                dimension: Dimension::none(),
                unit: None,
                unit_text: None,
                name,
            });
        }
        r.manifolds.push(manifold);
    }
}

fn declare_parameter<'p, 's>(
    r: &mut Reader<'p, 's>,
    d: &'s Declaration,
    overrides: &[(String, Rational, Option<Expr<'p>>)],
    used: &mut [bool],
) {
    let unit = read_unit(r, d);
    let text = unit_text(r, d);
    let first = r.parameters.len();
    let known = r.names.contains_key(&d.name.text) || is_reserved(&d.name.text);
    let mut member = |r: &mut Reader<'p, 's>, name: String| {
        let dimension = match &unit {
            Some(u) => u.dimension.clone(),
            None => r.unifier.unknown(),
        };
        let factor = scale(r, unit.as_ref());
        let given = overrides.iter().position(|o| o.0 == name);
        let mut value = None;
        if let Some(k) = given {
            used[k] = true;
            let number = overrides[k]
                .2
                .unwrap_or_else(|| r.pool.number(overrides[k].1.clone()));
            value = Some(number * factor);
        } else if let Some(e) = &d.value {
            let v = r.read(e);
            value = v.and_then(|v| parameter_value(r, &v, e, &dimension, factor));
        }
        r.parameters.push(Parameter {
            symbol: r.pool.symbol(&name),
            name,
            dimension,
            unit: text.clone(),
            scale: factor,
            value,
            span: d.name.span,
        });
    };
    match &d.binder {
        None => {
            member(r, d.name.text.clone());
            declare_name(r, &d.name, Meaning::Parameter(first));
        }
        Some(binder) => {
            let Some((low, high)) = r.range(&binder.range) else {
                r.names
                    .entry(d.name.text.clone())
                    .or_insert((Meaning::Broken, d.name.span));
                return;
            };
            let variable = binder.variable.text.clone();
            for k in low..=high {
                let value = Value::number(r.pool.number(k));
                r.locals.push((variable.clone(), value));
                member(r, format!("{}[{k}]", d.name.text));
                r.locals.pop();
            }
            let count = r.parameters.len() - first;
            declare_name(r, &d.name, Meaning::Parameters(low, first, count));
        }
    }
    if known {
        r.parameters.truncate(first);
    }
}

/// The default of a parameter: a number takes the unit, anything else must agree with it.
fn parameter_value<'p>(
    r: &mut Reader<'p, '_>,
    v: &Value<'p>,
    e: &Expression,
    dimension: &Dimension,
    factor: Expr<'p>,
) -> Option<Expr<'p>> {
    let (x, d) = r.scalar(v, e)?;
    if let Some(place) = v.uses.state {
        r.error(
            Code::NotConstant,
            "a parameter does not change in time: it uses only earlier parameters and numbers",
            "use `let` for something that depends on t or the coordinates",
            place,
        );
        return None;
    }
    if !v.uses.symbols {
        return Some(x * factor);
    }
    r.fits(&d, e, dimension, "the parameter")?;
    Some(x)
}

fn declare_let<'s>(r: &mut Reader<'_, 's>, d: &'s Declaration, input: Option<InputUnit>) {
    let place = r.definitions.len();
    if let Some(arguments) = &d.parameters {
        repeated(r, arguments);
        r.definitions.push(Definition {
            declaration: d,
            range: None,
            input: None,
        });
        callable(r, &d.name, Callable::Own(place));
        return;
    }
    let range = match (&d.binder, &d.member) {
        (None, None) => None,
        (None, Some(index)) => match r.integer(index, "an index") {
            Some(k) => Some((k, k)),
            None => {
                broken_family(r, d);
                return;
            }
        },
        (Some(binder), _) => match r.range(&binder.range) {
            Some(range) => Some(range),
            None => {
                broken_family(r, d);
                return;
            }
        },
    };
    r.definitions.push(Definition {
        declaration: d,
        range,
        input,
    });
    let Some((low, high)) = range else {
        declare_name(r, &d.name, Meaning::Let(place));
        return;
    };
    // A family may have several definitions, such as its first member and the others.
    let known = r.families.get(&d.name.text).map_or(&[][..], Vec::as_slice);
    if known.is_empty() {
        declare_name(r, &d.name, Meaning::Let(place));
        if !matches!(r.names.get(&d.name.text), Some((Meaning::Let(p), _)) if *p == place) {
            return;
        }
    } else if let Some(&(first, last, other)) = known
        .iter()
        .find(|p| p.0 <= high && low <= p.1 && low <= high)
    {
        let line = r.line(r.definitions[other].declaration.name.span);
        let k = low.max(first).min(last);
        r.error(
            Code::DuplicateName,
            format!("`{}[{k}]` is already defined in line {line}", d.name.text),
            "the definitions of a family have different indices",
            d.name.span,
        );
        return;
    }
    r.families
        .entry(d.name.text.clone())
        .or_default()
        .push((low, high, place));
}

/// A family whose indices are not known: its name is, so that what uses it is not reported again.
fn broken_family(r: &mut Reader<'_, '_>, d: &Declaration) {
    if r.families.contains_key(&d.name.text) {
        return;
    }
    declare_name(r, &d.name, Meaning::Broken);
}
