//! The tests of the public API as one program: each program links the whole library, so one of them builds faster than
//! many, and takes up a twentieth of the room.

#[path = "../common/mod.rs"]
mod common;

mod another_radau;
mod atlas;
mod backward_differences;
mod branches;
mod collocation;
mod constrained;
mod contacts;
mod derived;
mod differential;
mod dop853;
mod ensemble;
mod lanes_of_charts;
mod manifolds;
mod mechanisms;
mod models;
mod motion;
mod page;
mod reach;
mod reduced;
mod rubbing;
mod saltation;
mod sensitivities;
mod series;
mod settled;
mod size;
// Numbers of references in lines, not one below the other.
#[rustfmt::skip]
mod spatial;
mod stationary;
mod touching;
mod trajectory;
mod trust;
mod turning;
mod variational;
mod whipple;
