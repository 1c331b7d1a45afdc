//! Builds code: equal instructions once, constants folded.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::{Code, Instr, Value, WIDTH};
use crate::function::Function;
use crate::hash::Table;
use crate::lookup::looked_up;

/// The largest depth of a computation that is done four times at once.
const MAX_PACKED_DEPTH: usize = 4;

/// Builds [`Code`].
#[derive(Debug, Default)]
pub struct Assembler {
    code: Code,
    known: Table<Key, Value>,
    rows: Table<[u64; WIDTH], u32>,
    /// Whether products of wide values are fused with sums immediately.
    fusing: bool,
}

/// An instruction that can be compared and hashed: its kind and operands or bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u32, [u32; WIDTH]);

impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        let [a, b, c, d] = self.1.map(u64::from);
        h.write_u64(a | b << 32);
        h.write_u64((c | d << 32) ^ u64::from(self.0) << 20);
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.0, self.1)
    }
}

fn key(i: &Instr) -> Key {
    let bits = |c: f64| [c.to_bits() as u32, (c.to_bits() >> 32) as u32, 0, 0];
    let two = |k, a: u32, b: u32| Key(k, [a, b, 0, 0]);
    match *i {
        Instr::Const(c) => Key(0, bits(c)),
        Instr::Table(k) => Key(1, [k, 0, 0, 0]),
        Instr::Input(k) => Key(2, [k, 0, 0, 0]),
        Instr::Add(a, b) => two(3, a.min(b), a.max(b)),
        Instr::Sub(a, b) => two(4, a, b),
        Instr::Mul(a, b) => two(5, a.min(b), a.max(b)),
        Instr::Div(a, b) => two(6, a, b),
        Instr::Neg(a) => two(7, a, 0),
        Instr::Abs(a) => two(8, a, 0),
        Instr::Sqrt(a) => two(9, a, 0),
        Instr::Fma(a, b, c) => Key(10, [a.min(b), a.max(b), c, 0]),
        Instr::Fnma(a, b, c) => Key(11, [a.min(b), a.max(b), c, 0]),
        Instr::Fms(a, b, c) => Key(12, [a.min(b), a.max(b), c, 0]),
        Instr::Positive(a, b, c) => Key(13, [a, b, c, 0]),
        Instr::NotNegative(a, b, c) => Key(14, [a, b, c, 0]),
        Instr::Pack(v) => Key(15, v),
        Instr::Lane(a, l) => two(16, a, u32::from(l)),
        Instr::Row(k) => two(18, k, 0),
        Instr::Least(a, b) => two(19, a, b),
        Instr::Greatest(a, b) => two(20, a, b),
        Instr::Permute(a, order) => two(17, a, u32::from_le_bytes(order)),
        Instr::Lookup(t, field, a) => Key(21, [t, u32::from(field), a, 0]),
        Instr::Call(f, a, b) => two(32 + f as u32, a, b),
    }
}

impl Assembler {
    /// An assembler of code with the given number of inputs.
    pub fn new(inputs: usize) -> Self {
        let mut this = Self::default();
        this.code.inputs = inputs;
        this
    }

    /// Reserves memory for about `count` instructions.
    pub fn reserve(&mut self, count: usize) {
        self.known.reserve(count);
        self.code.instrs.reserve(count);
        self.code.wide.reserve(count);
    }

    /// The finished code, without instructions that the outputs do not need.
    pub fn finish(mut self, outputs: Vec<Value>) -> Code {
        self.code.outputs = outputs;
        self.code.without_dead()
    }

    /// The code so far, whatever its outputs need.
    pub(crate) fn unfinished(self) -> Code {
        self.code
    }

    /// An input behind all others.
    pub(crate) fn another_input(&mut self) -> Value {
        self.code.inputs += 1;
        self.input(self.code.inputs - 1)
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.code.inputs
    }

    /// Whether a value is four numbers.
    pub fn is_wide(&self, v: Value) -> bool {
        self.wide(v)
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.code.instrs.len()
    }

    /// Whether there are no instructions.
    pub fn is_empty(&self) -> bool {
        self.code.instrs.is_empty()
    }

