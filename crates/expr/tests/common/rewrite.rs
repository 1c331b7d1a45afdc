//! Rewrites of trees that are valid wherever both sides are defined, and changes that are not.
#![allow(dead_code)]

use galilei_expr::{Comparison, Function};

use super::draw::{Bytes, Menu};
use super::tree::Tree;
use Function::{
    Abs, Acos, Asin, Atan, Atan2, Cos, Cosh, Exp, Log, Max, Min, Sign, Sin, Sinh, Tan, Tanh,
};

/// A rule: the tree in another form, if it has the shape the rule is about.
type Rule = fn(&Tree, &mut Bytes<'_>) -> Option<Tree>;

fn call(f: Function, a: &Tree) -> Tree {
    Tree::call(f, a.clone())
}

/// The argument, if the tree is f of it.
fn argument(tree: &Tree, f: Function) -> Option<&Tree> {
    match tree {
        Tree::Call(g, list) if *g == f && list.len() == 1 => Some(&list[0]),
        _ => None,
    }
}

fn pair(tree: &Tree, f: Function) -> Option<(&Tree, &Tree)> {
    match tree {
        Tree::Call(g, list) if *g == f && list.len() == 2 => Some((&list[0], &list[1])),
        _ => None,
    }
}

/// a + b, split anywhere.
fn sum(tree: &Tree, bytes: &mut Bytes<'_>) -> Option<(Tree, Tree)> {
    match tree {
        Tree::Sum(terms) if terms.len() >= 2 => {
            let k = 1 + bytes.below(terms.len() - 1);
            Some((
                Tree::Sum(terms[..k].to_vec()),
                Tree::Sum(terms[k..].to_vec()),
            ))
        }
        _ => None,
    }
}

fn small(bytes: &mut Bytes<'_>) -> Tree {
    Tree::draw(bytes, &Menu::CIRCULAR, 1)
}

fn square(a: Tree) -> Tree {
    a.pow(2, 1)
}

/// Every rule with its name. Each is valid wherever both sides are defined; none widens a domain
/// into a part where the two would differ.
pub(crate) const RULES: [(&str, Rule); 62] = [
    // Circular functions.
    ("sin(a+b)", |t, b| {
        let (p, q) = sum(argument(t, Sin)?, b)?;
        Some(
            call(Sin, &p)
                .times(call(Cos, &q))
                .plus(call(Cos, &p).times(call(Sin, &q))),
        )
    }),
    ("cos(a+b)", |t, b| {
        let (p, q) = sum(argument(t, Cos)?, b)?;
        Some(
            call(Cos, &p)
                .times(call(Cos, &q))
                .minus(call(Sin, &p).times(call(Sin, &q))),
        )
    }),
    ("tan(a+b)", |t, b| {
        let (p, q) = sum(argument(t, Tan)?, b)?;
        let (p, q) = (call(Tan, &p), call(Tan, &q));
        Some(
            p.clone()
                .plus(q.clone())
                .over(Tree::int(1).minus(p.times(q))),
        )
    }),
    ("sin 2a", |t, _| {
        let half = argument(t, Sin)?.clone().scaled(1, 2);
        Some(Tree::int(2).times(call(Sin, &half)).times(call(Cos, &half)))
    }),
    ("cos 2a by sin", |t, _| {
        let half = argument(t, Cos)?.clone().scaled(1, 2);
        Some(Tree::int(1).minus(Tree::int(2).times(square(call(Sin, &half)))))
    }),
    ("cos 2a by cos", |t, _| {
        let half = argument(t, Cos)?.clone().scaled(1, 2);
        Some(
            Tree::int(2)
                .times(square(call(Cos, &half)))
                .minus(Tree::int(1)),
        )
    }),
    ("sin 3a", |t, _| {
        let s = call(Sin, &argument(t, Sin)?.clone().scaled(1, 3));
        Some(s.clone().scaled(3, 1).minus(s.pow(3, 1).scaled(4, 1)))
    }),
    ("sin by tan of half", |t, _| {
        let h = call(Tan, &argument(t, Sin)?.clone().scaled(1, 2));
        Some(h.clone().scaled(2, 1).over(Tree::int(1).plus(square(h))))
    }),
    ("sin by cos", |t, _| {
        Some(call(
            Cos,
            &Tree::Pi.scaled(1, 2).minus(argument(t, Sin)?.clone()),
        ))
    }),
    ("cos by sin", |t, _| {
        Some(call(
            Sin,
            &Tree::Pi.scaled(1, 2).plus(argument(t, Cos)?.clone()),
        ))
    }),
    ("sin(a+π)", |t, _| {
        Some(call(Sin, &argument(t, Sin)?.clone().plus(Tree::Pi)).negative())
    }),
    ("sin² = 1 − cos²", |t, _| match t {
        Tree::Power(base, 2, 1) => {
            Some(Tree::int(1).minus(square(call(Cos, argument(base, Sin)?))))
        }
        _ => None,
    }),
    ("tan = sin/cos", |t, _| {
        let a = argument(t, Tan)?;
        Some(call(Sin, a).over(call(Cos, a)))
    }),
    ("tan = (1 − cos 2a)/sin 2a", |t, _| {
        let a = argument(t, Tan)?.clone().scaled(2, 1);
        Some(Tree::int(1).minus(call(Cos, &a)).over(call(Sin, &a)))
    }),
    // Exponential and hyperbolic functions.
    ("exp(a+b)", |t, b| {
        let (p, q) = sum(argument(t, Exp)?, b)?;
        Some(call(Exp, &p).times(call(Exp, &q)))
    }),
    ("exp a = (exp a/2)²", |t, _| {
        Some(square(call(Exp, &argument(t, Exp)?.clone().scaled(1, 2))))
    }),
    ("exp = cosh + sinh", |t, _| {
        let a = argument(t, Exp)?;
        Some(call(Cosh, a).plus(call(Sinh, a)))
    }),
    ("exp a = 1/exp(−a)", |t, _| {
        Some(Tree::int(1).over(call(Exp, &argument(t, Exp)?.clone().negative())))
    }),
    ("sinh by exp", |t, _| {
        let a = argument(t, Sinh)?;
        Some(
            call(Exp, a)
                .minus(call(Exp, &a.clone().negative()))
                .scaled(1, 2),
        )
    }),
    ("cosh by exp", |t, _| {
        let a = argument(t, Cosh)?;
        Some(
            call(Exp, a)
                .plus(call(Exp, &a.clone().negative()))
                .scaled(1, 2),
        )
    }),
    ("sinh(a+b)", |t, b| {
        let (p, q) = sum(argument(t, Sinh)?, b)?;
        Some(
            call(Sinh, &p)
                .times(call(Cosh, &q))
                .plus(call(Cosh, &p).times(call(Sinh, &q))),
        )
    }),
    ("cosh² = 1 + sinh²", |t, _| match t {
        Tree::Power(base, 2, 1) => {
            Some(Tree::int(1).plus(square(call(Sinh, argument(base, Cosh)?))))
        }
        _ => None,
    }),
    ("tanh = sinh/cosh", |t, _| {
        let a = argument(t, Tanh)?;
        Some(call(Sinh, a).over(call(Cosh, a)))
    }),
    ("tanh by exp", |t, _| {
        let e = call(Exp, &argument(t, Tanh)?.clone().scaled(2, 1));
        Some(e.clone().minus(Tree::int(1)).over(e.plus(Tree::int(1))))
    }),
    // Logarithms.
    ("log a = −log 1/a", |t, _| {
        Some(call(Log, &argument(t, Log)?.clone().pow(-1, 1)).negative())
    }),
    ("log a = 2·log √a", |t, _| {
        Some(call(Log, &argument(t, Log)?.clone().root()).scaled(2, 1))
    }),
    ("log a = 3·log a^⅓", |t, _| {
        Some(call(Log, &argument(t, Log)?.clone().pow(1, 3)).scaled(3, 1))
    }),
    ("log ab = log a + log b", |t, _| match argument(t, Log)? {
        Tree::Product(list) if list.len() == 2 => {
            Some(call(Log, &list[0]).plus(call(Log, &list[1])))
        }
        _ => None,
    }),
    ("a = log exp a", |t, _| Some(call(Log, &call(Exp, t)))),
    ("a = exp log a", |t, _| Some(call(Exp, &call(Log, t)))),
    // Inverse functions.
    ("asin by atan2", |t, _| {
        let a = argument(t, Asin)?;
        Some(Tree::call2(
            Atan2,
            a.clone(),
            Tree::int(1).minus(square(a.clone())).root(),
        ))
    }),
    ("asin = π/2 − acos", |t, _| {
        Some(Tree::Pi.scaled(1, 2).minus(call(Acos, argument(t, Asin)?)))
    }),
    ("acos by atan2", |t, _| {
        let a = argument(t, Acos)?;
        let (p, q) = (
            Tree::int(1).minus(a.clone()).root(),
            Tree::int(1).plus(a.clone()).root(),
        );
        Some(Tree::call2(Atan2, p, q).scaled(2, 1))
    }),
    ("atan by atan2", |t, _| {
        Some(Tree::call2(Atan2, argument(t, Atan)?.clone(), Tree::int(1)))
    }),
    ("atan by asin", |t, _| {
        let a = argument(t, Atan)?;
        Some(call(
            Asin,
            &a.clone().over(square(a.clone()).plus(Tree::int(1)).root()),
        ))
    }),
    ("atan2 by half angle", |t, _| {
        let (y, x) = pair(t, Atan2)?;
        let r = square(x.clone()).plus(square(y.clone())).root();
        Some(call(Atan, &y.clone().over(r.plus(x.clone()))).scaled(2, 1))
    }),
    ("atan2 scaled", |t, _| {
        let (y, x) = pair(t, Atan2)?;
        Some(Tree::call2(
            Atan2,
            y.clone().scaled(3, 1),
            x.clone().scaled(3, 1),
        ))
    }),
    ("a = sin asin a", |t, _| Some(call(Sin, &call(Asin, t)))),
    ("a = tan atan a", |t, _| Some(call(Tan, &call(Atan, t)))),
    ("a = cos acos a", |t, _| Some(call(Cos, &call(Acos, t)))),
    ("a = sinh of its logarithm", |t, _| {
        let root = square(t.clone()).plus(Tree::int(1)).root();
        Some(call(Sinh, &call(Log, &t.clone().plus(root))))
    }),
    // Sums, products, powers.
    ("a(b+c)", |t, b| match t {
        Tree::Product(list) if list.len() >= 2 => {
            let k = b.below(list.len());
            let Tree::Sum(terms) = &list[k] else {
                return None;
            };
            let term = |x: &Tree| {
                let mut factors = list.clone();
                factors[k] = x.clone();
                Tree::Product(factors)
            };
            Some(Tree::Sum(terms.iter().map(term).collect()))
        }
        _ => None,
    }),
    ("(a+b)²", |t, b| match t {
        Tree::Power(base, 2, 1) => {
            let (p, q) = sum(base, b)?;
            let cross = p.clone().times(q.clone()).scaled(2, 1);
            Some(Tree::Sum(vec![square(p), cross, square(q)]))
        }
        _ => None,
    }),
    ("a² − b²", |t, _| match t {
        Tree::Sum(list) if list.len() == 2 => {
            let (a, b) = (&list[0], &list[1]);
            // a + b = (a² − b²)/(a − b)
            let above = square(a.clone()).minus(square(b.clone()));
            Some(above.over(a.clone().minus(b.clone())))
        }
        _ => None,
    }),
    ("aⁿ = aⁿ⁻¹·a", |t, _| match t {
        Tree::Power(base, n, 1) => Some(base.clone().pow(n - 1, 1).times((**base).clone())),
        _ => None,
    }),
    ("a^q = a^(q/2)·a^(q/2)", |t, _| match t {
        Tree::Power(base, n, d) => {
            let half = base.clone().pow(*n, 2 * d);
            Some(half.clone().times(half))
        }
        _ => None,
    }),
    ("a^q by exp and log", |t, _| match t {
        Tree::Power(base, n, d) => Some(call(Exp, &call(Log, base).scaled(*n, *d))),
        _ => None,
    }),
    ("√a² = |a|", |t, _| match t {
        Tree::Power(base, 1, 2) => match &**base {
            Tree::Power(a, 2, 1) => Some(call(Abs, a)),
            _ => None,
        },
        _ => None,
    }),
    ("a = (a³)^⅓", |t, _| Some(t.clone().pow(3, 1).pow(1, 3))),
    ("a = a + w − w", |t, b| {
        let w = small(b);
        Some(t.clone().plus(w.clone()).minus(w))
    }),
    ("a = (a·w + a)/(w + 1)", |t, b| {
        let w = small(b);
        Some(
            t.clone()
                .times(w.clone())
                .plus(t.clone())
                .over(w.plus(Tree::int(1))),
        )
    }),
    ("a = a·(sin² + cos²)", |t, b| {
        let w = small(b);
        Some(
            t.clone()
                .times(square(call(Sin, &w)).plus(square(call(Cos, &w)))),
        )
    }),
    // Signs.
    ("|a| = √a²", |t, _| {
        Some(square(argument(t, Abs)?.clone()).root())
    }),
    ("|a| = a·sign a", |t, _| {
        let a = argument(t, Abs)?;
        Some(a.clone().times(call(Sign, a)))
    }),
    ("|a| = max(a, −a)", |t, _| {
        let a = argument(t, Abs)?;
        Some(Tree::call2(Max, a.clone(), a.clone().negative()))
    }),
    ("sign a = a/|a|", |t, _| {
        let a = argument(t, Sign)?;
        Some(a.clone().over(call(Abs, a)))
    }),
    ("sign by cases", |t, _| {
        let (a, zero) = (argument(t, Sign)?, Tree::int(0));
        let up = Tree::condition(
            Comparison::Less,
            zero.clone(),
            a.clone(),
            Tree::int(1),
            zero.clone(),
        );
        Some(Tree::condition(
            Comparison::Less,
            a.clone(),
            zero,
            Tree::int(-1),
            up,
        ))
    }),
    ("min by abs", |t, _| {
        let (a, b) = pair(t, Min)?;
        let difference = call(Abs, &a.clone().minus(b.clone()));
        Some(a.clone().plus(b.clone()).minus(difference).scaled(1, 2))
    }),
    ("max by min", |t, _| {
        let (a, b) = pair(t, Max)?;
        Some(
            a.clone()
                .plus(b.clone())
                .minus(Tree::call2(Min, a.clone(), b.clone())),
        )
    }),
    ("max by cases", |t, _| {
        let (a, b) = pair(t, Max)?;
        Some(Tree::condition(
            Comparison::LessEqual,
            a.clone(),
            b.clone(),
            b.clone(),
            a.clone(),
        ))
    }),
    ("if turned around", |t, _| match t {
        Tree::If(c, p) => {
            let other = match c {
                Comparison::Less => Comparison::LessEqual,
                Comparison::LessEqual => Comparison::Less,
            };
            Some(Tree::condition(
                other,
                p[1].clone(),
                p[0].clone(),
                p[3].clone(),
                p[2].clone(),
            ))
        }
        _ => None,
    }),
    ("if as a correction", |t, _| match t {
        Tree::If(c, p) => {
            let jump = p[2].clone().minus(p[3].clone());
            let part = Tree::condition(*c, p[0].clone(), p[1].clone(), jump, Tree::int(0));
            Some(p[3].clone().plus(part))
        }
        _ => None,
    }),
];

/// The tree with one rule applied at one node, and the name of the rule.
pub(crate) fn rewrite(tree: &Tree, bytes: &mut Bytes<'_>) -> Option<(&'static str, Tree)> {
    let size = tree.size().min(256);
    // Most rules want a certain shape: a few attempts usually find one.
    for _ in 0..24 {
        let (name, rule) = bytes.choose(&RULES);
        let mut result = tree.clone();
        let node = result.node_mut(bytes.below(size))?;
        if let Some(other) = rule(node, bytes) {
            *node = other;
            return Some((name, result));
        }
    }
    None
}

/// The tree with something changed: a number, a sign, an exponent, a function.
pub(crate) fn plant(tree: &Tree, bytes: &mut Bytes<'_>) -> Option<(&'static str, Tree)> {
    let mut result = tree.clone();
    let size = result.size().min(256);
    let node = result.node_mut(bytes.below(size))?;
    let old = node.clone();
    let (name, new) = match (old, bytes.below(4)) {
        (Tree::Number(n, d), _) => ("another number", Tree::Number(n + 1, d)),
        (Tree::Power(base, n, d), 0..=1) => ("another exponent", Tree::Power(base, n + d, d)),
        (Tree::Call(f, list), 0..=2) => {
            let other = match f {
                Sin => Cos,
                Cos => Sin,
                Tan => Atan,
                Asin => Acos,
                Acos => Asin,
                Atan => Tanh,
                Sinh => Cosh,
                Cosh => Sinh,
                Tanh => Sinh,
                Exp => Cosh,
                Log => Atan,
                Abs => Sign,
                Sign => Tanh,
                Atan2 => Max,
                Min => Max,
                Max => Min,
            };
            ("another function", Tree::Call(other, list))
        }
        (Tree::Sum(mut terms), 0) => {
            terms.pop();
            ("a term lost", Tree::Sum(terms))
        }
        (Tree::If(c, p), 0..=2) => {
            let [a, b, then, otherwise] = *p;
            (
                "branches exchanged",
                Tree::condition(c, a, b, otherwise, then),
            )
        }
        (Tree::Undetermined(f, mut orders, list), 0..=2) => {
            orders[0] += 1;
            ("another derivative", Tree::Undetermined(f, orders, list))
        }
        (other, 1) => ("a sign", other.negative()),
        (other, 2) => ("a factor", other.scaled(3, 2)),
        (other, _) => ("a small term", other.plus(Tree::Number(1, 1000))),
    };
    *node = new;
    Some((name, result))
}
