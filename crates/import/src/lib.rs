//! Models from the files of other programs: robots in URDF.
//!
//! ```
//! use galilei_import::{Options, urdf};
//! let text = r#"<robot name="pendulum">
//!   <link name="base"/>
//!   <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
//!     <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
//!   <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
//! </robot>"#;
//! let model = urdf(text, &Options::default()).unwrap().text;
//! assert!(model.contains("frame rod: in base rotation y(hinge)"));
//! assert!(model.contains("body rod: mass 2*kg inertia (0.1, 0.1, 0.01)*kg*m^2 in rod at (0, 0, -0.5)*m"));
//! ```

mod number;
mod robot;
mod write;

use galilei_model::Diagnostic;

/// The coordinates of a floating base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Floating {
    /// A quaternion, without singular attitudes.
    #[default]
    Quaternion,
    /// Yaw, pitch and roll.
    Euler,
}

/// Options of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether damping and friction of joints are left out.
    pub no_friction: bool,
    /// Whether the root link moves freely in space.
    pub floating: bool,
    /// The coordinates of floating joints.
    pub attitude: Floating,
}

/// A model that was read from the file of another program.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The text of the model.
    pub text: String,
    /// Parts of the file that the model does not have, with places in the file.
    pub warnings: Vec<Diagnostic>,
}

/// A model of a robot that is described in URDF: one frame for each link, one coordinate for each joint with one degree
/// of freedom, in the order of the tree, depth first.
///
/// # Errors
/// Diagnostics with places in the URDF text.
pub fn urdf(text: &str, options: &Options) -> Result<Imported, Vec<Diagnostic>> {
    let mut robot = robot::read(text)?;
    if !options.floating {
        robot.warn_of_rest();
    }
    Ok(Imported {
        text: write::model(&robot, options)?,
        warnings: robot.warnings,
    })
}

/// The example of the README, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
