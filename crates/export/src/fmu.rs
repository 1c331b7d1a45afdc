//! Functional mock-up units: FMI 3.0 and 2.0, model exchange and co-simulation, as archives with C sources.

use std::fmt::Write;

use galilei_expr::Expr;
use galilei_model::{Code, Diagnostic, Model, refused};

use crate::data::npz::zip;
use crate::source::{Equations, Given, identifier, marked};

/// The versions of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fmi {
    /// FMI 2.0
    Two,
    /// FMI 3.0
    Three,
}

impl Fmi {
    fn version(self) -> &'static str {
        match self {
            Self::Two => "2.0",
            Self::Three => "3.0",
        }
    }

    /// The folder of shared libraries for this system, if it has one.
    fn folder(self) -> Option<&'static str> {
        let known = cfg!(target_os = "linux") && cfg!(target_arch = "x86_64");
        known.then_some(match self {
            Self::Two => "binaries/linux64",
            Self::Three => "binaries/x86_64-linux",
        })
    }
}

/// A variable of a unit.
struct Variable {
    name: String,
    causality: &'static str,
    variability: &'static str,
    initial: Option<&'static str>,
    start: Option<f64>,
    /// The reference of the state whose derivative it is.
    derivative: Option<usize>,
}

/// A unit: a description and a source file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name of the source file and of the library, without their endings.
    pub identifier: String,
    /// `modelDescription.xml`
    pub description: String,
    /// The source file, C99 without dependencies.
    pub source: String,
    version: Fmi,
    /// Outputs that are left out because they use multipliers.
    pub left_out: Vec<String>,
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A name of 32 hexadecimal digits for a text.
fn fingerprint(text: &str) -> String {
    let hash = |seed: u64| {
        text.bytes().fold(seed, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let [a, b] = [hash(0xcbf2_9ce4_8422_2325), hash(0x9e37_79b9_7f4a_7c15)];
    format!(
        "{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xffff,
        b >> 48,
        b & 0xffff_ffff_ffff
    )
}

impl Unit {
    /// The unit of a model that was read with increments of its inputs. Inputs whose formula is a number are inputs of the
    /// unit; formulas of time and state are computed inside.
    ///
    /// # Errors
    /// Where a value is missing, the model has no numbers, or the source would be too long.
    pub fn new(model: &Model, version: Fmi) -> Result<Self, Vec<Diagnostic>> {
        let equations = Equations::new(model, false, true, Given::Constant)?;
        let contents = model.contents();
        let numbers = model.parameter_values()?;
        let number = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&[]);
        let state = model.initial_state()?;
        let from = number(state.time);
        let parts = state.position.iter().chain(&state.velocity);
        let start: Vec<f64> = parts.map(|e| number(*e)).collect();
        let to = contents
            .run
            .to
            .map_or(from + 1.0, |t| number(model.expr(t)));
        let signals = equations.signals.as_ref();
        let inputs = signals.map_or(&[][..], |s| &s.list);
        let place = |name: &str| contents.inputs.iter().position(|i| i.name == name);
        let increments: Vec<usize> = inputs.iter().filter_map(|i| place(&i.name)).collect();
        let multipliers = |value: Expr<'_>| {
            value.symbols().iter().any(|s| {
                let name = s.to_string();
                name.starts_with("multiplier(") || name.starts_with("reaction(")
            })
        };
        let (left_out, outputs): (Vec<_>, Vec<_>) =
            (contents.outputs.iter()).partition(|o| multipliers(model.expr(o.value)));
        let outputs: Vec<String> = outputs.iter().map(|o| o.name.clone()).collect();
        let n = contents.coordinates.len();
        let names = contents.coordinates.iter();
        let states: Vec<String> = names
            .clone()
            .map(|c| c.name.clone())
            .chain(names.map(|c| format!("{}'", c.name)))
            .collect();
        let plain = |name: String, causality, initial, start| Variable {
            name,
            causality,
            variability: "continuous",
            initial,
            start,
            derivative: None,
        };
        let mut list = vec![plain("time".into(), "independent", None, None)];
        for (name, start) in states.iter().zip(&start) {
            list.push(plain(name.clone(), "output", Some("exact"), Some(*start)));
        }
        for (k, name) in states.iter().enumerate() {
            list.push(Variable {
                derivative: Some(1 + k),
                ..plain(format!("der({name})"), "local", Some("calculated"), None)
            });
        }
        for input in inputs {
            list.push(plain(input.name.clone(), "input", None, input.value));
        }
        for (name, value, _) in &equations.parameters {
            list.push(Variable {
                variability: "tunable",
                ..plain(name.clone(), "parameter", Some("exact"), Some(*value))
            });
        }
        for name in &outputs {
            // An output may have the name of a coordinate or a parameter.
            let mut own = name.clone();
            while list.iter().any(|v| v.name == own) {
                own = format!("output.{own}");
            }
            list.push(plain(own, "output", Some("calculated"), None));
        }
        let Some(source) = equations.unit_source() else {
            return Err(refused(
                Code::TooLarge,
                format!("the file would have {} statements", equations.length()),
                "export is for systems of moderate size; give smaller constants with --set",
            ));
        };
        let identifier = identifier(model.title());
        let guid = fingerprint(&format!("{source}{start:?}{from}{}", version.version()));
        let mut text = include_str!("fmu/unit.c").to_owned();
        for (mark, kept) in [
            ("fmi2", version == Fmi::Two),
            ("fmi3", version == Fmi::Three),
            ("inputs", signals.is_some()),
        ] {
            text = marked(&text, "//", mark, kept);
        }
        let list_of = |numbers: &[f64]| -> String {
            let all: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
            if all.is_empty() {
                "0.0".into()
            } else {
                all.join(", ")
            }
        };
        let places = |numbers: &[usize]| -> String {
            let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            if all.is_empty() {
                "0".into()
            } else {
                all.join(", ")
            }
        };
        for (name, value) in [
            ("FMI", version.version().to_owned()),
            ("NAME", identifier.clone()),
            ("GUID", guid.clone()),
            ("N", n.to_string()),
            ("M", equations.constraints.len().to_string()),
            ("I", inputs.len().to_string()),
            ("G", equations.parameters.len().to_string()),
            ("K", signals.map_or(0, |s| s.increments).to_string()),
            (
                "P",
                (equations.parameters.len() + signals.map_or(0, |s| s.increments)).to_string(),
            ),
            ("O", outputs.len().to_string()),
            ("START", list_of(&start)),
            ("FROM", format!("{from:?}")),
            ("INCREMENT_PLACES", places(&increments)),
        ] {
            text = text.replace(&format!("@{name}@"), &value);
        }
        let description = describe(
            model.title(),
            &identifier,
            &guid,
            &list,
            (from, to),
            n,
            version,
        );
        Ok(Self {
            identifier,
            description,
            source: format!("{source}{text}"),
            version,
            left_out: left_out.iter().map(|o| o.name.clone()).collect(),
        })
    }

    /// The archive, with a shared library for this system if one was compiled.
    pub fn archive(&self, library: Option<Vec<u8>>) -> Vec<u8> {
        let mut files = vec![(
            "modelDescription.xml".to_owned(),
            self.description.clone().into_bytes(),
        )];
        let source = format!("sources/{}.c", self.identifier);
        files.push((source, self.source.clone().into_bytes()));
        if self.version == Fmi::Three {
            let build = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  \
                 <BuildConfiguration modelIdentifier=\"{0}\">\n    <SourceFileSet language=\"C99\">\n      \
                 <SourceFile name=\"{0}.c\"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
                self.identifier
            );
            files.push((
                "sources/buildDescription.xml".to_owned(),
                build.into_bytes(),
            ));
        }
        if let (Some(library), Some(folder)) = (library, self.version.folder()) {
            files.push((format!("{folder}/{}.so", self.identifier), library));
        }
        zip(&files)
    }
}

