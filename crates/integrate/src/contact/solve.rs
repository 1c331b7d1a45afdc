//! Complementarity of contact and friction: y = b + D·λ along all lines, accelerations and forces or velocities and impulses. All
//! modes are tried, or those that pivots find where the problem is convex. (T-203, T-204)

use galilei_tape::math::scalar::sin_cos;
use galilei_tape::{Grip, Mode, Touch};

use super::choices::Choices;
use super::numbers::{Frame, Limit, dot};
use super::pivots;

/// The part of its scale up to which a quantity counts as zero.
const ZERO: f64 = 1e-9;
/// The part of the largest entry of a row below which a pivot counts as zero.
const SINGULAR: f64 = 1e-11;
/// The number of combinations up to which all are tried, without a search by pivots.
const FEW_COMBINATIONS: usize = 500;
/// The largest number of combinations that are tried.
const MAX_COMBINATIONS: usize = 400_000;
/// Directions at which the slip of an element with two components is tried.
const DIRECTIONS: usize = 72;
/// Steps of the iteration for sizes of several multipliers that depend on each other.
const MAX_NORM_STEPS: usize = 200;
/// Steps of the iteration for directions of several elements.
const MAX_DIRECTION_STEPS: usize = 400;

/// A state that is not admitted, because the motion has just left it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Forbidden {
    Closed(usize),
    Stick(usize),
    Sign(usize, i8),
}

/// The question at an instant.
pub(super) struct Question<'a> {
    pub(super) frame: &'a Frame,
    /// Whether velocities jump: impulses instead of forces.
    pub(super) jump: bool,
    /// The contacts that touch.
    pub(super) touching: Vec<bool>,
    /// The direction of each friction element that moves.
    pub(super) moving: Vec<Option<Vec<f64>>>,
    /// The coefficients of restitution count; otherwise they are zero.
    pub(super) elastic: bool,
    pub(super) forbidden: &'a [Forbidden],
}

/// An answer: a mode, multipliers and what follows from them.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) mode: Mode,
    /// The directions of friction elements at their limits.
    pub(super) directions: Vec<Vec<f64>>,
    /// The multiplier along each line.
    pub(super) multipliers: Vec<f64>,
    /// The acceleration along each line, or the velocity after a jump.
    pub(super) results: Vec<f64>,
    /// The accelerations, or the change of the velocities.
    pub(super) change: Vec<f64>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// There are none, or several that differ.
    NotUnique,
    /// There are too many combinations.
    TooMany,
}

/// b and D of y = b + D·λ, with scales.
pub(super) struct System<'a> {
    q: &'a Question<'a>,
    b: Vec<f64>,
    scale: Vec<f64>,
    pub(super) d: Vec<Vec<f64>>,
}

/// A contact, a constraint with a sign, or a friction element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Contact(usize),
    Sign(usize),
    Element(usize),
}

/// A unit vector.
fn unit(v: &[f64]) -> Option<Vec<f64>> {
    let size = dot(v, v).sqrt();
    (size > 0.0).then(|| v.iter().map(|x| x / size).collect())
}

/// The solution of a·x = b; `None` for a singular matrix.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for (row, b) in a.iter_mut().zip(&mut b) {
        let size = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return None;
        }
        row.iter_mut().for_each(|x| *x /= size);
        *b /= size;
    }
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[p][k].abs() < SINGULAR {
            return None;
        }
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let l = a[i][k] / a[k][k];
            if l != 0.0 {
                for j in k..n {
                    let t = a[k][j];
                    a[i][j] -= l * t;
                }
                b[i] -= l * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let t: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - t) / a[k][k];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}

