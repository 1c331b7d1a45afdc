//! Contacts and friction: the equations of motion in each mode, and the quantities that decide between modes. (T-203, T-204)

mod norms;

use std::sync::Arc;

use galilei_expr::{Expr, ExprId, Function, Rational, View, subexpressions};
use galilei_geometry::decide_all_zero;
use galilei_model::{
    Code, Constraint, ConstraintRow, Contents, Diagnostic, Direction, Enforcement, Event, Impact,
    Level, Model, NamedForce, Span, refused,
};
use galilei_tape::math::scalar::exp2;
use galilei_tape::{
    ContactQuantities, FrictionElement, Grip, Guard, Mode, ModeProblem, Tape, Touch, VelocityJump,
};

use crate::equations::Form;
use crate::lowering::{Lowered, Lowering, Parameters, lower, no_numbers};
use norms::{Norm, with_norms};

/// A size of friction: a number, and factors of multipliers.
#[derive(Clone, Debug)]
struct Limit<'p> {
    own: Expr<'p>,
    /// The factor of the multiplier of each constraint.
    constraints: Vec<Expr<'p>>,
    /// The factor of the absolute value of each multiplier of a constraint.
    absolute: Vec<Expr<'p>>,
    /// The factor of the multiplier of each contact.
    contacts: Vec<Expr<'p>>,
    /// Of the sizes of several multipliers together.
    norms: Vec<Expr<'p>>,
}

impl<'p> Limit<'p> {
    fn list(&self) -> impl Iterator<Item = Expr<'p>> + '_ {
        let parts = [
            &self.constraints,
            &self.absolute,
            &self.contacts,
            &self.norms,
        ];
        std::iter::once(self.own).chain(parts.into_iter().flatten().copied())
    }

    /// The factor of the multiplier of a constraint whose sign is known.
    fn factor(&self, k: usize, sign: i8) -> Expr<'p> {
        self.constraints[k] + self.absolute[k] * i64::from(sign)
    }
}

/// A friction element with symbols.
struct Element<'p> {
    name: String,
    contact: Option<usize>,
    along: Vec<Expr<'p>>,
    slipping: Limit<'p>,
    sticking: Limit<'p>,
    sticks_more: bool,
}

impl Element<'_> {
    /// The name of a component, by which its multiplier is called.
    fn component(&self, k: usize) -> String {
        match self.contact.is_none() && self.along.len() == 1 {
            true => self.name.clone(),
            false => format!("{}.{}", self.name, ["x", "y"][k]),
        }
    }
}

/// A model with contacts or friction, ready to be lowered mode by mode.
pub struct Contacts<'p> {
    model: &'p Model,
    elements: Vec<Element<'p>>,
    /// The constraints of the model.
    rows: Vec<ConstraintRow<'p>>,
    /// The sizes of several multipliers together that limits contain.
    norms: Vec<Norm<'p>>,
    /// The parameters that are no constants.
    inputs: Vec<Expr<'p>>,
    /// Whether code can be differentiated by these; otherwise they are inputs of all code behind the state.
    differentiated: bool,
}

impl<'p> Contacts<'p> {
    /// Reads the contacts of a model, with some parameters as no constants.
    ///
    /// # Errors
    /// Where the model has properties that contacts do not admit, or limits of friction are not sums of multipliers.
    pub fn new(model: &'p Model, parameters: Parameters<'_, 'p>) -> Result<Self, Vec<Diagnostic>> {
        let rows = model.constraint_rows();
        let refuse =
            |message: &str, hint: &str| Err(refused(Code::NotAvailable, message.to_owned(), hint));
        let c = model.contents();
        if c.atlas.is_some() {
            return refuse(
                "contacts, friction and impacts are not available with an `atlas`",
                "leave out `atlas`: runs then stay in the chart of the model",
            );
        }
        if c.hamiltonian.as_ref().is_some_and(|h| h.implicit) {
            return refuse(
                "contacts, friction and impacts need a Lagrangian in closed form",
                "write the kinetic energy instead of the Hamiltonian",
            );
        }
        let mass = model.system().lagrangian().mass_matrix();
        let u = model.velocities();
        let moving = |e: &Expr<'p>| e.contains_any(&u);
        if !c.contacts.is_empty() && mass.rows().iter().flatten().any(moving) {
            return refuse(
                "contacts need a kinetic energy that is quadratic in the velocities",
                "impacts of other systems change momenta, not velocities, by known amounts",
            );
        }
        let mut contacts = Self {
            model,
            elements: vec![],
            rows,
            norms: vec![],
            inputs: parameters.list().to_vec(),
            differentiated: matches!(parameters, Parameters::Differentiated(_)),
        };
        let mut norms = vec![];
        contacts.elements = contacts.read_elements(&mut norms)?;
        contacts.norms = norms;
        contacts.check_norms()?;
        Ok(contacts)
    }

