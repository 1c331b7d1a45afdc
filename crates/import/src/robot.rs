//! Robots as URDF describes them: links, joints, and the tree they form.

use std::collections::HashMap;

use galilei_model::{Code, Diagnostic, Span};
use roxmltree::{Document, Node};

use crate::number::Number;

/// Three numbers.
pub(crate) type Triple = [Number; 3];

/// `<origin xyz="…" rpy="…"/>`
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) xyz: Triple,
    pub(crate) rpy: Triple,
}

/// The inertia of a link.
#[derive(Clone, Debug)]
pub(crate) struct Inertial {
    pub(crate) origin: Origin,
    pub(crate) mass: Number,
    /// xx, yy, zz, xy, xz, yz
    pub(crate) inertia: [Number; 6],
}

impl Inertial {
    /// Whether it has a mass or a moment of inertia.
    pub(crate) fn is_heavy(&self) -> bool {
        !self.mass.is_zero() || self.inertia.iter().any(|x| !x.is_zero())
    }
}

/// A primitive shape.
#[derive(Clone, Debug)]
pub(crate) struct Visual {
    pub(crate) origin: Origin,
    /// `sphere`, `cylinder` or `box`.
    pub(crate) shape: &'static str,
    pub(crate) sizes: Vec<Number>,
}

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) inertial: Option<Inertial>,
    pub(crate) visuals: Vec<Visual>,
}

/// The types of joints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

/// A joint.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    pub(crate) origin: Origin,
    pub(crate) axis: Triple,
    /// The lower and upper limit.
    pub(crate) limits: Option<[Number; 2]>,
    pub(crate) damping: Number,
    pub(crate) friction: Number,
    /// The joint that this one follows, its factor and its offset.
    pub(crate) mimic: Option<(usize, Number, Number)>,
    pub(crate) span: Span,
}

/// A robot: links and joints that form a tree.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) root: usize,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The place of the robot in the file.
    pub(crate) span: Span,
}

/// The link that is the space itself, which may go without a description.
const WORLD: &str = "world";

struct Reader {
    errors: Vec<Diagnostic>,
}

fn place(node: Node<'_, '_>) -> Span {
    let range = node.range();
    Span::new(range.start, range.end.min(range.start + 200))
}

fn child<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|n| n.has_tag_name(name))
}

impl Reader {
    fn error(&mut self, message: impl Into<String>, hint: &str, at: Span) {
        self.errors
            .push(Diagnostic::error(Code::InvalidUrdf, message, hint, at));
    }

    fn numbers<const N: usize>(
        &mut self,
        node: Node<'_, '_>,
        attribute: &str,
    ) -> Option<[Number; N]> {
        let text = node.attribute(attribute)?;
        let list: Option<Vec<Number>> = text.split_whitespace().map(Number::read).collect();
        match list.map(<[Number; N]>::try_from) {
            Some(Ok(list)) => Some(list),
            _ => {
                self.error(
                    format!(
                        "`{attribute}=\"{text}\"` does not hold {N} number{}",
                        if N == 1 { "" } else { "s" }
                    ),
                    "write decimal numbers with spaces between them",
                    place(node),
                );
                None
            }
        }
    }

    fn number(&mut self, node: Node<'_, '_>, attribute: &str) -> Number {
        let [x] = self
            .numbers::<1>(node, attribute)
            .unwrap_or([Number::zero()]);
        x
    }

    fn triple(&mut self, node: Node<'_, '_>, attribute: &str) -> Triple {
        let zero = [const { Number::zero() }; 3];
        self.numbers::<3>(node, attribute).unwrap_or(zero)
    }

    fn origin(&mut self, node: Node<'_, '_>) -> Origin {
        let zero = || [const { Number::zero() }; 3];
        match child(node, "origin") {
            Some(o) => Origin {
                xyz: self.triple(o, "xyz").map(|x| x.rounded(1.0)),
                rpy: self.triple(o, "rpy").map(|x| x.rounded(1.0)),
            },
            None => Origin {
                xyz: zero(),
                rpy: zero(),
            },
        }
    }