impl<'a> System<'a> {
    pub(super) fn new(q: &'a Question<'a>) -> Self {
        let f = q.frame;
        let lines = &f.lines;
        let mut scale = Vec::new();
        let b = lines.iter().enumerate().map(|(k, l)| match q.jump {
            true => {
                scale.push(f.largest_rate(k).max(l.velocity.abs()));
                l.velocity
            }
            false => {
                let terms = l.row.iter().zip(&f.free).map(|(r, a)| (r * a).abs());
                scale.push((terms.sum::<f64>() + l.drift.abs()).max(f.largest_pull(k)));
                dot(&l.row, &f.free) + l.drift
            }
        });
        let b = b.collect();
        let d = lines.iter().map(|r| {
            let row = lines.iter().map(|c| dot(&r.row, &c.raised));
            row.collect()
        });
        Self {
            b,
            d: d.collect(),
            scale,
            q,
        }
    }

    /// The part of the velocity after an impact that restitution asks for: w = γ⁺ + e·γ⁻ ≥ 0.
    fn rebound(&self, contact: usize) -> f64 {
        let c = &self.q.frame.contacts[contact];
        match self.q.jump && self.q.elastic {
            true => c.restitution * self.q.frame.lines[c.line].velocity.min(0.0),
            false => 0.0,
        }
    }

    /// The number, for given sizes of several multipliers together, and the factors of multipliers of a limit.
    fn limit(&self, limit: &Limit, mode: &Mode, norms: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let f = self.q.frame;
        let own = if self.q.jump { 0.0 } else { limit.own };
        let own = own + dot(&limit.norms, norms);
        let of_rows = (0..f.constraints).map(|k| {
            let sign = f64::from(mode.signs[k]);
            (k, limit.constraints[k] + sign * limit.absolute[k])
        });
        let of_contacts = (f.contacts.iter().zip(&limit.contacts)).map(|(c, k)| (c.line, *k));
        let all = of_rows.chain(of_contacts).filter(|t| t.1 != 0.0);
        (own, all.collect())
    }

    /// The multipliers of a mode with given directions; `None` where they are not determined.
    pub(super) fn multipliers(&self, mode: &Mode, directions: &[Vec<f64>]) -> Option<Vec<f64>> {
        let f = self.q.frame;
        let matters = |k: usize| {
            let mut limits = f.elements.iter().zip(&mode.grips);
            limits.any(|(e, g)| {
                let limited = matches!(g, Grip::Slip(_) | Grip::Glide | Grip::Held(_));
                limited && e.slipping.norms[k] != 0.0
            })
        };
        let active: Vec<usize> = (0..f.norms.len()).filter(|&k| matters(k)).collect();
        let mut norms = vec![0.0; f.norms.len()];
        let start = self.multipliers_with(mode, directions, &norms)?;
        if active.is_empty() {
            return Some(start);
        }
        // The multipliers are affine in the sizes: λ₀ + Σ λᵣ·ρᵣ.
        let mut by = Vec::new();
        for &k in &active {
            norms[k] = 1.0;
            let with = self.multipliers_with(mode, directions, &norms)?;
            norms[k] = 0.0;
            by.push(
                with.iter()
                    .zip(&start)
                    .map(|(a, b)| a - b)
                    .collect::<Vec<f64>>(),
            );
        }
        // Beyond one, a size grows with its own friction without end.
        let own = |(k, by): (&usize, &Vec<f64>)| f.norm_product(*k, by, by) < 1.0;
        if !active.iter().zip(&by).all(own) {
            return None;
        }
        let at = |sizes: &[f64]| -> Vec<f64> {
            let mut all = start.clone();
            for (by, s) in by.iter().zip(sizes) {
                all.iter_mut().zip(by).for_each(|(a, b)| *a += b * s);
            }
            all
        };
        let mut sizes = vec![0.0; active.len()];
        for _ in 0..MAX_NORM_STEPS {
            let known = at(&sizes);
            let mut change = 0.0_f64;
            let mut largest = 0.0_f64;
            for (i, &k) in active.iter().enumerate() {
                // The equation of one size, with the others as they are: (1 − q₁₁)ρ² − 2·q₀₁·ρ − q₀₀ = 0.
                let rest: Vec<f64> = (known.iter().zip(&by[i]))
                    .map(|(a, b)| a - b * sizes[i])
                    .collect();
                let middle = f.norm_product(k, &rest, &by[i]);
                let part = 1.0 - f.norm_product(k, &by[i], &by[i]);
                let first = f.norm_product(k, &rest, &rest).max(0.0);
                let new = (middle + (middle * middle + part * first).sqrt()) / part;
                change = change.max((new - sizes[i]).abs());
                largest = largest.max(new);
                sizes[i] = new;
            }
            if active.len() == 1 || change <= 1e-15 * largest {
                return Some(at(&sizes));
            }
        }
        None
    }