    /// The constant of a value, if it is one.
    pub fn constant_of(&self, v: Value) -> Option<f64> {
        match self.code.instrs[v as usize] {
            Instr::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The instruction of a value.
    pub(crate) fn instr(&self, v: Value) -> Instr {
        self.code.instrs[v as usize]
    }

    /// Whether a value is the number zero, or four of them.
    pub fn is_zero(&self, v: Value) -> bool {
        self.splat_of(v) == Some(0.0)
    }

    fn wide(&self, v: Value) -> bool {
        self.code.wide[v as usize]
    }

    /// Appends an instruction unchanged, or finds it.
    pub fn push(&mut self, i: Instr) -> Value {
        let place = match self.known.entry(key(&i)) {
            Entry::Occupied(found) => return *found.get(),
            Entry::Vacant(place) => place,
        };
        let code = &mut self.code;
        let wide = match i {
            Instr::Table(_) | Instr::Row(_) | Instr::Pack(_) => true,
            Instr::Lane(..) | Instr::Call(..) | Instr::Lookup(..) => false,
            _ => i.operands().first().is_some_and(|&a| code.wide[a as usize]),
        };
        let v = code.instrs.len() as Value;
        code.instrs.push(i);
        code.wide.push(wide);
        *place.insert(v)
    }

    /// A number.
    pub fn number(&mut self, c: f64) -> Value {
        self.push(Instr::Const(c))
    }

    /// Four numbers.
    pub fn table(&mut self, row: [f64; WIDTH]) -> Value {
        let bits = row.map(f64::to_bits);
        let at = *self.rows.entry(bits).or_insert_with(|| {
            self.code.tables.push(row);
            (self.code.tables.len() - 1) as u32
        });
        self.push(Instr::Table(at))
    }

    /// An input.
    pub fn input(&mut self, k: usize) -> Value {
        debug_assert!(k < self.code.inputs);
        self.push(Instr::Input(k as u32))
    }

    /// Four consecutive inputs as one wide value.
    pub fn row(&mut self, k: usize) -> Value {
        debug_assert!(k + WIDTH <= self.code.inputs);
        self.push(Instr::Row(k as u32))
    }

    fn splat_of(&self, v: Value) -> Option<f64> {
        match self.code.instrs[v as usize] {
            Instr::Const(c) => Some(c),
            Instr::Table(k) => {
                let row = self.code.tables[k as usize];
                (row == [row[0]; WIDTH]).then_some(row[0])
            }
            _ => None,
        }
    }

    /// a + b
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.splat_of(a), self.splat_of(b)) {
            (Some(x), Some(y)) if !self.wide(a) => return self.number(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        match (self.code.instrs[a as usize], self.code.instrs[b as usize]) {
            (_, Instr::Neg(b)) => self.sub(a, b),
            (Instr::Neg(a), _) => self.sub(b, a),
            _ => self.push(Instr::Add(a, b)),
        }
    }

    /// a − b
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        match (self.splat_of(a), self.splat_of(b)) {
            (Some(x), Some(y)) if !self.wide(a) => return self.number(x - y),
            (Some(0.0), _) => return self.neg(b),
            (_, Some(0.0)) => return a,
            _ => {}
        }
        match self.code.instrs[b as usize] {
            Instr::Neg(b) => self.add(a, b),
            _ => self.push(Instr::Sub(a, b)),
        }
    }

    /// a·b
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        let (x, y) = (self.splat_of(a), self.splat_of(b));
        match (x, y) {
            (Some(x), Some(y)) if !self.wide(a) => return self.number(x * y),
            (Some(0.0), _) => return a,
            (_, Some(0.0)) => return b,
            (Some(1.0), _) => return b,
            (_, Some(1.0)) => return a,
            (Some(-1.0), _) => return self.neg(b),
            (_, Some(-1.0)) => return self.neg(a),
            _ => {}
        }
        match (self.code.instrs[a as usize], self.code.instrs[b as usize]) {
            (Instr::Neg(a), Instr::Neg(b)) => self.mul(a, b),
            (Instr::Neg(a), _) if y.is_none() => {
                let m = self.mul(a, b);
                self.neg(m)
            }
            (_, Instr::Neg(b)) if x.is_none() => {
                let m = self.mul(a, b);
                self.neg(m)
            }
            (Instr::Neg(a), _) if !self.wide(b) => {
                let c = self.number(-y.unwrap_or(0.0));
                self.mul(a, c)
            }
            (_, Instr::Neg(b)) if !self.wide(a) => {
                let c = self.number(-x.unwrap_or(0.0));
                self.mul(b, c)
            }
            _ => self.push(Instr::Mul(a, b)),
        }
    }

