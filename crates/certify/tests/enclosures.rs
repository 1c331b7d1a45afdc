//! Enclosures contain references that share no code with them: values of mpmath, and an extrapolation method in pairs of
//! doubles that is written here.

use galilei_certify::{CERTIFIED_TOLERANCE, Certificate, Range, Settings, certify};
use galilei_model::{Model, read};

fn model(text: &str) -> Model {
    let found = read(text, &Default::default());
    found.model.unwrap_or_else(|| panic!("{text}"))
}

fn enclosed(text: &str, to: (i64, i64), tolerance: f64) -> Certificate {
    let model = model(text);
    let state = model.initial_state().unwrap();
    let start = state.position.iter().chain(&state.velocity);
    let settings = Settings {
        from: state.time,
        to: model.pool().number(galilei_expr::Rational::new(to.0, to.1)),
        start: start.map(|x| Range::exactly(*x)).collect(),
        parameters: vec![],
        tolerance,
    };
    certify(&model, &settings, &mut |_| true).unwrap()
}

fn state(c: &Certificate) -> Vec<[f64; 2]> {
    c.position.iter().chain(&c.velocity).copied().collect()
}

/// A sum of two doubles, the second at most half a unit in the last place of the first: about 32 digits.
#[derive(Clone, Copy, Debug)]
struct Pair(f64, f64);

fn two_sum(a: f64, b: f64) -> Pair {
    let s = a + b;
    let t = s - a;
    Pair(s, (a - (s - t)) + (b - t))
}

impl Pair {
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.0, o.0), two_sum(self.1, o.1));
        let v = two_sum(s.0, s.1 + t.0);
        two_sum(v.0, v.1 + t.1)
    }
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
    fn sub(self, o: Self) -> Self {
        self.add(o.neg())
    }
    fn mul(self, o: Self) -> Self {
        let p = self.0 * o.0;
        let e = self.0.mul_add(o.0, -p);
        two_sum(p, e + (self.0 * o.1 + self.1 * o.0))
    }
    fn div(self, o: Self) -> Self {
        let q = self.0 / o.0;
        let rest = self.sub(o.mul(Self(q, 0.0)));
        let r = rest.0 / o.0;
        let rest = rest.sub(o.mul(Self(r, 0.0)));
        two_sum(q, r).add(Self(rest.0 / o.0, 0.0))
    }
    /// n/1000
    fn thousandths(n: i64) -> Self {
        Self(n as f64, 0.0).div(Self(1000.0, 0.0))
    }
    /// How far the number lies outside of an interval.
    fn beyond(self, [low, high]: [f64; 2]) -> f64 {
        let below = Self(low, 0.0).sub(self);
        let above = self.sub(Self(high, 0.0));
        (below.0 + below.1).max(above.0 + above.1)
    }
}