/// `modelDescription.xml`
fn describe(
    title: &str,
    identifier: &str,
    guid: &str,
    list: &[Variable],
    (from, to): (f64, f64),
    n: usize,
    version: Fmi,
) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let three = version == Fmi::Three;
    let token = if three { "instantiationToken" } else { "guid" };
    let _ = write!(
        out,
        "<fmiModelDescription fmiVersion=\"{}\" modelName=\"{}\" {token}=\"{guid}\" generationTool=\"Galilei {}\" variableNamingConvention=\"flat\"",
        version.version(),
        escaped(title),
        env!("CARGO_PKG_VERSION")
    );
    out.push_str(if three {
        ">\n"
    } else {
        " numberOfEventIndicators=\"0\">\n"
    });
    let sources = format!("<SourceFiles><File name=\"{identifier}.c\"/></SourceFiles>");
    let state = match three {
        true => "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"",
        false => "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"",
    };
    let steps = format!("canHandleVariableCommunicationStepSize=\"true\" {state}");
    if three {
        let _ = writeln!(
            out,
            "  <ModelExchange modelIdentifier=\"{identifier}\" {state}/>"
        );
        let _ = writeln!(
            out,
            "  <CoSimulation modelIdentifier=\"{identifier}\" {steps}/>"
        );
    } else {
        let _ = writeln!(
            out,
            "  <ModelExchange modelIdentifier=\"{identifier}\" {state}>{sources}</ModelExchange>"
        );
        let _ = writeln!(
            out,
            "  <CoSimulation modelIdentifier=\"{identifier}\" {steps}>{sources}</CoSimulation>"
        );
    }
    let _ = writeln!(
        out,
        "  <DefaultExperiment startTime=\"{from:?}\" stopTime=\"{to:?}\" tolerance=\"1e-10\"/>\n  <ModelVariables>"
    );
    for (k, v) in list.iter().enumerate() {
        let start = v
            .start
            .map_or(String::new(), |x| format!(" start=\"{x:?}\""));
        let initial = v
            .initial
            .map_or(String::new(), |i| format!(" initial=\"{i}\""));
        let common = format!(
            "name=\"{}\" valueReference=\"{k}\" causality=\"{}\" variability=\"{}\"{initial}",
            escaped(&v.name),
            v.causality,
            v.variability
        );
        let _ = if three {
            let derivative = v
                .derivative
                .map_or(String::new(), |d| format!(" derivative=\"{d}\""));
            writeln!(out, "    <Float64 {common}{derivative}{start}/>")
        } else {
            // Indices count from 1.
            let derivative = v
                .derivative
                .map_or(String::new(), |d| format!(" derivative=\"{}\"", d + 1));
            writeln!(
                out,
                "    <ScalarVariable {common}><Real{derivative}{start}/></ScalarVariable>"
            )
        };
    }
    out.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    let outputs = (0..list.len()).filter(|&k| list[k].causality == "output");
    let rates = 1 + 2 * n..1 + 4 * n;
    let initial: Vec<usize> = (0..list.len())
        .filter(|&k| list[k].initial == Some("calculated"))
        .collect();
    if three {
        for k in outputs {
            let _ = writeln!(out, "    <Output valueReference=\"{k}\"/>");
        }
        for k in rates {
            let _ = writeln!(
                out,
                "    <ContinuousStateDerivative valueReference=\"{k}\"/>"
            );
        }
        for k in initial {
            let _ = writeln!(out, "    <InitialUnknown valueReference=\"{k}\"/>");
        }
    } else {
        let unknowns = |out: &mut String, name: &str, list: &mut dyn Iterator<Item = usize>| {
            let _ = writeln!(out, "    <{name}>");
            for k in list {
                let _ = writeln!(out, "      <Unknown index=\"{}\"/>", k + 1);
            }
            let _ = writeln!(out, "    </{name}>");
        };
        unknowns(&mut out, "Outputs", &mut outputs.into_iter());
        unknowns(&mut out, "Derivatives", &mut rates.into_iter());
        unknowns(&mut out, "InitialUnknowns", &mut initial.into_iter());
    }
    out.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    out
}
