//! The part of the document of `simulate` that a certificate adds.

use galilei_certify::Certificate;
use galilei_report::document::{Diagnostic, Entries, warnings};
use serde::Serialize;

use super::run::Run;

/// A run together with an enclosure of the motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Certified<'a> {
    /// The run in doubles.
    #[serde(flatten)]
    pub run: Run<'a>,
    /// The certificate.
    #[serde(flatten)]
    pub certificate: CertificateDocument<'a>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CertificateDocument<'a> {
    /// Whether the motion is enclosed to the end of the run.
    pub certified: bool,
    /// The last time at which the motion is enclosed.
    pub certified_until: f64,
    /// Intervals that contain the motion then.
    pub enclosure: Enclosure,
    /// The events, each in an interval of time.
    pub certified_events: Vec<CertifiedEvent<'a>>,
    /// Why the motion is not enclosed further.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_certified_because: Option<&'a str>,
    /// The number of certified steps.
    pub certified_steps: usize,
    /// Seconds that the certificate took.
    pub certify_seconds: f64,
}

/// Intervals that contain the motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Enclosure {
    /// The time: a point, or the interval in which the run is ended by an event.
    pub time: [f64; 2],
    /// The positions.
    pub position: Vec<[f64; 2]>,
    /// The velocities.
    pub velocity: Vec<[f64; 2]>,
    /// The outputs; null where an output cannot be enclosed.
    pub outputs: Entries<Option<[f64; 2]>>,
    /// The largest width of positions and velocities.
    pub width: f64,
}

/// An event of a certified motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CertifiedEvent<'a> {
    /// Its name.
    pub name: &'a str,
    /// The times between which it happens.
    pub time: [f64; 2],
    /// The positions at the event.
    pub position: &'a [[f64; 2]],
    /// The velocities at the event.
    pub velocity: &'a [[f64; 2]],
    /// Whether it is proved to happen, once, between these times.
    pub certified: bool,
}

impl<'a> Certified<'a> {
    /// The document of a run and its certificate, with the names of outputs and events and the seconds it took.
    pub fn new(
        run: Run<'a>,
        certificate: &'a Certificate,
        [outputs, events]: [&'a [String]; 2],
        seconds: f64,
        (diagnostics, source): (&[galilei_model::Diagnostic], &str),
    ) -> Self {
        let n = certificate.position.len();
        let event = |e: &'a galilei_certify::CertifiedEvent| CertifiedEvent {
            name: events.get(e.event).map_or("", String::as_str),
            time: e.time,
            position: &e.state[..n],
            velocity: &e.state[n..],
            certified: e.certified,
        };
        Self {
            run,
            certificate: CertificateDocument {
                certified: certificate.certified,
                certified_until: certificate.until,
                enclosure: Enclosure {
                    time: certificate.time,
                    position: certificate.position.clone(),
                    velocity: certificate.velocity.clone(),
                    outputs: outputs
                        .iter()
                        .cloned()
                        .zip(certificate.outputs.iter().copied())
                        .collect(),
                    width: certificate.width(),
                },
                certified_events: certificate.events.iter().map(event).collect(),
                not_certified_because: certificate.reason.as_deref(),
                certified_steps: certificate.steps,
                certify_seconds: seconds,
            },
            warnings: warnings(diagnostics, source),
        }
    }
}