/// x at the end of steps by Gragg's method with extrapolation, for x″ = f(x), and the last correction.
fn extrapolated(
    f: &dyn Fn(&[Pair]) -> Vec<Pair>,
    mut y: Vec<Pair>,
    to: Pair,
    steps: usize,
) -> (Vec<Pair>, f64) {
    const COLUMNS: usize = 13;
    let h = to.div(Pair(steps as f64, 0.0));
    let n = y.len() / 2;
    let rate = |y: &[Pair]| {
        let mut r = y[n..].to_vec();
        r.extend(f(&y[..n]));
        r
    };
    let moved = |y: &[Pair], h: Pair, r: &[Pair]| -> Vec<Pair> {
        y.iter().zip(r).map(|(y, r)| y.add(h.mul(*r))).collect()
    };
    let mut worst = 0.0f64;
    for _ in 0..steps {
        let mut table: Vec<Vec<Pair>> = vec![];
        for k in 0..COLUMNS {
            let count = 2 * (k + 1);
            let part = h.div(Pair(count as f64, 0.0));
            let twice = part.add(part);
            let mut last = y.clone();
            let mut now = moved(&y, part, &rate(&y));
            for _ in 1..count {
                let next = moved(&last, twice, &rate(&now));
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
struct Random(u64);

impl Random {
    fn next(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + ((self.0 >> 11) % (high - low + 1) as u64) as i64
    }
}

/// Two coupled oscillators with cubic and quartic potential, gravitation or a pole, from random starts.
fn random_motion(random: &mut Random) -> (f64, f64) {
    let c: Vec<i64> = (0..5).map(|_| random.next(-1500, 1500)).collect();
    let s: Vec<i64> = (0..4).map(|_| random.next(-900, 900)).collect();
    let pole = random.next(0, 1) * random.next(100, 900);
    let t = random.next(50, 900);
    let tolerance = [1e-17, 1e-17, 1e-12, 1e-9][random.next(0, 3) as usize];
    // V = c0 x²/2 + c1 y²/2 + c2 x² y + c3 y³/3 + c4 x² y² − p/(4 + x² + y²)
    let text = format!(
        "coord x, y\nkinetic: x'^2/2 + y'^2/2\npotential: {}/1000*x^2/2 + {}/1000*y^2/2 + {}/1000*x^2*y + {}/1000*y^3/3 + {}/1000*x^2*y^2 - {pole}/1000/(4 + x^2 + y^2)\ninitial x = {}/1000, y = {}/1000, x' = {}/1000, y' = {}/1000\n",
        c[0], c[1], c[2], c[3], c[4], s[0], s[1], s[2], s[3]
    );
    let found = enclosed(&text, (t, 1000), tolerance);
    if !found.certified {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let c: Vec<Pair> = c.iter().map(|c| Pair::thousandths(*c)).collect();
    let (p, two) = (Pair::thousandths(pole), Pair(2.0, 0.0));
    let force = |q: &[Pair]| {
        let (x, y) = (q[0], q[1]);
        let (xx, yy) = (x.mul(x), y.mul(y));
        let r = Pair(4.0, 0.0).add(xx).add(yy);
        let k = two.mul(p).div(r.mul(r));
        let fx = c[0]
            .add(two.mul(c[2]).mul(y))
            .add(two.mul(c[4]).mul(yy))
            .add(k);
        let fy = c[1].add(c[3].mul(y)).add(two.mul(c[4]).mul(xx)).add(k);
        vec![fx.mul(x).neg(), fy.mul(y).add(c[2].mul(xx)).neg()]
    };
    let start: Vec<Pair> = s.iter().map(|s| Pair::thousandths(*s)).collect();
    // Shorter steps where the motion runs away, until the last correction is small.
    let mut steps = 2 + t as usize / 100;
    let reference = loop {
        let (y, error) = extrapolated(&force, start.clone(), Pair::thousandths(t), steps);
        let size = y.iter().map(|x| x.0.abs()).fold(1.0, f64::max);
        if error < 1e-19 * size {
            break y;
        }
        steps *= 2;
        assert!(steps < 2000, "{text} {error:e}");
    };
    let beyond = reference
        .iter()
        .zip(state(&found))
        .map(|(x, i)| x.beyond(i));
    (beyond.fold(f64::NEG_INFINITY, f64::max), found.width())
}

/// Misses among random short motions. GALILEI_MOTIONS gives another number of them.
#[test]
fn random_motions_are_enclosed() {
    let wanted = std::env::var("GALILEI_MOTIONS").ok();
    let count: usize = wanted.and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut misses, mut open, mut widest) = (0, 0, 0.0f64);
    for _ in 0..count {
        let (beyond, width) = random_motion(&mut random);
        match width.is_finite() {
            true => widest = widest.max(width),
            false => open += 1,
        }
        // The reference has an error below 1e-24.
        if beyond > 1e-22 {
            misses += 1;
        }
    }
    println!(
        "{count} motions, {misses} misses, {open} not certified to the end, widest {widest:e}"
    );
    assert_eq!(misses, 0);
    assert!(open * 50 <= count);
}

const KEPLER: &str = "coord x, y\nkinetic: x'^2/2 + y'^2/2\npotential: -1/sqrt(x^2 + y^2)\ninitial x = 0.4, y' = 2\n";
const DOUBLE_PENDULUM: &str = "param g = 9.81\ncoord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*g*cos(a) - g*cos(b)\ninitial a = 1, b = 1.5\n";

/// Values of mpmath 1.3 at t = 1, odefun with 45 digits, rounded to pairs: the double nearest, and the rest.
const KEPLER_AT_1: [&str; 4] = [
    "-0.628948176826624230582918587817501442",
    "0.799664730970039266599484724505168831",
    "-0.982515690938811327687772587326457271",
    "-0.0227631700974304199197307940278182272",
];
const DOUBLE_PENDULUM_AT_1: [&str; 4] = [
    "-0.665314329682786921967138480599012908",
    "-0.747622590034531450635406699418849453",
    "-2.86855488836595059917117122554059346",
    "-0.933904480586560685428565700984224264",
];

/// The pair nearest to a decimal number.
fn pair(text: &str) -> Pair {
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

#[test]
fn enclosures_contain_references_and_shrink_with_the_tolerance() {
    for (text, reference) in [
        (KEPLER, KEPLER_AT_1),
        (DOUBLE_PENDULUM, DOUBLE_PENDULUM_AT_1),
    ] {
        let mut last = f64::INFINITY;
        for tolerance in [1e-6, 1e-9, 1e-12, CERTIFIED_TOLERANCE] {
            let found = enclosed(text, (1, 1), tolerance);
            assert!(found.certified, "{:?}", found.reason);
            for (interval, reference) in state(&found).into_iter().zip(reference) {
                let beyond = pair(reference).beyond(interval);
                assert!(beyond <= 0.0, "{text} {tolerance} {interval:?} {reference}");
            }
            assert!(found.width() < 0.1 * last, "{tolerance} {}", found.width());
            last = found.width();
        }
        assert!(last < 1e-13, "{last}");
    }
}

#[test]
fn a_wrong_coefficient_is_caught() {
    // A part in 10¹² of the gravitation.
    for (text, wrong, reference) in [
        (
            KEPLER,
            KEPLER.replace("-1/sqrt", "-1.000000000001/sqrt"),
            KEPLER_AT_1,
        ),
        (
            DOUBLE_PENDULUM,
            DOUBLE_PENDULUM.replace("g = 9.81", "g = 9.81000000001"),
            DOUBLE_PENDULUM_AT_1,
        ),
    ] {
        let apart = |a: [f64; 2], b: [f64; 2]| a[1] < b[0] || b[1] < a[0];
        let (good, bad) = (
            state(&enclosed(text, (1, 1), CERTIFIED_TOLERANCE)),
            state(&enclosed(&wrong, (1, 1), CERTIFIED_TOLERANCE)),
        );
        assert!(
            good.iter().zip(&bad).all(|(a, b)| apart(*a, *b)),
            "{good:?} {bad:?}"
        );
        let out = bad.iter().zip(reference).map(|(i, x)| pair(x).beyond(*i));
        assert!(out.fold(f64::NEG_INFINITY, f64::max) > 0.0);
    }
}
