//! Where a run starts, if not where the file says.

use galilei_expr::Expr;

use crate::diagnostic::Diagnostic;
use crate::model::Model;

impl Model {
    /// The same model with the entries of `"t=0.5, theta=0.1, theta'=-2"` as its initial state: it is judged
    /// and followed from there. Entries that are not given stay as the file says them; bare numbers take
    /// the unit of their coordinate.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "param l = 2\ncoord x, y\nkinetic: x'^2 + y'^2\ninitial x = l, y = 1\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let moved = model.starting_at("y=5, x'=-1, t=3").unwrap();
    /// let state = moved.initial_state().unwrap();
    /// assert_eq!(state.position[0].to_string(), "2");
    /// assert_eq!(state.position[1].to_string(), "5");
    /// assert_eq!(state.velocity[0].to_string(), "-1");
    /// assert_eq!(state.time.to_string(), "3");
    /// ```
    ///
    /// # Errors
    /// Where an entry is not one of a state, or a parameter has no value.
    pub fn starting_at(&self, text: &str) -> Result<Self, Vec<Diagnostic>> {
        match self.manifolds().is_empty() {
            true => self.starting_here(text),
            false => self.facing(text).starting_here(text),
        }
    }

    /// The model with another initial state in its own chart: see [`Self::starting_at`].
    ///
    /// # Errors
    /// Where an entry is not one of a state, or a parameter has no value.
    pub fn starting_here(&self, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut entries = self.initial_entries()?;
        let given = self.fill_own(&mut entries, text)?;
        let state = self.state_of(entries.clone())?;
        let mut moved = self.clone();
        let (positions, velocities) = given.split_at(state.position.len());
        // Velocities that follow from the motion of bodies change with the time and the place.
        let solved = self.contents().initial_rates.solved.clone();
        for (i, c) in moved.contents_mut().coordinates.iter_mut().enumerate() {
            if positions[i] {
                c.initial_position = Some(state.position[i].id());
            }
            if velocities[i] || solved.contains(&i) {
                c.given_velocity = entries.velocity[i].map(Expr::id);
                c.initial_velocity = c.given_velocity;
            }
        }
        if let Some(h) = &mut moved.contents_mut().hamiltonian {
            for (i, p) in entries
                .momentum
                .iter()
                .enumerate()
                .filter(|k| velocities[k.0])
            {
                h.initial[i] = p.map(Expr::id);
            }
        }
        moved.contents_mut().run.from = Some(state.time.id());
        // Velocities that follow from momenta change with the time and the place.
        if entries.momentum.iter().any(Option::is_some) {
            let found = moved.start_velocities(&[], None)?;
            let found: Vec<_> = found.into_iter().map(Expr::id).collect();
            for (c, v) in moved.contents_mut().coordinates.iter_mut().zip(found) {
                c.initial_velocity = Some(v);
            }
        }
        Ok(moved)
    }

    /// The model with another value of a parameter, in SI units; parameters that use it follow. `None` if there is no
    /// such parameter, or the value is not finite.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "param a = 1, b = 2*a\ncoord x\nkinetic: b*x'^2\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let other = model.with_parameter("a", 1.5).unwrap();
    /// assert_eq!(other.parameter_values().unwrap()[1].1.to_string(), "3");
    /// ```
    pub fn with_parameter(&self, name: &str, value: f64) -> Option<Self> {
        // The start may move to where its chart ends.
        Some(self.with_parameter_here(name, value)?.facing(""))
    }

    /// The model with another value of a parameter, in its own chart: see [`Self::with_parameter`]. The value is the
    /// shortest decimal fraction that reads as this double, as a person would write it.
    pub fn with_parameter_here(&self, name: &str, value: f64) -> Option<Self> {
        let value = self.pool().number(crate::numbers::written(value)?).id();
        let mut changed = self.clone();
        let mut parameters = changed.contents_mut().parameters.iter_mut();
        parameters.find(|p| p.name == name)?.value = Some(value);
        Some(changed)
    }
}