    /// The multipliers of a mode with given directions and sizes of several multipliers together.
    fn multipliers_with(
        &self,
        mode: &Mode,
        directions: &[Vec<f64>],
        norms: &[f64],
    ) -> Option<Vec<f64>> {
        let f = self.q.frame;
        let mut unknowns: Vec<usize> = (0..f.constraints).collect();
        for (c, t) in f.contacts.iter().zip(&mode.touches) {
            if *t == Touch::Closed {
                unknowns.push(c.line);
            }
        }
        for (e, g) in f.elements.iter().zip(&mode.grips) {
            match g {
                Grip::Free => {}
                Grip::Stick(mask) => {
                    let kept = e
                        .lines
                        .iter()
                        .enumerate()
                        .filter(|(j, _)| mask & (1 << j) != 0);
                    unknowns.extend(kept.map(|(_, &l)| l));
                }
                _ => unknowns.extend(&e.lines),
            }
        }
        let place = |line: usize| unknowns.iter().position(|&u| u == line);
        let mut a = Vec::new();
        let mut right = Vec::new();
        let held = |line: usize, shift: f64| {
            let row: Vec<f64> = unknowns.iter().map(|&u| self.d[line][u]).collect();
            (row, -(self.b[line] + shift))
        };
        for k in 0..f.constraints {
            let (row, b) = held(k, 0.0);
            a.push(row);
            right.push(b);
        }
        for (k, (c, t)) in f.contacts.iter().zip(&mode.touches).enumerate() {
            if *t == Touch::Closed {
                let (row, b) = held(c.line, self.rebound(k));
                a.push(row);
                right.push(b);
            }
        }
        for (k, (e, g)) in f.elements.iter().zip(&mode.grips).enumerate() {
            match g {
                Grip::Free => {}
                Grip::Stick(mask) => {
                    for (j, &l) in e.lines.iter().enumerate() {
                        if mask & (1 << j) != 0 {
                            let (row, b) = held(l, 0.0);
                            a.push(row);
                            right.push(b);
                        }
                    }
                }
                _ => {
                    let (own, factors) = self.limit(&e.slipping, mode, norms);
                    for (&l, d) in e.lines.iter().zip(&directions[k]) {
                        let mut row = vec![0.0; unknowns.len()];
                        row[place(l)?] = 1.0;
                        for (line, factor) in &factors {
                            if let Some(p) = place(*line) {
                                row[p] += factor * d;
                            }
                        }
                        a.push(row);
                        right.push(-own * d);
                    }
                }
            }
        }
        let found = solved(a, right)?;
        let mut all = vec![0.0; f.lines.len()];
        for (l, x) in unknowns.iter().zip(found) {
            all[*l] = x;
        }
        Some(all)
    }

    /// y = b + D·λ
    fn results(&self, multipliers: &[f64]) -> Vec<f64> {
        let rows = self.b.iter().zip(&self.d);
        rows.map(|(b, d)| b + dot(d, multipliers)).collect()
    }

    /// The size up to which a result along a line is zero.
    fn zero(&self, line: usize, multipliers: &[f64]) -> f64 {
        let terms = self.d[line]
            .iter()
            .zip(multipliers)
            .map(|(d, x)| (d * x).abs());
        ZERO * (self.scale[line] + terms.sum::<f64>()) + f64::MIN_POSITIVE
    }

    /// Whether a mode with its multipliers satisfies all inequalities, with a tolerance.
    fn admits(&self, mode: &Mode, directions: &[Vec<f64>], multipliers: &[f64]) -> bool {
        self.violated(mode, directions, multipliers)
            .next()
            .is_none()
    }

