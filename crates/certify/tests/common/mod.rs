//! References that share no code with enclosures: pairs of doubles with elementary functions, and Gragg's method with
//! extrapolation.

#![allow(dead_code, unreachable_pub, clippy::should_implement_trait)]

use galilei_certify::{Certificate, Range, Settings, certify};
use galilei_expr::Rational;
use galilei_model::{Model, read};

pub fn model(text: &str) -> Model {
    let found = read(text, &Default::default());
    found.model.unwrap_or_else(|| panic!("{text}"))
}

/// The enclosure of the motion from the start of a model to a time.
pub fn enclosed(text: &str, to: (i64, i64), tolerance: f64) -> Certificate {
    let model = model(text);
    let state = model.initial_state().unwrap();
    let start = state.position.iter().chain(&state.velocity);
    let settings = Settings {
        from: state.time,
        to: model.pool().number(Rational::new(to.0, to.1)),
        start: start.map(|x| Range::exactly(*x)).collect(),
        parameters: vec![],
        tolerance,
        charts: vec![],
    };
    certify(&model, &settings, &mut |_| true).unwrap()
}

/// Positions, then velocities.
pub fn state(c: &Certificate) -> Vec<[f64; 2]> {
    c.position.iter().chain(&c.velocity).copied().collect()
}

/// A sum of two doubles, the second at most half a unit in the last place of the first: about 32 digits.
#[derive(Clone, Copy, Debug)]
pub struct Pair(pub f64, pub f64);

fn two_sum(a: f64, b: f64) -> Pair {
    let s = a + b;
    let t = s - a;
    Pair(s, (a - (s - t)) + (b - t))
}

impl Pair {
    pub fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.0, o.0), two_sum(self.1, o.1));
        let v = two_sum(s.0, s.1 + t.0);
        two_sum(v.0, v.1 + t.1)
    }
    pub fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
    pub fn sub(self, o: Self) -> Self {
        self.add(o.neg())
    }
    pub fn mul(self, o: Self) -> Self {
        let p = self.0 * o.0;
        let e = self.0.mul_add(o.0, -p);
        two_sum(p, e + (self.0 * o.1 + self.1 * o.0))
    }
    pub fn div(self, o: Self) -> Self {
        let q = self.0 / o.0;
        let rest = self.sub(o.mul(Self(q, 0.0)));
        let r = rest.0 / o.0;
        let rest = rest.sub(o.mul(Self(r, 0.0)));
        two_sum(q, r).add(Self(rest.0 / o.0, 0.0))
    }
    pub fn int(n: i64) -> Self {
        Self(n as f64, 0.0)
    }
    /// n/1000
    pub fn thousandths(n: i64) -> Self {
        Self::int(n).div(Self(1000.0, 0.0))
    }
    /// Σ xᵏ/k! over every second k from 0 or 1 on, with alternating signs if `turning`.
    fn series(self, first: i64, turning: bool) -> Self {
        let square = match turning {
            true => self.mul(self).neg(),
            false => self.mul(self),
        };
        let mut term = if first == 0 { Self::int(1) } else { self };
        let mut sum = term;
        for k in (first + 1..120).step_by(2) {
            term = term.mul(square).div(Self::int(k * (k + 1)));
            sum = sum.add(term);
            if term.0.abs() < 1e-36 {
                break;
            }
        }
        sum
    }
    /// The sine, for arguments of a few units.
    pub fn sin(self) -> Self {
        self.series(1, true)
    }
    /// The cosine, for arguments of a few units.
    pub fn cos(self) -> Self {
        self.series(0, true)
    }
    /// The exponential function, for arguments of a few tens.
    pub fn exp(self) -> Self {
        let part = self.div(Self::int(32));
        let mut power = part.series(0, false).add(part.series(1, false));
        for _ in 0..5 {
            power = power.mul(power);
        }
        power
    }
    /// How far the number lies outside of an interval.
    pub fn beyond(self, [low, high]: [f64; 2]) -> f64 {
        let below = Self(low, 0.0).sub(self);
        let above = self.sub(Self(high, 0.0));
        (below.0 + below.1).max(above.0 + above.1)
    }
}

/// The pair nearest to a decimal number.
pub fn pair(text: &str) -> Pair {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let mut value = Pair(0.0, 0.0);
    let mut scale = Pair(1.0, 0.0);
    for d in digits.bytes().filter(|b| *b != b'.') {
        value = value
            .mul(Pair(10.0, 0.0))
            .add(Pair(f64::from(d - b'0'), 0.0));
    }
    let places = digits.split_once('.').map_or(0, |(_, f)| f.len());
    for _ in 0..places {
        scale = scale.mul(Pair(10.0, 0.0));
    }
    value.div(scale).mul(Pair(sign, 0.0))
}

/// Positions and velocities at the end of equal steps of Gragg's method with extrapolation, and the last correction. `f` gives
/// the accelerations at a time and a state.
pub fn extrapolated(
    f: &dyn Fn(Pair, &[Pair]) -> Vec<Pair>,
    mut y: Vec<Pair>,
    to: Pair,
    steps: usize,
) -> (Vec<Pair>, f64) {
    const COLUMNS: usize = 13;
    let h = to.div(Pair(steps as f64, 0.0));
    let n = y.len() / 2;
    let rate = |t: Pair, y: &[Pair]| {
        let mut r = y[n..].to_vec();
        r.extend(f(t, y));
        r
    };
    let moved = |y: &[Pair], h: Pair, r: &[Pair]| -> Vec<Pair> {
        y.iter().zip(r).map(|(y, r)| y.add(h.mul(*r))).collect()
    };
    let mut worst = 0.0f64;
    for step in 0..steps {
        let start = h.mul(Pair::int(step as i64));
        let mut table: Vec<Vec<Pair>> = vec![];
        for k in 0..COLUMNS {
            let count = 2 * (k + 1);
            let part = h.div(Pair(count as f64, 0.0));
            let twice = part.add(part);
            let mut last = y.clone();
            let mut now = moved(&y, part, &rate(start, &y));
            for l in 1..count {
                let time = start.add(part.mul(Pair::int(l as i64)));
                let next = moved(&last, twice, &rate(time, &now));
                last = std::mem::replace(&mut now, next);
            }
            let mut row = now;
            for j in 1..=k {
                let (a, b) = (
                    (count * count) as f64,
                    (4 * (k - j + 1) * (k - j + 1)) as f64,
                );
                let factor = Pair(b, 0.0).div(Pair(a - b, 0.0));
                let before = std::mem::take(&mut table[j - 1]);
                let next = moved(
                    &row,
                    factor,
                    &row.iter()
                        .zip(&before)
                        .map(|(x, y)| x.sub(*y))
                        .collect::<Vec<_>>(),
                );
                table[j - 1] = std::mem::replace(&mut row, next);
                if j == k && k == COLUMNS - 1 {
                    let change = row
                        .iter()
                        .zip(&table[j - 1])
                        .map(|(x, y)| x.sub(*y).0.abs());
                    worst = change.fold(worst, f64::max);
                }
            }
            table.push(row);
        }
        y = table.pop().unwrap();
    }
    (y, worst)
}

/// Numbers that repeat: Marsaglia's xorshift.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds have sequences apart, and none is zero.
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A whole number from a range.
    pub fn next(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + ((self.0 >> 11) % (high - low + 1) as u64) as i64
    }

    /// A fraction of hundredths as text.
    pub fn number(&mut self, low: i64, high: i64) -> String {
        format!("({}/100)", self.next(low, high))
    }

    /// An entry of a list.
    pub fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.next(0, list.len() as i64 - 1) as usize]
    }
}
