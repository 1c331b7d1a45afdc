//! Where a run starts, if not where the file says.

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
        let mut state = self.initial_state()?;
        let given = self.fill_own(&mut state, text)?;
        let mut moved = self.clone();
        let (positions, velocities) = given.split_at(state.position.len());
        for (i, c) in moved.contents_mut().coordinates.iter_mut().enumerate() {
            if positions[i] {
                c.initial_position = Some(state.position[i].id());
            }
            if velocities[i] {
                c.initial_velocity = Some(state.velocity[i].id());
            }
        }
        moved.contents_mut().run.from = Some(state.time.id());
        Ok(moved)
    }
}