    /// The parts of a mode whose inequality its multipliers do not satisfy, with a tolerance.
    pub(super) fn violated<'b>(
        &'b self,
        mode: &'b Mode,
        directions: &'b [Vec<f64>],
        multipliers: &'b [f64],
    ) -> impl Iterator<Item = Part> + 'b {
        let f = self.q.frame;
        let y = self.results(multipliers);
        let force = move |line: usize| {
            // The force that would cancel the scale of the line.
            let own = self.d[line][line];
            let size = if own > 0.0 {
                self.scale[line] / own
            } else {
                0.0
            };
            ZERO * (size + multipliers[line].abs())
        };
        let largest = multipliers.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let zero = move |line: usize| self.zero(line, multipliers);
        let contact = {
            let y = y.clone();
            move |k: &usize| {
                let line = f.contacts[*k].line;
                self.q.touching[*k]
                    && !match mode.touches[*k] {
                        Touch::Closed => multipliers[line] >= -force(line) - ZERO * largest,
                        _ => y[line] + self.rebound(*k) >= -zero(line),
                    }
            }
        };
        let sign = move |k: &usize| {
            let signed = multipliers[*k] * f64::from(mode.signs[*k]);
            f.signed[*k] && signed < -force(*k) - ZERO * largest
        };
        let element = move |k: &usize| {
            let e = &f.elements[*k];
            !match mode.grips[*k] {
                Grip::Free => true,
                Grip::Stick(mask) => {
                    let (own, factors) = self.limit(&e.sticking, mode, &f.norm_sizes(multipliers));
                    let parts = factors.iter().map(|(l, x)| x * multipliers[*l]);
                    let limit = own + parts.sum::<f64>();
                    let pull: Vec<f64> = e.lines.iter().map(|&l| multipliers[l]).collect();
                    let size = dot(&pull, &pull).sqrt();
                    let slack = e.lines.iter().map(|&l| force(l)).fold(0.0, f64::max);
                    let implied = (0..e.lines.len())
                        .filter(|j| mask & (1 << j) == 0)
                        .all(|j| y[e.lines[j]].abs() <= zero(e.lines[j]));
                    implied && size <= limit + ZERO * limit.abs() + slack
                }
                _ if self.q.moving[*k].is_some() && !self.q.jump => true,
                _ => {
                    // The velocity that begins has the direction of the slip.
                    let d = &directions[*k];
                    let along: f64 = e.lines.iter().zip(d).map(|(&l, d)| y[l] * d).sum();
                    let scale = e.lines.iter().map(|&l| zero(l)).fold(0.0, f64::max);
                    let across = e
                        .lines
                        .iter()
                        .zip(d)
                        .map(|(&l, d)| (y[l] - along * d).abs());
                    along >= -scale
                        && across.fold(0.0, f64::max) <= 10.0 * scale + 1e-6 * along.abs()
                }
            }
        };
        let contacts = (0..f.contacts.len()).filter(contact).map(Part::Contact);
        let signs = (0..f.signed.len()).filter(sign).map(Part::Sign);
        let elements = (0..f.elements.len()).filter(element).map(Part::Element);
        contacts.chain(signs).chain(elements)
    }

    fn answer(&self, mode: Mode, directions: Vec<Vec<f64>>, multipliers: Vec<f64>) -> Answer {
        let f = self.q.frame;
        let mut change = match self.q.jump {
            true => vec![0.0; f.free.len()],
            false => f.free.clone(),
        };
        for (l, x) in f.lines.iter().zip(&multipliers) {
            for (c, r) in change.iter_mut().zip(&l.raised) {
                *c += r * x;
            }
        }
        Answer {
            results: self.results(&multipliers),
            mode,
            directions,
            multipliers,
            change,
        }
    }

    /// The directions of the elements at their limits in a mode, and the elements whose direction is not known yet.
    pub(super) fn directions(&self, mode: &Mode) -> (Vec<Vec<f64>>, Vec<usize>) {
        let mut directions = vec![vec![]; mode.grips.len()];
        let mut open = Vec::new();
        for (k, g) in mode.grips.iter().enumerate() {
            match (g, &self.q.moving[k]) {
                (Grip::Glide, Some(d)) if !self.q.jump => directions[k].clone_from(d),
                (Grip::Glide, _) => open.push(k),
                (Grip::Slip(s) | Grip::Held(s), _) => directions[k] = vec![f64::from(*s)],
                _ => {}
            }
        }
        (directions, open)
    }

    /// The answers of a mode: several where elements with two components may begin to slip in several directions.
    fn answers(&self, mode: &Mode) -> (Vec<Answer>, bool) {
        let (directions, open) = self.directions(mode);
        if open.is_empty() {
            let Some(found) = self.multipliers(mode, &directions) else {
                return (vec![], true);
            };
            let fits = self.admits(mode, &directions, &found);
            let list = fits.then(|| self.answer(mode.clone(), directions, found));
            return (list.into_iter().collect(), false);
        }
        let tried = match open.as_slice() {
            [one] => self.one_direction(mode, &directions, *one),
            _ => self.several_directions(mode, &directions, &open),
        };
        let mut list = Vec::new();
        for directions in tried {
            if let Some(found) = self.multipliers(mode, &directions)
                && self.admits(mode, &directions, &found)
            {
                list.push(self.answer(mode.clone(), directions, found));
            }
        }
        (list, false)
    }

    /// The slip of an element that begins, or remains after a jump, in a direction that is tried.
    fn slip(&self, mode: &Mode, directions: &[Vec<f64>], k: usize) -> Option<[f64; 2]> {
        let found = self.multipliers(mode, directions)?;
        let y = self.results(&found);
        let e = &self.q.frame.elements[k];
        Some([y[e.lines[0]], y[e.lines[1]]])
    }

    /// The directions in which one element may slip: roots of d × y = 0 with d·y ≥ 0.
    fn one_direction(&self, mode: &Mode, known: &[Vec<f64>], k: usize) -> Vec<Vec<Vec<f64>>> {
        let with = |angle: f64| {
            let mut all = known.to_vec();
            all[k] = {
                let (sin, cos) = sin_cos(angle);
                vec![cos, sin]
            };
            all
        };
        let cross = |angle: f64| -> Option<(f64, f64)> {
            let y = self.slip(mode, &with(angle), k)?;
            let (s, c) = sin_cos(angle);
            Some((c * y[1] - s * y[0], c * y[0] + s * y[1]))
        };
        let step = std::f64::consts::TAU / DIRECTIONS as f64;
        let mut list = Vec::new();
        for i in 0..DIRECTIONS {
            let (mut a, mut b) = (step * i as f64 + 0.1, step * (i + 1) as f64 + 0.1);
            let (Some((mut fa, _)), Some((fb, _))) = (cross(a), cross(b)) else {
                continue;
            };
            if fa * fb > 0.0 {
                continue;
            }
            for _ in 0..80 {
                let m = 0.5 * (a + b);
                let Some((fm, _)) = cross(m) else { break };
                if fa * fm <= 0.0 {
                    b = m;
                } else {
                    (a, fa) = (m, fm);
                }
            }
            // Those that begin against their direction are sorted out with the other inequalities: at the end of sticking
            // all accelerations vanish.
            list.push(with(0.5 * (a + b)));
        }
        list
    }

    /// Directions of several elements, by iteration from the motion without their forces.
    fn several_directions(
        &self,
        mode: &Mode,
        known: &[Vec<f64>],
        open: &[usize],
    ) -> Vec<Vec<Vec<f64>>> {
        let mut all = known.to_vec();
        for &k in open {
            all[k] = vec![0.0, 0.0];
        }
        for step in 0..MAX_DIRECTION_STEPS {
            let mut change = 0.0_f64;
            let before = all.clone();
            for &k in open {
                let Some(y) = self.slip(mode, &before, k) else {
                    return vec![];
                };
                let Some(next) = unit(&y) else { return vec![] };
                let mixed: Vec<f64> = match step {
                    0 => next,
                    _ => next.iter().zip(&before[k]).map(|(a, b)| a + b).collect(),
                };
                let Some(next) = unit(&mixed) else {
                    return vec![];
                };
                for (a, b) in next.iter().zip(&before[k]) {
                    change = change.max((a - b).abs());
                }
                all[k] = next;
            }
            if change < 1e-14 {
                break;
            }
        }
        vec![all]
    }
}

