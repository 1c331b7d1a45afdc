//! The model of a robot, as text.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use galilei_model::{Code, Diagnostic};

use crate::number::Number;
use crate::robot::{Joint, Origin, Robot, Triple, Type, Visual};
use crate::{Floating, Options};

/// Names that are given out once, in the order they are asked for.
struct Names {
    taken: HashSet<String>,
}

/// Words that cannot name a coordinate.
fn reserved(word: &str) -> bool {
    matches!(word, "t" | "pi" | "π") || galilei_model::is_reserved_word(word)
}

impl Names {
    fn new(taken: &[&str]) -> Self {
        Self {
            taken: taken.iter().map(|w| (*w).to_owned()).collect(),
        }
    }

    /// A name with characters that cannot stand in one replaced by `_`; clashes get `_2`, `_3`, ….
    fn give(&mut self, text: &str) -> String {
        let allowed = |c: char| {
            if c.is_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        };
        let mut name: String = text.chars().map(allowed).collect();
        if name
            .chars()
            .next()
            .is_none_or(|c| !c.is_alphabetic() && c != '_')
        {
            name.insert(0, '_');
        }
        let mut candidate = name.clone();
        for k in 2.. {
            if !reserved(&candidate) && !self.taken.contains(&candidate) {
                break;
            }
            candidate = format!("{name}_{k}");
        }
        self.taken.insert(candidate.clone());
        candidate
    }
}

/// `(a, b, c)*m`, or nothing for the origin.
fn point(xyz: &Triple) -> Option<String> {
    let list: Vec<String> = xyz.iter().map(Number::text).collect();
    (!xyz.iter().all(Number::is_zero)).then(|| format!("({})*m", list.join(", ")))
}

/// Roll, pitch and yaw as turns about one axis after the other.
fn turns(rpy: &Triple) -> Vec<String> {
    let [roll, pitch, yaw] = rpy;
    let given = rpy.iter().filter(|x| !x.is_zero()).count();
    if given == 3 {
        return vec![format!(
            "zyx({}, {}, {})",
            yaw.angle(),
            pitch.angle(),
            roll.angle()
        )];
    }
    [("z", yaw), ("y", pitch), ("x", roll)]
        .into_iter()
        .filter(|(_, a)| !a.is_zero())
        .map(|(axis, a)| format!("{axis}({})", a.angle()))
        .collect()
}

/// The axis if it is one of the coordinates, and whether it points backwards.
fn aligned(axis: &Triple) -> Option<(usize, bool)> {
    let along: Vec<usize> = (0..3).filter(|&k| !axis[k].is_zero()).collect();
    match along[..] {
        [k] => Some((k, axis[k].is_negative())),
        _ => None,
    }
}

fn triple_text(v: &Triple) -> String {
    let list: Vec<String> = v.iter().map(Number::text).collect();
    format!("({})", list.join(", "))
}

/// Two directions perpendicular to a normal and to each other, neither of them normalised: the first is horizontal.
fn within_plane(normal: &Triple) -> [String; 2] {
    let [x, y, _] = normal;
    let negative = |n: &Number| match (n.is_zero(), n.is_negative()) {
        (true, _) => "0".to_owned(),
        (_, true) => n.magnitude(),
        _ => format!("-{}", n.text()),
    };
    // An oblique normal has a horizontal part.
    let first = format!("({}, {}, 0)", negative(y), x.text());
    let second = format!("cross({}, {first})", triple_text(normal));
    [first, second]
}

/// ` at … rotation …`
fn pose(at: Option<String>, rotation: &[String]) -> String {
    let mut text = String::new();
    if let Some(at) = at {
        let _ = write!(text, " at {at}");
    }
    if !rotation.is_empty() {
        let _ = write!(text, " rotation {}", rotation.join(" then "));
    }
    text
}

struct Writer<'r> {
    robot: &'r Robot,
    options: &'r Options,
    values: Names,
    frames: Names,
    shapes: Names,
    coordinates: Vec<(String, &'static str)>,
    /// The coordinate of a joint with one degree of freedom.
    of_joint: HashMap<usize, String>,
    links: Vec<String>,
    frame_lines: Vec<String>,
    body_lines: Vec<String>,
    shape_lines: Vec<String>,
    other_lines: Vec<String>,
    initial: Vec<String>,
    events: Vec<String>,
    errors: Vec<Diagnostic>,
}