    /// Fuses products of wide values, from now on, with the sums they are added to: half as many instructions to look
    /// up. Narrow ones are not fused, so that four of them can still become wide.
    pub(crate) fn fuse(&mut self) {
        self.fusing = true;
    }

    /// sum + a·b; `None` if there is no sum and the product is zero.
    pub(crate) fn plus_product(&mut self, sum: Option<Value>, a: Value, b: Value) -> Option<Value> {
        let plain = |v: Value| {
            let i = &self.code.instrs[v as usize];
            !matches!(i, Instr::Table(_) | Instr::Neg(_))
        };
        if let Some(s) = sum
            && self.fusing
            && self.wide(a)
            && plain(a)
            && plain(b)
        {
            return Some(self.push(Instr::Fma(a, b, s)));
        }
        let product = self.mul(a, b);
        match sum {
            _ if self.is_zero(product) => sum,
            None => Some(product),
            Some(s) => Some(self.add(s, product)),
        }
    }

    /// a·number
    pub fn scale(&mut self, a: Value, c: f64) -> Value {
        let c = if self.wide(a) {
            self.table([c; WIDTH])
        } else {
            self.number(c)
        };
        self.mul(a, c)
    }

    /// c·a; if a is already a multiple by a number, by one product instead of two.
    pub(crate) fn rescale(&mut self, a: Value, c: f64) -> Value {
        if let Instr::Mul(x, y) = self.code.instrs[a as usize] {
            match (self.constant_of(x), self.constant_of(y)) {
                (Some(own), _) => return self.scale(y, own * c),
                (_, Some(own)) => return self.scale(x, own * c),
                _ => {}
            }
        }
        self.scale(a, c)
    }

