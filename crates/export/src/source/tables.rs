//! Functions given by tables in other languages: their data, and a function that looks up a piece.

use std::sync::Arc;

use galilei_expr::{Interpolation, Table};
use galilei_tape::code::Code;

use super::Language;

/// The tables of some codes, each once.
pub(super) fn of_codes<'a>(codes: impl Iterator<Item = &'a Code>) -> Vec<Arc<Table>> {
    let mut list: Vec<Arc<Table>> = Vec::new();
    for table in codes.flat_map(Code::lookup_tables) {
        if !list.iter().any(|t| Arc::ptr_eq(t, table)) {
            list.push(Arc::clone(table));
        }
    }
    list
}

/// The number of a table in a list.
pub(super) fn number(list: &[Arc<Table>], table: &Arc<Table>) -> usize {
    let found = list.iter().position(|t| Arc::ptr_eq(t, table));
    found.unwrap_or(0)
}

/// The data and functions of all tables. `table_K(field, s)` is the origin (field 0) or a coefficient (fields 1 to 4) of the
/// polynomial that holds at s.
pub(super) fn source(list: &[Arc<Table>], language: Language) -> String {
    let mut text = String::new();
    for (k, table) in list.iter().enumerate() {
        let numbers = |list: &mut dyn Iterator<Item = f64>| -> String {
            let all: Vec<String> = list.map(|x| language.number(x)).collect();
            let lines: Vec<String> = all.chunks(8).map(|c| c.join(", ")).collect();
            lines.join(",\n    ")
        };
        let knots = numbers(&mut table.knots().iter().copied());
        let pieces = numbers(&mut table.coefficients().iter().flatten().copied());
        let n = table.knots().len();
        let steps = table.interpolation() == Interpolation::Steps;
        let one = match language {
            Language::C => C,
            Language::Rust => RUST,
            Language::Python => PYTHON,
            Language::Jax => JAX,
            Language::Casadi => CASADI,
            Language::Torch => TORCH,
            Language::Julia => JULIA,
        };
        let closed = match (language, steps) {
            (Language::C, _) => u8::from(!steps).to_string(),
            (Language::Rust | Language::Julia, _) => (!steps).to_string(),
            (_, true) => "False".to_owned(),
            (_, false) => "True".to_owned(),
        };
        // Lines with the period are those of periodic tables.
        let (period, shift) = match table.period() {
            Some(period) => (language.number(period), " + shift"),
            None => (String::new(), ""),
        };
        let kept = |line: &&str| table.period().is_some() || !line.contains("#PERIOD");
        let one: String = (one.lines().filter(kept)).fold(String::new(), |text, line| {
            let line = line.trim_end_matches(" // #PERIOD");
            let line = line
                .trim_end_matches("  # #PERIOD")
                .trim_end_matches(" # #PERIOD");
            text + line + "\n"
        });
        let of_field = match table.period() {
            Some(_) => " + (shift if field == 0 else 0.0)",
            None => "",
        };
        let one = one
            .replace("#PERIOD", &period)
            .replace("#SHIFT_OF_FIELD", of_field)
            .replace("#SHIFT", shift);
        // `#K` is the beginning of `#KNOTS`, and so comes last.
        let one = one
            .replace("#COUNT", &n.to_string())
            .replace("#CLOSED", &closed)
            .replace("#KNOTS", &knots)
            .replace("#PIECES", &pieces)
            .replace("#K", &k.to_string());
        text.push('\n');
        text.push_str(&one);
    }
    text
}

const C: &str = "\
static const double table_#K_knots[#COUNT] = {
    #KNOTS
};
static const double table_#K_pieces[4 * #COUNT] = {
    #PIECES
};

// A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).
static double table_#K(int field, double s)
{
    size_t low = 0, high = #COUNT;
    if (s != s) return s;
    const double shift = #PERIOD * floor((s - table_#K_knots[0]) / #PERIOD);
    s -= shift; // #PERIOD
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table_#K_knots[middle] <= s) low = middle + 1; else high = middle;
    }
    if (#CLOSED && low == #COUNT && s == table_#K_knots[#COUNT - 1]) low = #COUNT - 1;
    if (low == 0) return field == 0 ? table_#K_knots[0]#SHIFT : field == 1 ? table_#K_pieces[0] : 0.0;
    return field == 0 ? table_#K_knots[low - 1]#SHIFT : table_#K_pieces[4 * (low - 1) + (size_t)field - 1];
}
";

const RUST: &str = "\
const TABLE_#K_KNOTS: [f64; #COUNT] = [
    #KNOTS
];
const TABLE_#K_PIECES: [f64; 4 * #COUNT] = [
    #PIECES
];

/// A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).
fn table_#K(field: usize, s: f64) -> f64 {
    if s.is_nan() {
        return s;
    }
    let shift = #PERIOD * ((s - TABLE_#K_KNOTS[0]) / #PERIOD).floor();
    let s = s - shift; // #PERIOD
    let mut low = TABLE_#K_KNOTS.partition_point(|k| *k <= s);
    if #CLOSED && low == #COUNT && s == TABLE_#K_KNOTS[#COUNT - 1] {
        low = #COUNT - 1;
    }
    match (low, field) {
        (0, 0) => TABLE_#K_KNOTS[0]#SHIFT,
        (0, 1) => TABLE_#K_PIECES[0],
        (0, _) => 0.0,
        (_, 0) => TABLE_#K_KNOTS[low - 1]#SHIFT,
        _ => TABLE_#K_PIECES[4 * (low - 1) + field - 1],
    }
}
";