pub(crate) fn model(robot: &Robot, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let mut w = Writer {
        robot,
        options,
        values: Names::new(&["kg", "m", "s", "g"]),
        frames: Names::new(&[]),
        shapes: Names::new(&[]),
        coordinates: vec![],
        of_joint: HashMap::new(),
        links: robot.links.iter().map(|_| String::new()).collect(),
        frame_lines: vec![],
        body_lines: vec![],
        shape_lines: vec![],
        other_lines: vec![],
        initial: vec![],
        events: vec![],
        errors: vec![],
    };
    w.root();
    w.mimics();
    if !w.errors.is_empty() {
        return Err(w.errors);
    }
    Ok(w.text())
}

impl Writer<'_> {
    fn coordinate(&mut self, text: &str, unit: &'static str) -> String {
        let name = self.values.give(text);
        self.coordinates.push((name.clone(), unit));
        name
    }

    fn root(&mut self) {
        let root = self.robot.root;
        let name = self.frames.give(&self.robot.links[root].name);
        self.links[root].clone_from(&name);
        if self.options.floating {
            let (at, rotation) = self.free("floating_base");
            self.frame_lines
                .push(format!("frame {name}: at {at} rotation {rotation}"));
        } else {
            self.frame_lines
                .push(format!("frame {name}: at (0, 0, 0)*m"));
        }
        self.contents(root);
        self.outward(root);
    }

    /// Coordinates of a joint with six degrees of freedom: where it is, and how it turns.
    fn free(&mut self, name: &str) -> (String, String) {
        let at: Vec<String> = ["x", "y", "z"]
            .map(|k| self.coordinate(&format!("{name}_{k}"), "m"))
            .to_vec();
        let at = format!("({})", at.join(", "));
        let rotation = match self.options.attitude {
            Floating::Quaternion => {
                let q =
                    ["qw", "qx", "qy", "qz"].map(|k| self.coordinate(&format!("{name}_{k}"), ""));
                self.initial.push(format!("{} = 1", q[0]));
                format!("quaternion({})", q.join(", "))
            }
            Floating::Euler => {
                let q = ["yaw", "pitch", "roll"]
                    .map(|k| self.coordinate(&format!("{name}_{k}"), "rad"));
                format!("zyx({})", q.join(", "))
            }
        };
        (at, rotation)
    }

    /// The joints that leave a link, each with everything behind it.
    fn outward(&mut self, link: usize) {
        let mut waiting: Vec<usize> = self.leaving(link);
        while let Some(k) = waiting.pop() {
            self.joint(k);
            let child = self.robot.joints[k].child;
            self.contents(child);
            waiting.extend(self.leaving(child));
        }
    }

    /// The joints that leave a link, the first one last.
    fn leaving(&self, link: usize) -> Vec<usize> {
        let joints = self.robot.joints.iter().enumerate();
        let mut list: Vec<usize> = joints
            .filter(|(_, j)| j.parent == link)
            .map(|(k, _)| k)
            .collect();
        list.reverse();
        list
    }

    fn joint(&mut self, k: usize) {
        let joint = &self.robot.joints[k];
        let parent = self.links[joint.parent].clone();
        let name = self.frames.give(&self.robot.links[joint.child].name);
        self.links[joint.child].clone_from(&name);
        let Origin { xyz, rpy } = &joint.origin;
        let (at, mut rotation) = (point(xyz), turns(rpy));
        let line = match joint.kind {
            Type::Fixed => format!("frame {name}: in {parent}{}", pose(at, &rotation)),
            Type::Revolute | Type::Continuous => {
                let q = self.coordinate(&joint.name, "rad");
                self.of_joint.insert(k, q.clone());
                rotation.push(match aligned(&joint.axis) {
                    Some((axis, false)) => format!("{}({q})", ["x", "y", "z"][axis]),
                    Some((axis, true)) => format!("{}(-{q})", ["x", "y", "z"][axis]),
                    None => format!("axis({}, {q})", triple_text(&joint.axis)),
                });
                format!("frame {name}: in {parent}{}", pose(at, &rotation))
            }
            Type::Prismatic => {
                let q = self.coordinate(&joint.name, "m");
                self.of_joint.insert(k, q.clone());
                let along = match aligned(&joint.axis) {
                    Some((axis, backwards)) => {
                        let sign = if backwards { "-" } else { "" };
                        let mut list = ["0".to_owned(), "0".to_owned(), "0".to_owned()];
                        list[axis] = format!("{sign}{q}");
                        format!("({})", list.join(", "))
                    }
                    None => {
                        let v = triple_text(&joint.axis);
                        format!("{q}*{v}/norm({v})")
                    }
                };
                self.after(&name, &parent, at, &rotation, &format!("at {along}"))
            }
            Type::Floating => {
                let (place, turn) = self.free(&joint.name);
                self.after(
                    &name,
                    &parent,
                    at,
                    &rotation,
                    &format!("at {place} rotation {turn}"),
                )
            }
            Type::Planar => {
                let [x, y] =
                    ["x", "y"].map(|k| self.coordinate(&format!("{}_{k}", joint.name), "m"));
                let q = self.coordinate(&format!("{}_angle", joint.name), "rad");
                let moved = match aligned(&joint.axis) {
                    Some((axis, backwards)) => {
                        let mut list = ["0".to_owned(), "0".to_owned(), "0".to_owned()];
                        (list[(axis + 1) % 3], list[(axis + 2) % 3]) = (x, y);
                        let sign = if backwards { "-" } else { "" };
                        let turn = format!("{}({sign}{q})", ["x", "y", "z"][axis]);
                        format!("at ({}) rotation {turn}", list.join(", "))
                    }
                    None => {
                        let normal = triple_text(&joint.axis);
                        let [a, b] = within_plane(&joint.axis);
                        format!(
                            "at {x}*{a}/norm({a}) + {y}*{b}/norm({b}) rotation axis({normal}, {q})"
                        )
                    }
                };
                self.after(&name, &parent, at, &rotation, &moved)
            }
        };
        self.frame_lines.push(line);
        self.friction(k, joint);
        self.limits(k, joint);
    }

    /// A frame that moves relative to the origin of its joint, which is a frame of its own unless it is the parent's.
    fn after(
        &mut self,
        name: &str,
        parent: &str,
        at: Option<String>,
        rotation: &[String],
        moved: &str,
    ) -> String {
        if at.is_none() && rotation.is_empty() {
            return format!("frame {name}: in {parent} {moved}");
        }
        let origin = self.frames.give(&format!("{name}_origin"));
        let line = format!("frame {origin}: in {parent}{}", pose(at, rotation));
        self.frame_lines.push(line);
        format!("frame {name}: in {origin} {moved}")
    }

    fn friction(&mut self, k: usize, joint: &Joint) {
        let Some(q) = self.of_joint.get(&k).filter(|_| !self.options.no_friction) else {
            return;
        };
        let square = if joint.kind == Type::Prismatic {
            ""
        } else {
            "*m^2"
        };
        let length = if joint.kind == Type::Prismatic {
            "*m"
        } else {
            "*m^2"
        };
        if !joint.damping.is_zero() {
            let c = joint.damping.text();
            self.other_lines.push(format!(
                "dissipation {q}_damping: {c}/2*kg{square}/s*{q}'^2"
            ));
        }
        if !joint.friction.is_zero() {
            let f = joint.friction.text();
            self.other_lines.push(format!(
                "friction {q}_friction: limit {f}*kg{length}/s^2 along {q}'"
            ));
        }
    }

    fn limits(&mut self, k: usize, joint: &Joint) {
        let (Some(q), Some([low, high])) = (self.of_joint.get(&k), &joint.limits) else {
            return;
        };
        let unit = if joint.kind == Type::Prismatic {
            "*m"
        } else {
            ""
        };
        for (word, limit, direction) in [("lower", low, "falling"), ("upper", high, "rising")] {
            let value = match joint.kind {
                Type::Prismatic => limit.magnitude(),
                _ => limit.angle().trim_start_matches('-').to_owned(),
            };
            let offset = match (limit.is_zero(), limit.is_negative()) {
                (true, _) => String::new(),
                (_, true) => format!(" + {value}{unit}"),
                _ => format!(" - {value}{unit}"),
            };
            self.events
                .push(format!("event {q}_{word}: {q}{offset} {direction}"));
        }
    }

    /// The body and the shapes of a link.
    fn contents(&mut self, link: usize) {
        let frame = self.links[link].clone();
        let found = &self.robot.links[link];
        if let Some(i) = found.inertial.as_ref().filter(|i| i.is_heavy()) {
            let count = if i.inertia[3..].iter().all(Number::is_zero) {
                3
            } else {
                6
            };
            let list: Vec<String> = i.inertia[..count].iter().map(Number::text).collect();
            let place = pose(point(&i.origin.xyz), &turns(&i.origin.rpy));
            self.body_lines.push(format!(
                "body {frame}: mass {}*kg inertia ({})*kg*m^2 in {frame}{place}",
                i.mass.text(),
                list.join(", ")
            ));
        }
        for Visual {
            origin,
            shape,
            sizes,
        } in &found.visuals
        {
            let at = pose(point(&origin.xyz), &turns(&origin.rpy));
            let on = match at.is_empty() {
                true => frame.clone(),
                false => {
                    let name = self.frames.give(&format!("{frame}_visual"));
                    self.shape_lines
                        .push(format!("frame {name}: in {frame}{at}"));
                    name
                }
            };
            let sizes: Vec<String> = sizes.iter().map(|x| format!("{}*m", x.text())).collect();
            let name = self.shapes.give(&frame);
            self.shape_lines.push(format!(
                "shape {name}: {shape} {} on {on}",
                sizes.join(", ")
            ));
        }
    }

    /// The position of a joint that follows others while those at the beginning of the chain are at zero; `None` if it is zero.
    fn followed_start(&self, joint: usize) -> Option<String> {
        let mut chain = vec![joint];
        let mut at = joint;
        while let Some((leader, ..)) = &self.robot.joints[at].mimic {
            // Joints that follow each other in a circle are at zero.
            if chain.contains(leader) {
                return None;
            }
            chain.push(*leader);
            at = *leader;
        }
        let mut start: Option<String> = None;
        for &k in chain.iter().rev() {
            let Some((leader, factor, offset)) = &self.robot.joints[k].mimic else {
                continue;
            };
            // Fixed joints are at zero.
            let before = start.filter(|_| self.robot.joints[*leader].kind != Type::Fixed);
            start = match (before, offset.is_zero()) {
                (None, true) => None,
                (None, false) => Some(offset.text()),
                (Some(p), true) => Some(format!("{}*({p})", factor.text())),
                (Some(p), false) => Some(format!("{}*({p}) + {}", factor.text(), offset.text())),
            };
        }
        start
    }

    /// Joints that follow others.
    fn mimics(&mut self) {
        for (k, joint) in self.robot.joints.iter().enumerate() {
            let Some((leader, factor, offset)) = &joint.mimic else {
                continue;
            };
            // Fixed joints follow nothing, and who follows them stays at the offset.
            if joint.kind == Type::Fixed {
                continue;
            }
            let still = self.robot.joints[*leader].kind == Type::Fixed;
            if let (true, Some(q)) = (still, self.of_joint.get(&k)) {
                let length = if joint.kind == Type::Prismatic {
                    "*m"
                } else {
                    ""
                };
                self.other_lines.push(format!(
                    "constraint {q}_mimic: {q} = {}{length}",
                    offset.text()
                ));
                self.initial.push(format!("{q} = {}", offset.text()));
                continue;
            }
            let (Some(q), Some(p)) = (self.of_joint.get(&k), self.of_joint.get(leader)) else {
                self.errors.push(Diagnostic::error(
                    Code::InvalidUrdf,
                    format!(
                        "`{}` or the joint it follows has no single coordinate",
                        joint.name
                    ),
                    "joints that follow others are revolute, continuous or prismatic",
                    joint.span,
                ));
                continue;
            };
            let sliding = |j: &Joint| j.kind == Type::Prismatic;
            let leader = &self.robot.joints[*leader];
            let unit = match (sliding(joint), sliding(leader)) {
                (true, false) => "*m",
                (false, true) => "/m",
                _ => "",
            };
            let length = if sliding(joint) { "*m" } else { "" };
            let mut right = format!("{}*{p}{unit}", factor.text());
            if !offset.is_zero() {
                let sign = if offset.is_negative() { "-" } else { "+" };
                let _ = write!(right, " {sign} {}{length}", offset.magnitude());
            }
            if let Some(start) = self.followed_start(k) {
                self.initial.push(format!("{q} = {start}"));
            }
            self.other_lines
                .push(format!("constraint {q}_mimic: {q} = {right}"));
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let title: String = self.robot.name.replace(['"', '\n'], " ");
        let _ = writeln!(
            out,
            "# {title}, from its description in URDF: a frame for each link, a coordinate for each joint. Numbers are in SI units,"
        );
        let _ = writeln!(out, "# which kg, m and s stand for.");
        let _ = writeln!(out, "system \"{title}\"\n");
        let _ = writeln!(out, "param g = 9.81 [m/s^2]");
        let _ = writeln!(out, "param kg = 1 [kg], m = 1 [m], s = 1 [s]\n");
        for (name, unit) in &self.coordinates {
            let _ = match *unit {
                "" => writeln!(out, "coord {name}"),
                unit => writeln!(out, "coord {name} [{unit}]"),
            };
        }
        let blocks = [
            &self.frame_lines,
            &self.body_lines,
            &vec!["gravity: (0, 0, -g)".to_owned()],
            &self.other_lines,
            &self.events,
            &self.shape_lines,
        ];
        for block in blocks.into_iter().filter(|b| !b.is_empty()) {
            let _ = write!(out, "\n{}\n", block.join("\n"));
        }
        if !self.initial.is_empty() {
            let _ = write!(out, "\ninitial {}\n", self.initial.join(", "));
        }
        let _ = write!(out, "\nsimulate to 1\n");
        out
    }
}