    /// a/b
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(x), Some(y)) => self.number(x / y),
            (_, Some(1.0)) => a,
            _ => self.push(Instr::Div(a, b)),
        }
    }

    /// a where a < b, else b
    pub fn least(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(x), Some(y)) => self.number(if x < y { x } else { y }),
            _ if a == b => a,
            _ => self.push(Instr::Least(a, b)),
        }
    }

    /// a where a > b, else b
    pub fn greatest(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(x), Some(y)) => self.number(if x > y { x } else { y }),
            _ if a == b => a,
            _ => self.push(Instr::Greatest(a, b)),
        }
    }

    /// −a
    pub fn neg(&mut self, a: Value) -> Value {
        match self.code.instrs[a as usize] {
            Instr::Const(c) => self.number(-c),
            Instr::Table(k) => self.table(self.code.tables[k as usize].map(|x| -x)),
            Instr::Neg(b) => b,
            Instr::Sub(x, y) => self.push(Instr::Sub(y, x)),
            _ => self.push(Instr::Neg(a)),
        }
    }

    /// |a|
    pub fn abs(&mut self, a: Value) -> Value {
        match self.constant_of(a) {
            Some(c) => self.number(c.abs()),
            None => self.push(Instr::Abs(a)),
        }
    }

    /// √a
    pub fn sqrt(&mut self, a: Value) -> Value {
        match self.constant_of(a) {
            Some(c) => self.number(c.sqrt()),
            None => self.push(Instr::Sqrt(a)),
        }
    }

    /// b where a is positive (or zero, if `closed`), else c.
    pub fn choose(&mut self, a: Value, closed: bool, b: Value, c: Value) -> Value {
        if b == c {
            return b;
        }
        match self.constant_of(a) {
            Some(x) if x > 0.0 || (closed && x == 0.0) => b,
            Some(_) => c,
            None if closed => self.push(Instr::NotNegative(a, b, c)),
            None => self.push(Instr::Positive(a, b, c)),
        }
    }

    /// f(a) or f(a, b).
    pub fn call(&mut self, f: Function, a: Value, b: Option<Value>) -> Value {
        let b = b.unwrap_or(a);
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(x), Some(y)) => self.number(f.apply(&[x], &[y])[0]),
            _ => self.push(Instr::Call(f, a, b)),
        }
    }

    /// A number of the piece of a table that an argument is in.
    pub(crate) fn lookup(
        &mut self,
        table: &Arc<galilei_expr::Table>,
        field: u8,
        a: Value,
    ) -> Value {
        if let Some(c) = self.constant_of(a) {
            return self.number(looked_up(table, field, c));
        }
        let tables = &mut self.code.lookup_tables;
        let known = tables.iter().position(|t| Arc::ptr_eq(t, table));
        let at = known.unwrap_or_else(|| {
            tables.push(Arc::clone(table));
            tables.len() - 1
        });
        self.push(Instr::Lookup(at as u32, field, a))
    }

    /// Four narrow values as one wide value.
    pub fn pack(&mut self, values: [Value; WIDTH]) -> Value {
        let numbers = values.map(|v| self.constant_of(v));
        if let [Some(a), Some(b), Some(c), Some(d)] = numbers {
            return self.table([a, b, c, d]);
        }
        if let Some(v) = self.pull(values, MAX_PACKED_DEPTH) {
            return v;
        }
        self.push(Instr::Pack(values))
    }

    /// The terms of a sum that was added up from the left.
    fn terms(&self, mut v: Value) -> Vec<Value> {
        let mut list = Vec::new();
        while let Instr::Add(a, b) = self.code.instrs[v as usize] {
            list.push(b);
            v = a;
        }
        list.push(v);
        list.reverse();
        list
    }

    /// Four computations of equal form as one on wide operands, if those exist already or are almost free: numbers,
    /// lanes of one value, one value four times.
    fn pull(&mut self, values: [Value; WIDTH], depth: usize) -> Option<Value> {
        if let Some(&v) = self.known.get(&key(&Instr::Pack(values))) {
            return Some(v);
        }
        let instrs = values.map(|v| self.code.instrs[v as usize]);
        if let [
            Instr::Const(a),
            Instr::Const(b),
            Instr::Const(c),
            Instr::Const(d),
        ] = instrs
        {
            return Some(self.table([a, b, c, d]));
        }
        if let [
            Instr::Lane(w, a),
            Instr::Lane(w1, b),
            Instr::Lane(w2, c),
            Instr::Lane(w3, d),
        ] = instrs
            && [w1, w2, w3] == [w; 3]
        {
            return Some(match [a, b, c, d] {
                [0, 1, 2, 3] => w,
                order => self.push(Instr::Permute(w, order)),
            });
        }
        if values == [values[0]; WIDTH] {
            // A lane times a number is spread like the lane.
            if let Instr::Mul(a, c) = instrs[0]
                && matches!(self.code.instrs[a as usize], Instr::Lane(..))
                && let Some(c) = self.constant_of(c)
            {
                let whole = self.pull([a; WIDTH], 0)?;
                let factors = self.table([c; WIDTH]);
                return Some(self.mul(whole, factors));
            }
            return Some(self.push(Instr::Pack(values)));
        }
        if depth == 0 {
            return None;
        }
        let pairs = |of: fn(&Instr) -> Option<(Value, Value)>| -> Option<[(Value, Value); WIDTH]> {
            let list = instrs.each_ref().map(of);
            Some([list[0]?, list[1]?, list[2]?, list[3]?])
        };
        let sides = |p: [(Value, Value); WIDTH]| (p.map(|p| p.0), p.map(|p| p.1));
        let two = |this: &mut Self, p: [(Value, Value); WIDTH]| {
            let (a, b) = sides(p);
            Some((this.pull(a, depth - 1)?, this.pull(b, depth - 1)?))
        };
        // A term without a numeric factor has the factor one; a missing term has the factor zero.
        let factor = |v: Value| match self.code.instrs[v as usize] {
            Instr::Mul(a, c) => self.constant_of(c).map(|c| (a, c)),
            _ => None,
        };
        let base = values.iter().find_map(|&v| factor(v)).map(|f| f.0);
        let scaled = values.map(|v| match self.code.instrs[v as usize] {
            Instr::Const(0.0) => base.map(|b| (b, 0.0)),
            Instr::Lane(..) => Some((v, 1.0)),
            _ if Some(v) == base => Some((v, 1.0)),
            _ => factor(v),
        });
        if let [Some(a), Some(b), Some(c), Some(d)] = scaled {
            let list = [a, b, c, d];
            let whole = self.pull(list.map(|t| t.0), depth - 1)?;
            let factors = self.table(list.map(|t| t.1));
            return Some(self.mul(whole, factors));
        }
        if let Some(p) = pairs(|i| match *i {
            Instr::Mul(a, b) => Some((a, b)),
            _ => None,
        }) {
            let (a, b) = two(self, p)?;
            return Some(self.mul(a, b));
        }
        if instrs.iter().any(|i| matches!(i, Instr::Add(..))) {
            // Sums are combined term by term; where one has fewer terms, the others continue alone.
            let lists = values.map(|v| self.terms(v));
            let longest = lists.iter().map(Vec::len).max()?;
            let zero = self.number(0.0);
            let mut sum: Option<Value> = None;
            for j in 0..longest {
                let row = lists.each_ref().map(|l| l.get(j).copied().unwrap_or(zero));
                let t = self.pull(row, depth - 1)?;
                sum = Some(match sum {
                    None => t,
                    Some(s) => self.add(s, t),
                });
            }
            return sum;
        }
        if let Some(p) = pairs(|i| match *i {
            Instr::Sub(a, b) => Some((a, b)),
            _ => None,
        }) {
            let (a, b) = two(self, p)?;
            return Some(self.sub(a, b));
        }
        None
    }

    /// One of the numbers of a wide value; an empty sum is a narrow zero.
    pub fn lane(&mut self, v: Value, l: usize) -> Value {
        match self.code.instrs[v as usize] {
            Instr::Const(_) => v,
            Instr::Pack(list) => list[l],
            Instr::Permute(w, order) => self.lane(w, usize::from(order[l])),
            Instr::Table(k) => self.number(self.code.tables[k as usize][l]),
            _ => self.push(Instr::Lane(v, l as u8)),
        }
    }
}