/// All answers of a question, those that transmit most first. The flag says whether some modes are not determined.
fn all_answers(q: &Question<'_>, partial: bool) -> Result<(Vec<Answer>, bool), NoAnswer> {
    let system = System::new(q);
    let mut all = Choices::new(q, partial);
    if all.combinations() > FEW_COMBINATIONS
        && let Some(few) = pivots::narrowed(q, &system, &all)
    {
        all = few;
    }
    let total = all.combinations();
    if total > MAX_COMBINATIONS {
        return Err(NoAnswer::TooMany);
    }
    let Choices {
        touches,
        grips,
        signs,
    } = all;
    let mut list: Vec<Answer> = Vec::new();
    let mut singular = false;
    for number in 0..total {
        let mut rest = number;
        let mut next = |n: usize| {
            let k = rest % n;
            rest /= n;
            k
        };
        let mut mode = Mode {
            touches: touches.iter().map(|t| t[next(t.len())]).collect(),
            grips: grips.iter().map(|g| g[next(g.len())]).collect(),
            signs: signs.iter().map(|s| s[next(s.len())]).collect(),
            stopping: 0,
        };
        // The element of an open contact does nothing: one combination is enough.
        let elements = q.frame.elements.iter().zip(&mode.grips).zip(&grips);
        let mut again = false;
        let mut freed = Vec::new();
        for (k, ((e, g), options)) in elements.enumerate() {
            let open = e.contact.is_some_and(|c| mode.touches[c] != Touch::Closed);
            if open && q.touching[e.contact.unwrap_or(0)] {
                again |= *g != options[0];
                freed.push(k);
            }
        }
        if again {
            continue;
        }
        for k in freed {
            mode.grips[k] = Grip::Free;
        }
        let (found, undetermined) = system.answers(&mode);
        singular |= undetermined;
        list.extend(found);
    }
    Ok((list, singular))
}