    fn link(&mut self, node: Node<'_, '_>) -> Link {
        let name = node.attribute("name").unwrap_or_default().to_owned();
        let inertial = child(node, "inertial").map(|i| {
            let mass = child(i, "mass").map_or_else(Number::zero, |m| self.number(m, "value"));
            if mass.is_negative() {
                self.error(
                    format!("the mass of the link `{name}` is negative"),
                    "masses are positive, or zero for links without inertia",
                    place(i),
                );
            }
            let keys = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
            let inertia = match child(i, "inertia") {
                Some(t) => keys.map(|k| self.number(t, k)),
                None => keys.map(|_| Number::zero()),
            };
            Inertial {
                origin: self.origin(i),
                mass,
                inertia,
            }
        });
        let mut visuals = Vec::new();
        for v in node.children().filter(|n| n.has_tag_name("visual")) {
            let Some(geometry) = child(v, "geometry") else {
                continue;
            };
            let origin = self.origin(v);
            if let Some(s) = child(geometry, "sphere") {
                let sizes = vec![self.number(s, "radius")];
                visuals.push(Visual {
                    origin,
                    shape: "sphere",
                    sizes,
                });
            } else if let Some(c) = child(geometry, "cylinder") {
                let sizes = vec![self.number(c, "radius"), self.number(c, "length")];
                visuals.push(Visual {
                    origin,
                    shape: "cylinder",
                    sizes,
                });
            } else if let Some(b) = child(geometry, "box") {
                let sizes = self.triple(b, "size").to_vec();
                visuals.push(Visual {
                    origin,
                    shape: "box",
                    sizes,
                });
            }
        }
        visuals.retain(|v| v.sizes.iter().all(|x| x.value() > 0.0));
        Link {
            name,
            inertial,
            visuals,
        }
    }

    fn joint(&mut self, node: Node<'_, '_>, links: &HashMap<String, usize>) -> Option<Joint> {
        let name = node.attribute("name").unwrap_or_default().to_owned();
        let span = place(node);
        let kind =
            match node.attribute("type") {
                Some("revolute") => Type::Revolute,
                Some("continuous") => Type::Continuous,
                Some("prismatic") => Type::Prismatic,
                Some("fixed") => Type::Fixed,
                Some("floating") => Type::Floating,
                Some("planar") => Type::Planar,
                other => {
                    self.error(
                    format!("the joint `{name}` has the type `{}`", other.unwrap_or_default()),
                    "types of joints are revolute, continuous, prismatic, fixed, floating, planar",
                    span,
                );
                    return None;
                }
            };
        let mut end = |tag: &str| {
            let link = child(node, tag)
                .and_then(|n| n.attribute("link"))
                .unwrap_or_default();
            let found = links.get(link).copied();
            if found.is_none() {
                self.error(
                    format!(
                        "the {tag} of the joint `{name}` is `{link}`, and there is no such link"
                    ),
                    "a joint connects two links: <parent link=\"…\"/>, <child link=\"…\"/>",
                    span,
                );
            }
            found
        };
        let (parent, end) = (end("parent"), end("child"));
        let (parent, end) = (parent?, end?);
        let one = |text: &str| Number::read(text).unwrap_or(Number::zero());
        let axis = match child(node, "axis").filter(|a| a.has_attribute("xyz")) {
            Some(a) => {
                let axis = self.triple(a, "xyz");
                let size = axis.iter().fold(0.0_f64, |m, x| m.max(x.value().abs()));
                axis.map(|x| x.rounded(size))
            }
            None => [one("1"), one("0"), one("0")],
        };
        let turning = matches!(
            kind,
            Type::Revolute | Type::Continuous | Type::Prismatic | Type::Planar
        );
        if turning && axis.iter().all(Number::is_zero) {
            self.error(
                format!("the axis of the joint `{name}` has no direction"),
                "write <axis xyz=\"0 0 1\"/>",
                span,
            );
        }
        let limits = child(node, "limit")
            .filter(|_| matches!(kind, Type::Revolute | Type::Prismatic))
            .map(|l| [self.number(l, "lower"), self.number(l, "upper")])
            .filter(|[low, high]| low.value() < high.value());
        let dynamics = child(node, "dynamics");
        let mut dynamic = |key: &str| dynamics.map_or_else(Number::zero, |d| self.number(d, key));
        let (damping, friction) = (dynamic("damping"), dynamic("friction"));
        Some(Joint {
            name,
            kind,
            parent,
            child: end,
            origin: self.origin(node),
            axis,
            limits,
            damping,
            friction,
            mimic: None,
            span,
        })
    }
}