    /// Some parameters in the role that those of the model have.
    fn parameters<'a, 'q>(&self, list: &'a [Expr<'q>]) -> Parameters<'a, 'q> {
        match self.differentiated {
            true => Parameters::Differentiated(list),
            false => Parameters::Inputs(list),
        }
    }

    fn read_elements(
        &self,
        norms: &mut Vec<Norm<'p>>,
    ) -> Result<Vec<Element<'p>>, Vec<Diagnostic>> {
        let c = self.model.contents();
        let pool = self.model.pool();
        let mut list = Vec::new();
        for (k, contact) in c.contacts.iter().enumerate() {
            if contact.along.is_empty() {
                continue;
            }
            let zero = pool.zero();
            let mut limit = Limit {
                own: zero,
                constraints: vec![zero; self.rows.len()],
                absolute: vec![zero; self.rows.len()],
                contacts: vec![zero; c.contacts.len()],
                norms: vec![],
            };
            limit.contacts[k] = self.model.expr(contact.friction);
            list.push(Element {
                name: contact.name.clone(),
                contact: Some(k),
                along: self.model.exprs(&contact.along),
                slipping: limit.clone(),
                sticking: limit,
                sticks_more: false,
            });
        }
        for f in &c.frictions {
            let slipping = self.limit(self.model.expr(f.limit), norms, f.span)?;
            let sticking = match f.sticking {
                Some(e) => self.limit(self.model.expr(e), norms, f.span)?,
                None => slipping.clone(),
            };
            list.push(Element {
                name: f.name.clone(),
                contact: None,
                along: self.model.exprs(&f.along),
                slipping,
                sticking,
                sticks_more: f.sticking.is_some(),
            });
        }
        for e in &mut list {
            for l in [&mut e.slipping, &mut e.sticking] {
                l.norms.resize(norms.len(), pool.zero());
            }
        }
        Ok(list)
    }

    /// A limit of friction as a sum of multipliers, of their absolute values and of sizes of several.
    fn limit(
        &self,
        e: Expr<'p>,
        norms: &mut Vec<Norm<'p>>,
        span: Span,
    ) -> Result<Limit<'p>, Vec<Diagnostic>> {
        let pool = self.model.pool();
        let multiplier = |name: &str| pool.symbol(&format!("multiplier({name})"));
        let of_rows: Vec<Expr<'p>> = self.rows.iter().map(|r| multiplier(&r.name)).collect();
        let sizes: Vec<Expr<'p>> = (self.rows.iter())
            .map(|r| pool.symbol(&format!("size({})", r.name)))
            .collect();
        let contacts = &self.model.contents().contacts;
        let of_contacts: Vec<Expr<'p>> = contacts.iter().map(|c| multiplier(&c.name)).collect();
        // The multiplier of a contact is not negative.
        let sizes_of = of_rows.iter().zip(&sizes);
        let sizes_of: Vec<(Expr<'p>, Expr<'p>)> = sizes_of
            .map(|(m, s)| (*m, *s))
            .chain(of_contacts.iter().map(|m| (*m, *m)))
            .collect();
        let e = with_sizes(e, &sizes_of);
        let reaction = |r: &ConstraintRow<'p>| {
            let stem = r.name.split('.').next().unwrap_or(&r.name);
            let names = [r.name.as_str(), stem];
            names
                .into_iter()
                .any(|name| e.contains(pool.symbol(&format!("reaction({name})"))))
        };
        if self.rows.iter().any(reaction) {
            return Err(vec![Diagnostic::error(
                Code::NotAvailable,
                "a limit of friction does not take `reaction`, which is a size in the metric of the masses and no force".to_owned(),
                "write the force on the bearing by multipliers: sqrt(multiplier(NAME.x)^2 + multiplier(NAME.y)^2)",
                Some(span),
            )]);
        }
        let pressing: Vec<Expr<'p>> = [&of_rows[..], &of_contacts].concat();
        let e = with_norms(e, &pressing, norms);
        let of_norms: Vec<Expr<'p>> = norms.iter().map(|n| n.symbol).collect();
        let all: Vec<Expr<'p>> = [&of_rows[..], &sizes, &of_contacts, &of_norms].concat();
        let slopes = e.gradient(&all);
        let bends = slopes.iter().flat_map(|s| s.gradient(&all));
        let bends: Vec<Expr<'p>> = bends.filter(|b| !b.is_zero()).collect();
        let none: Vec<_> = all.iter().map(|&m| (m, pool.zero())).collect();
        let flat = bends.is_empty() || decide_all_zero(bends).is_proved();
        let kinked = slopes.iter().any(|s| s.contains_any(&all));
        if !flat || kinked {
            return Err(vec![Diagnostic::error(
                Code::NotAvailable,
                "a limit of friction is a sum of multipliers, of absolute values of single ones and of square roots of quadratic forms of several, each times a factor without multipliers".to_owned(),
                "write limit mu*abs(multiplier(NAME)), or mu*sqrt(multiplier(NAME.x)^2 + multiplier(NAME.y)^2)",
                Some(span),
            )]);
        }
        let mut slopes = slopes.into_iter().map(|s| s.substitute(&none));
        let mut next = |n: usize| slopes.by_ref().take(n).collect::<Vec<_>>();
        Ok(Limit {
            own: e.substitute(&none),
            constraints: next(of_rows.len()),
            absolute: next(sizes.len()),
            contacts: next(of_contacts.len()),
            norms: next(of_norms.len()),
        })
    }

    /// The quantities that decide between modes, as code.
    ///
    /// # Errors
    /// Where something has no numbers.
    pub fn quantities(&self) -> Result<ContactQuantities, Vec<Diagnostic>> {
        let lowering = Lowering::new(self.model, self.parameters(&self.inputs))?;
        let lagrangian = lowering.system.lagrangian();
        let state = lowering.state();
        let n = state.degrees_of_freedom();
        let rates = rates_of(self.model);
        let u = self.model.velocities();
        let x = self.model.positions();
        let mass = lagrangian.mass_matrix();
        let mut list: Vec<Expr<'p>> = Vec::new();
        for (i, row) in mass.rows().iter().enumerate() {
            list.extend(&row[i..]);
        }
        list.extend(lagrangian.right_hand_side(&lowering.system.total_force()));
        list.push(lagrangian.energy());
        for r in &self.rows {
            list.extend(&r.row);
            list.extend(&r.covector);
            list.push(r.drift);
            let rate = r.rate.or(r.residual);
            list.push(rate.unwrap_or(self.model.pool().zero()));
            let products = r.covector.iter().zip(&u).map(|(&c, &u)| c * u);
            list.push(self.model.pool().sum(products));
        }
        let c = self.model.contents();
        for contact in &c.contacts {
            let gap = self.model.expr(contact.gap);
            let rate = gap.derivative_along(&rates);
            list.extend([gap, rate]);
            list.extend(gap.gradient(&x));
            list.push(rate.derivative_along(&rates));
            list.push(self.model.expr(contact.restitution));
            list.push(self.model.expr(contact.friction));
        }
        for e in &self.elements {
            list.extend(e.slipping.list().chain(e.sticking.list()));
            for &v in &e.along {
                list.push(v);
                list.extend(v.gradient(&u));
                list.push(v.derivative_along(&rates));
            }
        }
        for norm in &self.norms {
            for (i, row) in norm.form.iter().enumerate() {
                list.extend(&row[i..]);
            }
        }
        let tape = lowering.tape(&lowering.inputs(), &lowering.with_values(&list));
        let outputs = c.outputs.iter().map(|o| self.model.expr(o.value));
        let events = c.events.iter().map(|e| self.model.expr(e.value));
        let mut shown: Vec<Expr<'p>> = outputs.chain(events).collect();
        shown.push(lowering.followed().power);
        let mut inputs = lowering.inputs();
        let multiplier = |name: &str| self.model.pool().symbol(&format!("multiplier({name})"));
        inputs.extend(self.rows.iter().map(|r| multiplier(&r.name)));
        inputs.extend(c.contacts.iter().map(|c| multiplier(&c.name)));
        for e in &self.elements {
            inputs.extend((0..e.along.len()).map(|j| multiplier(&e.component(j))));
        }
        let recorded = lowering.tape(&inputs, &lowering.with_values(&shown));
        let signed = |k: usize| {
            let mut limits = self
                .elements
                .iter()
                .flat_map(|e| [&e.slipping, &e.sticking]);
            limits.any(|l| !l.absolute[k].is_zero())
        };
        Ok(ContactQuantities {
            tape: Arc::new(tape.map_err(|why| no_numbers(&why))?),
            dimension: n,
            constraints: self.rows.len(),
            contacts: c.contacts.iter().map(|c| c.name.clone()).collect(),
            elements: (self.elements.iter())
                .map(|e| FrictionElement {
                    name: e.name.clone(),
                    contact: e.contact,
                    tangents: e.along.len(),
                    sticks_more: e.sticks_more,
                })
                .collect(),
            signed: (0..self.rows.len()).map(signed).collect(),
            norms: self.norms.len(),
            recorded: recorded.ok().map(Arc::new),
            outputs: c.outputs.len(),
        })
    }

    /// The jumps of velocities that the model gives, as code.
    ///
    /// # Errors
    /// Where something has no numbers.
    pub fn jumps(&self) -> Result<Vec<VelocityJump>, Vec<Diagnostic>> {
        let lowering = Lowering::new(self.model, self.parameters(&self.inputs))?;
        let u = self.model.velocities();
        let jump = |i: &Impact<ExprId>| {
            let mut inputs = lowering.inputs();
            inputs.extend(self.model.exprs(&i.before));
            let equations = self.model.exprs(&i.equations);
            let mut list = equations.clone();
            let own: Vec<Expr<'p>> = i.unknowns.iter().map(|&k| u[k]).collect();
            list.extend(equations.iter().flat_map(|e| e.gradient(&own)));
            let tape: Result<Tape, _> = lowering.tape(&inputs, &lowering.with_values(&list));
            // The event is reached with the velocities before.
            let event = &self.model.contents().events[i.event];
            let before = u.iter().copied().zip(self.model.exprs(&i.before));
            let value = self.model.expr(event.value);
            let value = value.substitute(&before.collect::<Vec<_>>());
            let trigger = lowering.tape(&inputs, &lowering.with_values(&[value]));
            Ok(VelocityJump {
                name: i.name.clone(),
                event: i.event,
                unknowns: i.unknowns.clone(),
                tape: Arc::new(tape.map_err(|why| no_numbers(&why))?),
                trigger: trigger.ok().map(Arc::new),
            })
        };
        self.model.contents().impacts.iter().map(jump).collect()
    }

    /// The mode in which nothing touches and nothing rubs.
    pub fn free(&self) -> Mode {
        let c = self.model.contents();
        Mode {
            touches: vec![Touch::Open; c.contacts.len()],
            grips: vec![Grip::Free; self.elements.len()],
            signs: vec![1; self.rows.len()],
            stopping: 0,
        }
    }

    /// The equations of motion in a mode.
    ///
    /// # Errors
    /// Where something has no numbers.
    pub fn mode(&self, mode: &Mode) -> Result<(Lowered, ModeProblem), Vec<Diagnostic>> {
        let (moved, guards) = self.in_mode(mode)?;
        let inputs: Vec<Expr<'_>> = self.inputs.iter().map(|e| moved.expr(e.id())).collect();
        let lowered = lower(&moved, Form::Shortest, self.parameters(&inputs))?;
        let problem = ModeProblem {
            problem: lowered.problem.clone(),
            events: self.model.contents().events.len(),
            guards,
        };
        Ok((lowered, problem))
    }

    /// The model in a mode: closed contacts and friction that sticks as constraints, friction that slips as forces.
    ///
    /// # Errors
    /// Where forces are not determined in the mode.
    pub fn model_in_mode(&self, mode: &Mode) -> Result<Model, Vec<Diagnostic>> {
        let (moved, _) = self.in_mode(mode)?;
        let mut contents: Contents<ExprId> = moved.contents().clone();
        contents.events.clone_from(&self.model.contents().events);
        Ok(moved.with_contents(contents))
    }

    /// The direction of a friction element in a mode, by components; `None` where its force is not at its limit.
    fn direction(&self, e: usize, mode: &Mode) -> Option<Vec<Expr<'p>>> {
        let pool = self.model.pool();
        match mode.grips[e] {
            Grip::Free | Grip::Stick(_) => None,
            Grip::Slip(s) | Grip::Held(s) => Some(vec![pool.number(i64::from(s))]),
            Grip::Glide => {
                let along = &self.elements[e].along;
                let speed = pool.sum(along.iter().map(|&v| v * v)).sqrt();
                Some(along.iter().map(|&v| v / speed).collect())
            }
        }
    }

    /// The covector of the direction of a friction element.
    fn pull(&self, e: usize, direction: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let u = self.model.velocities();
        let pool = self.model.pool();
        let pairs = self.elements[e].along.iter().zip(direction);
        let rows: Vec<Vec<Expr<'p>>> = pairs
            .map(|(v, &d)| v.gradient(&u).into_iter().map(|c| c * d).collect())
            .collect();
        (0..u.len())
            .map(|i| pool.sum(rows.iter().map(|r| r[i])))
            .collect()
    }

    /// The size of the force of an element with multipliers as symbols.
    fn size(&self, limit: &Limit<'p>, mode: &Mode) -> Expr<'p> {
        let pool = self.model.pool();
        let multiplier = |name: &str| pool.symbol(&format!("multiplier({name})"));
        let mut sum = limit.own;
        for (k, r) in self.rows.iter().enumerate() {
            sum += limit.factor(k, mode.signs[k]) * multiplier(&r.name);
        }
        let contacts = &self.model.contents().contacts;
        for (k, c) in contacts.iter().enumerate() {
            if mode.touches[k] == Touch::Closed {
                sum += limit.contacts[k] * multiplier(&c.name);
            }
        }
        for (&factor, norm) in limit.norms.iter().zip(&self.norms) {
            sum += factor * norm.square.sqrt();
        }
        sum
    }

    /// The model in a mode: constraints and forces instead of contacts and friction, and the ends of the mode as events.
    fn in_mode(&self, mode: &Mode) -> Result<(Model, Vec<Guard>), Vec<Diagnostic>> {
        let Some(sizes) = self.norm_sizes(mode) else {
            return Err(vec![Diagnostic::error(
                Code::NotAvailable,
                "the multipliers in a limit of friction are not determined in a mode".to_owned(),
                "redundant constraints share their forces in no definite way: leave one out",
                None,
            )]);
        };
        let own = self.model.contents();
        let pool = self.model.pool();
        let mut c: Contents<ExprId> = own.clone();
        c.contacts.clear();
        c.frictions.clear();
        c.impacts.clear();
        for i in &own.impacts {
            c.events[i.event].terminal = true;
        }
        let multiplier = |name: &str| pool.symbol(&format!("multiplier({name})"));
        // Forces at their limits, and how they follow multipliers.
        let zero = pool.zero();
        let n = own.coordinates.len();
        let mut with_rows = vec![vec![zero; n]; self.rows.len()];
        let mut with_contacts = vec![vec![zero; n]; own.contacts.len()];
        let mut said: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for (k, e) in self.elements.iter().enumerate() {
            let Some(direction) = self.direction(k, mode) else {
                continue;
            };
            let pull = self.pull(k, &direction);
            let add = |to: &mut Vec<Expr<'p>>, factor: Expr<'p>| {
                for (t, &p) in to.iter_mut().zip(&pull) {
                    *t -= factor * p;
                }
            };
            for (row, list) in with_rows.iter_mut().enumerate() {
                let factor = e.slipping.factor(row, mode.signs[row]);
                if !factor.is_zero() {
                    add(list, factor);
                }
            }
            for (contact, list) in with_contacts.iter_mut().enumerate() {
                if !e.slipping.contacts[contact].is_zero() {
                    add(list, e.slipping.contacts[contact]);
                }
            }
            let by_norms = e.slipping.norms.iter().zip(&sizes);
            let known = e.slipping.own + pool.sum(by_norms.map(|(&f, &s)| f * s));
            if !known.is_zero() {
                let force = pull.iter().map(|&p| (-known * p).id());
                c.forces.push(NamedForce {
                    name: e.name.clone(),
                    statement: "friction",
                    components: force.collect(),
                    kinked: false,
                    span: own
                        .frictions
                        .first()
                        .map_or_else(|| own.contacts[e.contact.unwrap_or(0)].span, |f| f.span),
                });
            }
            let size = self.size(&e.slipping, mode);
            for (j, &d) in direction.iter().enumerate() {
                said.push((multiplier(&e.component(j)), -(size * d)));
            }
        }
        let moved = |list: &[Expr<'p>]| list.iter().any(|e| !e.is_zero());
        let sum = |row: &[Expr<'p>], more: &[Expr<'p>]| -> Vec<ExprId> {
            row.iter().zip(more).map(|(&a, &b)| (a + b).id()).collect()
        };
        for ((constraint, row), more) in c.constraints.iter_mut().zip(&self.rows).zip(&with_rows) {
            if moved(more) {
                constraint.enforcement = Enforcement::Along(sum(&row.covector, more));
            }
        }
        let x = self.model.positions();
        for (k, contact) in own.contacts.iter().enumerate() {
            if mode.touches[k] != Touch::Closed {
                said.push((multiplier(&contact.name), zero));
                continue;
            }
            let row = self.model.expr(contact.gap).gradient(&x);
            c.constraints.push(Constraint {
                name: contact.name.clone(),
                function: contact.gap,
                form: vec![],
                level: Level::Position,
                enforcement: match moved(&with_contacts[k]) {
                    true => Enforcement::Along(sum(&row, &with_contacts[k])),
                    false => Enforcement::Ideal,
                },
                enforced_at: None,
                span: contact.span,
            });
        }
        let span = |e: &Element<'p>| match e.contact {
            Some(k) => own.contacts[k].span,
            None => own
                .frictions
                .iter()
                .find(|f| f.name == e.name)
                .map_or(own.frictions[0].span, |f| f.span),
        };
        for (k, e) in self.elements.iter().enumerate() {
            let Grip::Stick(mask) = mode.grips[k] else {
                if mode.grips[k] == Grip::Free {
                    for j in 0..e.along.len() {
                        said.push((multiplier(&e.component(j)), zero));
                    }
                }
                continue;
            };
            for (j, v) in e.along.iter().enumerate() {
                if mask & (1 << j) == 0 {
                    said.push((multiplier(&e.component(j)), zero));
                    continue;
                }
                c.constraints.push(Constraint {
                    name: e.component(j),
                    function: v.id(),
                    form: vec![],
                    level: Level::Velocity,
                    enforcement: Enforcement::Ideal,
                    enforced_at: None,
                    span: span(e),
                });
            }
        }
        for o in &mut c.outputs {
            o.value = self.model.expr(o.value).substitute(&said).id();
        }
        let mut guards = Vec::new();
        let mut watch = |guard: Guard, value: Expr<'p>, span| {
            let value = value.substitute(&said);
            guards.push(guard);
            c.events.push(Event {
                name: format!("guard {}", guards.len()),
                value: value.id(),
                direction: Direction::Falling,
                terminal: true,
                branch: None,
                span,
            });
        };
        for (k, contact) in own.contacts.iter().enumerate() {
            match mode.touches[k] {
                Touch::Open => watch(Guard::Gap(k), self.model.expr(contact.gap), contact.span),
                Touch::Closed => watch(Guard::Pressure(k), multiplier(&contact.name), contact.span),
                Touch::Resting => {}
            }
        }
        for (k, e) in self.elements.iter().enumerate() {
            let at = span(e);
            match mode.grips[k] {
                Grip::Free | Grip::Held(_) => {}
                Grip::Slip(s) => {
                    watch(Guard::Slip(k), e.along[0] * i64::from(s), at);
                }
                Grip::Glide => {
                    // The speed, not its square, of which rounding leaves too little near rest.
                    let speed = pool.sum(e.along.iter().map(|&v| v * v)).sqrt();
                    let least = exp2(mode.stopping);
                    let least = Rational::from_f64(least).unwrap_or(Rational::from(0));
                    watch(Guard::Slip(k), speed - pool.number(least), at);
                }
                Grip::Stick(mask) => {
                    let limit = self.size(&e.sticking, mode);
                    let kept = (0..e.along.len()).filter(|j| mask & (1 << j) != 0);
                    let force: Vec<Expr<'p>> = kept.map(|j| multiplier(&e.component(j))).collect();
                    match force.as_slice() {
                        [] => {}
                        [one] => {
                            watch(Guard::Limit(k), limit - *one, at);
                            watch(Guard::Limit(k), limit + *one, at);
                        }
                        _ => {
                            let square = pool.sum(force.iter().map(|&v| v * v));
                            watch(Guard::Limit(k), limit * limit - square, at);
                        }
                    }
                }
            }
            let varies = e.contact.is_none() && mode.grips[k] != Grip::Free;
            let limit = self.size(&e.slipping, mode);
            if varies && limit.as_rational().is_none() {
                watch(Guard::Size(k), limit, at);
            }
        }
        for (k, r) in self.rows.iter().enumerate() {
            let matters = self
                .elements
                .iter()
                .any(|e| !e.slipping.absolute[k].is_zero() || !e.sticking.absolute[k].is_zero());
            if matters {
                let value = multiplier(&r.name) * i64::from(mode.signs[k]);
                watch(Guard::Sign(k), value, r.span);
            }
        }
        Ok((self.model.with_contents(c), guards))
    }
}

/// An expression in which the absolute value of a multiple of one multiplier is that of the factor times the size of the
/// multiplier. The pairs are multipliers and their sizes.
fn with_sizes<'p>(e: Expr<'p>, sizes: &[(Expr<'p>, Expr<'p>)]) -> Expr<'p> {
    let mut pairs = Vec::new();
    for call in subexpressions([e]) {
        let View::Call(Function::Abs, inner) = call.view() else {
            continue;
        };
        let inner = inner[0];
        let own: Vec<_> = sizes.iter().filter(|(m, _)| inner.contains(*m)).collect();
        let [(multiplier, size)] = own.as_slice() else {
            continue;
        };
        let factor = inner.diff(*multiplier);
        if !factor.contains(*multiplier)
            && decide_all_zero([inner - factor * *multiplier]).is_proved()
        {
            pairs.push((call, factor.abs() * *size));
        }
    }
    e.substitute(&pairs)
}

/// ẋ = u and ṫ = 1, for derivatives along motions.
fn rates_of(model: &Model) -> Vec<(Expr<'_>, Expr<'_>)> {
    let mut rates = vec![(model.time(), model.pool().one())];
    rates.extend(model.positions().into_iter().zip(model.velocities()));
    rates
}