/// Whether two answers are the same motion: their changes agree compared with what the forces that make them do alone, since
/// at rest all changes are rounding errors.
fn same(q: &Question<'_>, a: &Answer, b: &Answer) -> bool {
    let f = q.frame;
    let largest = |i: usize, multipliers: &[f64]| {
        let own = if q.jump { 0.0 } else { f.free[i].abs() };
        let terms = f.lines.iter().zip(multipliers);
        own + terms.map(|(l, x)| (l.raised[i] * x).abs()).sum::<f64>()
    };
    let scale = (0..f.free.len())
        .map(|i| largest(i, &a.multipliers).max(largest(i, &b.multipliers)))
        .fold(0.0, f64::max);
    let pairs = a.change.iter().zip(&b.change);
    pairs
        .into_iter()
        .all(|(x, y)| (x - y).abs() <= 1e-6 * scale)
}

/// The answers of a question, which are all the same motion; the first is preferred.
pub(super) fn answers(q: &Question<'_>) -> Result<Vec<Answer>, NoAnswer> {
    let (mut list, singular) = all_answers(q, false)?;
    if singular || list.is_empty() {
        list = all_answers(q, true)?.0;
    }
    // Elements that stick more than they slip remain at rest where they can.
    let rests = |a: &Answer, k: usize| matches!(a.mode.grips[k], Grip::Stick(_));
    for (k, e) in q.frame.elements.iter().enumerate() {
        if e.sticks_more && list.iter().any(|a| rests(a, k)) {
            list.retain(|a| rests(a, k));
        }
    }
    // One that begins to slip without a velocity does not slip, where others hold it.
    let system = System::new(q);
    let idles = |a: &Answer, k: usize, lines: &[usize]| {
        let still = |&l: &usize| a.results[l].abs() <= system.zero(l, &a.multipliers);
        a.mode.grips[k] == Grip::Glide && q.moving[k].is_none() && lines.iter().all(still)
    };
    for (k, e) in q.frame.elements.iter().enumerate() {
        if list.iter().any(|a| rests(a, k)) {
            list.retain(|a| !idles(a, k, &e.lines));
        }
    }
    let Some(first) = list.first() else {
        return Err(NoAnswer::NotUnique);
    };
    match list.iter().all(|a| same(q, first, a)) {
        true => Ok(list),
        false => Err(NoAnswer::NotUnique),
    }
}