pub(crate) fn read(text: &str) -> Result<Robot, Vec<Diagnostic>> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|e| {
        let (line, column) = (e.pos().row as usize, e.pos().col as usize);
        let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
        let at = (start + column.saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
        vec![Diagnostic::error(
            Code::InvalidUrdf,
            format!("this is no XML: {e}"),
            "URDF files are XML with the root <robot name=\"…\">; xacro files must be expanded first",
            Span::new(at, at),
        )]
    })?;
    let root = document.root_element();
    let mut reader = Reader { errors: vec![] };
    if !root.has_tag_name("robot") {
        reader.error(
            format!(
                "the root element is <{}>, not <robot>",
                root.tag_name().name()
            ),
            "URDF files describe one <robot name=\"…\">",
            place(root),
        );
        return Err(reader.errors);
    }
    let mut links: Vec<Link> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for node in root.children().filter(|n| n.has_tag_name("link")) {
        let link = reader.link(node);
        if by_name.insert(link.name.clone(), links.len()).is_some() || link.name.is_empty() {
            reader.error(
                format!("there are two links `{}`", link.name),
                "links have different names",
                place(node),
            );
        }
        links.push(link);
    }
    // A joint may hang on the space itself, which is a link without a description then.
    let on_world = |n: &Node<'_, '_>| {
        n.has_tag_name("joint")
            && child(*n, "parent").and_then(|p| p.attribute("link")) == Some(WORLD)
    };
    if !by_name.contains_key(WORLD) && root.children().any(|n| on_world(&n)) {
        by_name.insert(WORLD.to_owned(), links.len());
        links.push(Link {
            name: WORLD.to_owned(),
            inertial: None,
            visuals: vec![],
        });
    }
    let mut joints: Vec<Joint> = Vec::new();
    let mut mimics = Vec::new();
    let mut warnings = Vec::new();
    // Transmissions and gazebo extensions contain <joint>, too; joints are children of the root.
    for node in root.children().filter(|n| n.has_tag_name("joint")) {
        let Some(joint) = reader.joint(node, &by_name) else {
            continue;
        };
        if joints.iter().any(|j| j.child == joint.child) {
            reader.error(
                format!(
                    "the link `{}` is the child of two joints",
                    links[joint.child].name
                ),
                "URDF describes trees; close loops by constraints in the model",
                joint.span,
            );
        }
        if joints.iter().any(|j| j.name == joint.name) {
            reader.error(
                format!("there are two joints `{}`", joint.name),
                "joints have different names",
                joint.span,
            );
        }
        let several = matches!(joint.kind, Type::Floating | Type::Planar);
        if several && !(joint.damping.is_zero() && joint.friction.is_zero()) {
            warnings.push(Diagnostic::warning(
                Code::InvalidUrdf,
                format!(
                    "`{}` has several degrees of freedom, and <dynamics> does not say which of them it brakes",
                    joint.name
                ),
                "the model has no damping and no friction there; write a `dissipation` or a `force` for it",
                joint.span,
            ));
        }
        if let Some(m) = child(node, "mimic") {
            mimics.push((joints.len(), m));
        }
        joints.push(joint);
    }
    for (k, node) in mimics {
        let leader = node.attribute("joint").unwrap_or_default();
        let Some(found) = joints.iter().position(|j| j.name == leader) else {
            warnings.push(Diagnostic::warning(
                Code::InvalidUrdf,
                format!(
                    "`{}` follows the joint `{leader}`, which does not exist",
                    joints[k].name
                ),
                "the joint moves freely in the model; write a constraint if it should not",
                place(node),
            ));
            continue;
        };
        let factor = match node.has_attribute("multiplier") {
            true => reader.number(node, "multiplier"),
            false => Number::read("1").unwrap_or(Number::zero()),
        };
        joints[k].mimic = Some((found, factor, reader.number(node, "offset")));
    }
    let is_root = |k: &usize| !joints.iter().any(|j| j.child == *k);
    let roots: Vec<usize> = (0..links.len()).filter(is_root).collect();
    if reader.errors.is_empty() && roots.len() != 1 {
        let names: Vec<&str> = roots.iter().map(|&k| links[k].name.as_str()).collect();
        reader.error(
            match names.len() {
                0 if links.is_empty() => "there are no links".to_owned(),
                0 => "no link is the root: the joints form a loop".to_owned(),
                _ => format!("there are {} roots: {}", names.len(), names.join(", ")),
            },
            "one link has no joint that leads to it",
            place(root),
        );
    }
    if reader.errors.is_empty() {
        // Joints that cannot be reached from the root form a loop.
        let mut reached = vec![roots[0]];
        let mut at = 0;
        while at < reached.len() {
            let outward = joints
                .iter()
                .filter(|j| j.parent == reached[at])
                .map(|j| j.child);
            let next: Vec<usize> = outward.collect();
            reached.extend(next);
            at += 1;
        }
        if reached.len() != links.len() {
            reader.error(
                "some joints form a loop that does not contain the root",
                "URDF describes trees; close loops by constraints in the model",
                place(root),
            );
        }
    }
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    let mut robot = Robot {
        name: root.attribute("name").unwrap_or("robot").to_owned(),
        links,
        joints,
        root: roots[0],
        warnings,
        span: place(root),
    };
    robot.round_inertias();
    robot.fix_idle_joints();
    Ok(robot)
}