impl Code {
    /// The code without instructions that the outputs do not need.
    pub(crate) fn without_dead(&self) -> Self {
        let mut live = vec![false; self.instrs.len()];
        for &o in &self.outputs {
            live[o as usize] = true;
        }
        for k in (0..self.instrs.len()).rev() {
            if live[k] {
                for &v in self.instrs[k].operands().iter() {
                    live[v as usize] = true;
                }
            }
        }
        self.rearranged((0..self.instrs.len() as Value).filter(|&k| live[k as usize]))
    }

    /// The code with its instructions in another order, or fewer of them.
    pub(crate) fn rearranged(&self, order: impl Iterator<Item = Value>) -> Self {
        let mut place = vec![Value::MAX; self.instrs.len()];
        let mut code = Self {
            inputs: self.inputs,
            tables: self.tables.clone(),
            lookup_tables: self.lookup_tables.clone(),
            instrs: Vec::with_capacity(self.instrs.len()),
            wide: Vec::with_capacity(self.instrs.len()),
            ..Self::default()
        };
        for k in order {
            place[k as usize] = code.instrs.len() as Value;
            let i = self.instrs[k as usize].map(|v| place[v as usize]);
            debug_assert!(i.operands().iter().all(|&v| v != Value::MAX));
            code.instrs.push(i);
            code.wide.push(self.wide[k as usize]);
        }
        code.outputs = self.outputs.iter().map(|&o| place[o as usize]).collect();
        code
    }
}