const PYTHON: &str = "\
_TABLE_#K_KNOTS = [
    #KNOTS
]
_TABLE_#K_PIECES = [
    #PIECES
]


def table_#K(field, s):
    \"\"\"A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).\"\"\"
    if s != s:
        return s
    shift = #PERIOD * math.floor((s - _TABLE_#K_KNOTS[0]) / #PERIOD)
    s -= shift  # #PERIOD
    low, high = 0, #COUNT
    while low < high:
        middle = (low + high) // 2
        if _TABLE_#K_KNOTS[middle] <= s:
            low = middle + 1
        else:
            high = middle
    if #CLOSED and low == #COUNT and s == _TABLE_#K_KNOTS[-1]:
        low = #COUNT - 1
    if low == 0:
        return _TABLE_#K_KNOTS[0]#SHIFT if field == 0 else _TABLE_#K_PIECES[0] if field == 1 else 0.0
    return _TABLE_#K_KNOTS[low - 1]#SHIFT if field == 0 else _TABLE_#K_PIECES[4 * (low - 1) + field - 1]
";

const JAX: &str = "\
_TABLE_#K_KNOTS = jnp.array([
    #KNOTS
])
_TABLE_#K_PIECES = jnp.array([
    #PIECES
]).reshape(#COUNT, 4)
# The constant piece before the first knot, then one behind each knot: origin and coefficients.
_TABLE_#K_ROWS = jnp.concatenate([
    jnp.array([[_TABLE_#K_KNOTS[0], _TABLE_#K_PIECES[0, 0], 0.0, 0.0, 0.0]]),
    jnp.concatenate([_TABLE_#K_KNOTS[:, None], _TABLE_#K_PIECES], axis=1),
])


def table_#K(field, s):
    \"\"\"A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).\"\"\"
    s = jax.lax.stop_gradient(jnp.asarray(s))
    shift = #PERIOD * jnp.floor((s - _TABLE_#K_KNOTS[0]) / #PERIOD)
    s = s - shift  # #PERIOD
    low = jnp.searchsorted(_TABLE_#K_KNOTS, s, side=\"right\")
    low = jnp.where(#CLOSED & (low == #COUNT) & (s == _TABLE_#K_KNOTS[-1]), #COUNT - 1, low)
    return _TABLE_#K_ROWS[low, field]#SHIFT_OF_FIELD
";

const TORCH: &str = "\
_TABLE_#K_KNOTS = torch.tensor([
    #KNOTS
], dtype=torch.float64)
_TABLE_#K_PIECES = torch.tensor([
    #PIECES
], dtype=torch.float64).reshape(#COUNT, 4)
# The constant piece before the first knot, then one behind each knot: origin and coefficients.
_TABLE_#K_ROWS = torch.cat([
    torch.stack([_TABLE_#K_KNOTS[0], _TABLE_#K_PIECES[0, 0], *torch.zeros(3, dtype=torch.float64)])[None, :],
    torch.cat([_TABLE_#K_KNOTS[:, None], _TABLE_#K_PIECES], dim=1),
])


def table_#K(field, s):
    \"\"\"A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).\"\"\"
    s = _tensor(s).detach().contiguous()
    shift = #PERIOD * torch.floor((s - _TABLE_#K_KNOTS[0]) / #PERIOD)
    s = s - shift  # #PERIOD
    low = torch.searchsorted(_TABLE_#K_KNOTS, s, right=True)
    low = torch.where((low == #COUNT) & (s == _TABLE_#K_KNOTS[-1]) & #CLOSED, #COUNT - 1, low)
    return _TABLE_#K_ROWS[low, field]#SHIFT_OF_FIELD
";

const CASADI: &str = "\
_TABLE_#K_KNOTS = [
    #KNOTS
]
_TABLE_#K_PIECES = [
    #PIECES
]


def table_#K(field, s):
    \"\"\"A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).\"\"\"
    n = len(_TABLE_#K_KNOTS)
    shift = #PERIOD * casadi.floor((s - _TABLE_#K_KNOTS[0]) / #PERIOD)
    s = s - shift  # #PERIOD
    if field == 0:
        values = [_TABLE_#K_KNOTS[0], *_TABLE_#K_KNOTS]
    else:
        values = [_TABLE_#K_PIECES[0] if field == 1 else 0.0]
        values += [_TABLE_#K_PIECES[4 * k + field - 1] for k in range(n)]
    return casadi.pw_const(s, casadi.DM(_TABLE_#K_KNOTS), casadi.DM(values))#SHIFT_OF_FIELD
";

const JULIA: &str = "\
const TABLE_#K_KNOTS = Float64[
    #KNOTS
]
const TABLE_#K_PIECES = Float64[
    #PIECES
]

# A number of the polynomial of a table at s: the origin (0) or a coefficient (1 to 4).
function table_#K(field, s)
    isnan(s) && return s
    shift = #PERIOD * floor((s - TABLE_#K_KNOTS[1]) / #PERIOD)
    s -= shift # #PERIOD
    low = searchsortedlast(TABLE_#K_KNOTS, s)
    if #CLOSED && low == #COUNT && s == TABLE_#K_KNOTS[end]
        low = #COUNT - 1
    end
    low == 0 && return field == 0 ? TABLE_#K_KNOTS[1]#SHIFT : field == 1 ? TABLE_#K_PIECES[1] : 0.0
    return field == 0 ? TABLE_#K_KNOTS[low]#SHIFT : TABLE_#K_PIECES[4 * (low - 1) + field]
end
";