impl Robot {
    /// A warning for a robot without a joint that moves.
    pub(crate) fn warn_of_rest(&mut self) {
        if self.joints.iter().all(|j| j.kind == Type::Fixed) {
            self.warnings.push(Diagnostic::warning(
                Code::InvalidUrdf,
                "no joint moves, so the model has no coordinates",
                "`--floating` lets the root link move in space",
                self.span,
            ));
        }
    }

    /// Tensors that are nothing but rounding beside the largest one become zero.
    fn round_inertias(&mut self) {
        let entries = (self.links.iter().flat_map(|l| &l.inertial)).flat_map(|i| &i.inertia);
        let largest = entries.fold(0.0_f64, |m, x| m.max(x.value().abs()));
        for inertial in self.links.iter_mut().flat_map(|l| &mut l.inertial) {
            let rounded = inertial.inertia.clone().map(|x| x.rounded(largest));
            if rounded.iter().all(Number::is_zero) {
                inertial.inertia = rounded;
            }
        }
    }

    /// Fixes joints that carry no mass and that no joint with a mass follows: nothing determines how they move.
    fn fix_idle_joints(&mut self) {
        let mut heavy: Vec<bool> = (self.links.iter())
            .map(|l| l.inertial.as_ref().is_some_and(Inertial::is_heavy))
            .collect();
        // Joints are in any order: masses are handed on until nothing changes.
        loop {
            let carries = |j: &Joint| {
                let followers = self.joints.iter().filter(|f| {
                    (f.mimic.as_ref()).is_some_and(|m| self.joints[m.0].name == j.name)
                });
                heavy[j.child] || followers.into_iter().any(|f| heavy[f.child])
            };
            let carrying = self.joints.iter().filter(|j| carries(j));
            let ends: Vec<usize> = carrying.flat_map(|j| [j.parent, j.child]).collect();
            let before = heavy.clone();
            ends.into_iter().for_each(|k| heavy[k] = true);
            if heavy == before {
                break;
            }
        }
        // A robot without any mass is refused as a whole.
        if !heavy.contains(&true) {
            return;
        }
        for joint in &mut self.joints {
            if joint.kind != Type::Fixed && !heavy[joint.child] {
                joint.kind = Type::Fixed;
                self.warnings.push(Diagnostic::warning(
                    Code::InvalidUrdf,
                    format!("`{}` carries no mass, so nothing determines its motion", joint.name),
                    "the joint is fixed at zero in the model; give the links behind it a mass if it should move",
                    joint.span,
                ));
            }
        }
    }
}