/// Whether a mode, with the directions of an answer, satisfies all inequalities at another state.
pub(super) fn remains(q: &Question<'_>, answer: &Answer) -> bool {
    let system = System::new(q);
    let found = system.multipliers(&answer.mode, &answer.directions);
    found.is_some_and(|m| system.admits(&answer.mode, &answer.directions, &m))
}

/// The margin of an element that sticks: the unused part of its limit, relative to the limit; `None` for an element that
/// does not stick. An element that has just come to rest and begins to slip has the margin zero.
pub(super) fn margin(frame: &Frame, mode: &Mode, k: usize, answer: &Answer) -> Option<f64> {
    let e = &frame.elements[k];
    match mode.grips[k] {
        Grip::Stick(_) => {
            let m = &answer.multipliers;
            let limit = e.sticking.value(frame, m).0;
            let pull: Vec<f64> = e.lines.iter().map(|&l| m[l]).collect();
            Some(match limit > 0.0 {
                true => 1.0 - dot(&pull, &pull).sqrt() / limit,
                false => 0.0,
            })
        }
        Grip::Held(_) => Some(0.0),
        Grip::Slip(_) | Grip::Glide => {
            let v = e.velocity(frame);
            let most = e.lines.iter().map(|&l| frame.largest_rate(l));
            let rests = dot(&v, &v).sqrt() <= ZERO * most.fold(0.0, f64::max);
            rests.then_some(0.0)
        }
        Grip::Free => None,
    }
}

/// The mode of an answer with its idle parts: contacts and elements that are at rest because others imply it.
pub(super) fn with_idle_parts(q: &Question<'_>, answer: &Answer) -> Mode {
    let system = System::new(q);
    let f = q.frame;
    let mut mode = answer.mode.clone();
    let mut active: Vec<usize> = (0..f.constraints).collect();
    for (c, t) in f.contacts.iter().zip(&mode.touches) {
        if *t == Touch::Closed {
            active.push(c.line);
        }
    }
    for (e, g) in f.elements.iter().zip(&mode.grips) {
        if let Grip::Stick(mask) = g {
            let kept = e
                .lines
                .iter()
                .enumerate()
                .filter(|(j, _)| mask & (1 << j) != 0);
            active.extend(kept.map(|(_, &l)| l));
        }
    }
    let implied = |line: usize| {
        let rest = system.results(&answer.multipliers)[line].abs();
        let rows = |more: &[usize]| -> Vec<Vec<f64>> {
            let list = active.iter().chain(more);
            let rows = list.map(|&l| f.lines[l].row.clone());
            rows.map(|r| unit(&r).unwrap_or(r)).collect()
        };
        rest <= system.zero(line, &answer.multipliers)
            && galilei_linear::rank(rows(&[line])) == galilei_linear::rank(rows(&[]))
    };
    for (k, c) in f.contacts.iter().enumerate() {
        if q.touching[k] && mode.touches[k] == Touch::Open && implied(c.line) {
            mode.touches[k] = Touch::Resting;
        }
    }
    for (k, e) in f.elements.iter().enumerate() {
        if let Grip::Slip(s) = mode.grips[k]
            && q.moving[k].is_none()
            && implied(e.lines[0])
        {
            mode.grips[k] = Grip::Held(s);
        }
    }
    mode
}
