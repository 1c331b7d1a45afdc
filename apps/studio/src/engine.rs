//! The engine behind the page: requests and answers as JSON, with the documents of the command line.

use galilei::document::{self, Answer, Refusal};
use galilei::{Code, Diagnostic, Error, Language, Method, Model, RunSettings, Section, Topic};
use galilei_lsp::{Analysis, Service};
use galilei_report::{Derivation, Record, typeset};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request of the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// `read`, `lsp`, `format`, `derive`, `check`, `eval`, `simulate`, `motion`, `nearby`, `drag`, `page`, `latex`, `csv`,
    /// `export`.
    pub command: String,
    /// The text of the model.
    pub text: String,
    /// Values for parameters, `m=2`.
    pub set: Vec<String>,
    /// The state at the start, `theta=0.1, theta'=2`.
    pub at: String,
    /// The end of the run.
    pub to: Option<f64>,
    /// The method of the run.
    pub method: Option<String>,
    /// The relative tolerance of the run.
    pub tolerance: Option<f64>,
    /// The language of `export`.
    pub language: String,
    /// The parameter, coordinate or velocity that `nearby` varies.
    pub by: String,
    /// The number of the point that `drag` moves.
    pub point: usize,
    /// The way that `drag` moves it, right and upward as the observer sees it, in units of length.
    pub way: [f64; 2],
    /// The method of `lsp`, `textDocument/hover`.
    pub lsp: String,
    /// The parameters of `lsp`.
    pub params: Value,
    /// The analysis of the text, as `read` gave it, for `lsp`.
    pub analysis: Option<Analysis>,
}

/// The address of the model in requests of `lsp`.
const ADDRESS: &str = "model.gal";

/// The largest number of coordinates of a model with a preview, and the number of states in it.
const MAX_NEARBY_COORDINATES: usize = 24;
const NEARBY_STATES: usize = 400;
/// The relative step of central differences of the start.
const SLOPE_STEP: f64 = 1e-6;

/// A parameter as a slider shows it.
#[derive(Clone, Debug, Serialize)]
struct Slider {
    name: String,
    /// The value in the unit as written.
    value: f64,
    unit: Option<String>,
}

/// The answer to `read`: diagnostics as an editor shows them, and the parameters.
#[derive(Clone, Debug, Serialize)]
struct Reading {
    ok: bool,
    title: String,
    diagnostics: Value,
    analysis: Analysis,
    parameters: Vec<Slider>,
    /// Positions and velocities at the start.
    start: Vec<Slider>,
    /// The end of the run that the model asks for.
    to: Option<f64>,
}

/// Answers a request. Everything that is wrong with it is part of the answer: it never panics, and always is JSON.
///
/// ```
/// let request = r#"{ "command": "check", "text": "coord x\nkinetic: x'^2/2\n" }"#;
/// let answer = galilei_studio::answer(request);
/// assert!(answer.contains("\"ok\": true"));
/// ```
pub fn answer(request: &str) -> String {
    let refused = |why: String| document::to_text(&json!({ "ok": false, "refused": why }));
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(why) => return refused(why.to_string()),
    };
    let answered = match request.command.as_str() {
        "read" => return document::to_text(&read(&request)),
        "lsp" => return lsp(&request),
        "format" => {
            let text = galilei::format_text(&request.text);
            return document::to_text(&json!({ "ok": true, "text": text }));
        }
        "derive" => request.derive(),
        "check" => request.check(),
        "eval" => request.eval(),
        "simulate" => request.simulate(),
        "motion" => request.motion(),
        "nearby" => request.nearby(),
        "drag" => request.drag(),
        "page" => request.page(),
        "latex" => request.latex(),
        "csv" => request.csv(),
        "export" => request.export(),
        other => return refused(format!("there is no command `{other}`")),
    };
    answered.unwrap_or_else(|e| document::to_text(&Refusal::new(e.diagnostics(), e.text())))
}

/// Reads the model and returns what an editor shows.
fn read(request: &Request) -> Reading {
    let analysis = Analysis::of(&request.text);
    let mut service = Service::default();
    service.open(ADDRESS, request.text.clone(), 0);
    let diagnostics = service.analysed(ADDRESS, 0, analysis.clone());
    let model = request.model().ok();
    let parameters = model.as_ref().map(sliders).unwrap_or_default();
    Reading {
        ok: !analysis.problems.iter().any(|p| p.error),
        title: model.as_ref().map_or("", |m| m.title()).to_owned(),
        diagnostics: json!(diagnostics),
        analysis,
        parameters,
        start: model.as_ref().map(start).unwrap_or_default(),
        to: model.as_ref().and_then(end_of_run),
    }
}

/// The end of the run that a model asks for.
fn end_of_run(model: &Model) -> Option<f64> {
    let to = model.contents().run.to?;
    let values = model.parameter_values().ok()?;
    let to = model.expr(to).substitute(&values).evaluate_f64(&[]);
    to.is_finite().then_some(to)
}

/// The parameters that have a number, in the unit as written.
fn sliders(model: &Model) -> Vec<Slider> {
    let Ok(values) = model.parameter_values() else {
        return vec![];
    };
    let mut list = Vec::new();
    for p in &model.contents().parameters {
        let value = model.expr(p.symbol).substitute(&values).evaluate_f64(&[]);
        let value = value / model.expr(p.scale).evaluate_f64(&[]);
        if value.is_finite() && !p.name.contains('[') {
            list.push(Slider {
                name: p.name.clone(),
                value,
                unit: p.unit.clone(),
            });
        }
    }
    list
}

/// Positions and velocities at the start, in the units as written.
fn start(model: &Model) -> Vec<Slider> {
    let (Ok(values), Ok(state)) = (model.parameter_values(), model.state_at("")) else {
        return vec![];
    };
    let coordinates = &model.contents().coordinates;
    let mut list = Vec::new();
    for (parts, prime) in [(&state.position, ""), (&state.velocity, "'")] {
        for (c, value) in coordinates.iter().zip(parts) {
            let scale = model.expr(c.scale).evaluate_f64(&[]);
            let value = value.substitute(&values).evaluate_f64(&[]) / scale;
            if value.is_finite() {
                list.push(Slider {
                    name: format!("{}{prime}", c.name),
                    value,
                    unit: c.unit.as_ref().map(|u| match prime {
                        "" => u.clone(),
                        _ => format!("{u}/s"),
                    }),
                });
            }
        }
    }
    list
}

/// The state (t, x, u) at the start of a model, by the numbers of another.
fn state_of(model: &Model, numbers: &Model) -> Option<Vec<f64>> {
    let values = numbers.parameter_values().ok()?;
    let state = model.state_at("").ok()?;
    let parts = std::iter::once(&state.time).chain(&state.position);
    let parts = parts.chain(&state.velocity);
    let parts: Vec<f64> = parts
        .map(|e| e.substitute(&values).evaluate_f64(&[]))
        .collect();
    parts.iter().all(|x| x.is_finite()).then_some(parts)
}

/// The number of an entry of the state, positions first.
fn entry_of(model: &Model, name: &str) -> Option<usize> {
    let coordinates = &model.contents().coordinates;
    let stem = name.strip_suffix('\'').unwrap_or(name);
    let k = coordinates.iter().position(|c| c.name == stem)?;
    Some(if stem == name {
        k
    } else {
        k + coordinates.len()
    })
}

/// The factor from the unit as written to SI units, for an entry of the state.
fn scale_of(model: &Model, entry: usize) -> f64 {
    let coordinates = &model.contents().coordinates;
    let k = entry % coordinates.len().max(1);
    model.expr(coordinates[k].scale).evaluate_f64(&[])
}

/// The slopes of the whole start by one entry of it, in its unit: other entries may follow from it.
fn start_slope(model: &Model, entry: &Slider) -> Result<Vec<f64>, Error> {
    let step = SLOPE_STEP * entry.value.abs().max(1.0);
    // Where velocities are given by directions that belong to the positions, all entries are kept as numbers.
    let others = start(model).into_iter().filter(|s| s.name != entry.name);
    let others: Vec<String> = others
        .map(|s| format!(", {} = {:?}", s.name, s.value))
        .collect();
    let at = |value: f64| -> Result<Vec<f64>, Error> {
        let one = format!("{} = {value:?}", entry.name);
        let moved = model.starting_at(&one);
        let moved = moved.or_else(|_| model.starting_at(&(one + &others.concat())))?;
        Ok(state_of(&moved, model).unwrap_or_default())
    };
    let (low, high) = (at(entry.value - step)?, at(entry.value + step)?);
    let pairs = low.iter().zip(&high).skip(1);
    Ok(pairs.map(|(l, h)| (h - l) / (2.0 * step)).collect())
}

/// A run as a page shows it.
fn record_of(motion: galilei::Motion) -> Record {
    Record {
        run: motion.run,
        method: motion.method.to_owned(),
        tolerance: motion.tolerance,
        step: motion.step,
    }
}

/// A request of the language server about the text.
fn lsp(request: &Request) -> String {
    let mut service = Service::default();
    service.open(ADDRESS, request.text.clone(), 0);
    if let Some(analysis) = &request.analysis {
        service.analysed(ADDRESS, 0, analysis.clone());
    }
    let mut params = request.params.clone();
    if !params.is_object() {
        params = json!({});
    }
    params["textDocument"] = json!({ "uri": ADDRESS });
    let answer = match service.answer(&request.lsp, &params) {
        Ok(result) => json!({ "ok": true, "result": result }),
        Err(why) => json!({ "ok": false, "refused": format!("{why:?}") }),
    };
    document::to_text(&answer)
}

/// The diagnostics, unless one of them is an error.
fn allowed(model: &Model, diagnostics: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Error> {
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(model.error(diagnostics)),
        false => Ok(diagnostics),
    }
}

/// A text in an answer.
#[derive(Serialize)]
struct Text<'a> {
    system: &'a str,
    text: String,
}

impl Request {
    fn model(&self) -> Result<Model, Error> {
        let model = Model::reader()
            .name(ADDRESS)
            .set_all(&self.set)
            .parse(&self.text)?;
        match self.at.trim().is_empty() {
            true => Ok(model),
            false => model.starting_at(&self.at),
        }
    }

    fn settings(&self, model: &Model) -> Result<RunSettings, Error> {
        let method = self.method.as_ref().map(|name| name.parse::<Method>());
        let method = method.transpose().map_err(|e| model.error(e))?;
        let settings = RunSettings::new().to(self.to).method(method);
        Ok(settings.tolerance(self.tolerance))
    }

    /// Equations and energy, as a page.
    fn derive(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let diagnostics = allowed(model, model.diagnostics())?;
        let reading = model.for_reading();
        let derivation = Derivation::new(&reading);
        let topics = Topic::DEFAULT.into_iter();
        let sections: Vec<Section> = topics.map(|t| derivation.section(t)).collect();
        let text = typeset::html(model.title(), &sections);
        self.text(model, &diagnostics, text)
    }

    fn check(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let mut result = model.check();
        let mut diagnostics = model.warnings().to_vec();
        diagnostics.append(&mut result.diagnostics);
        let diagnostics = allowed(model, diagnostics)?;
        let check = document::Check::new(model.title(), &result);
        Ok(document::to_text(&Answer::new(
            check,
            &diagnostics,
            model.source(),
        )))
    }

    fn eval(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let state = model.state_at("")?;
        let diagnostics = allowed(model, model.diagnostics_at(Some(&state)))?;
        let values = model.evaluate(&state)?;
        let values = document::Evaluation::new(model.title(), &values);
        Ok(document::to_text(&Answer::new(
            values,
            &diagnostics,
            model.source(),
        )))
    }

    fn simulate(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let settings = self.settings(model)?;
        let mut diagnostics = allowed(model, model.diagnostics_before(&settings))?;
        let motion = model.simulate().settings(settings).run()?;
        diagnostics.extend(motion.warnings.iter().cloned());
        let run = document::Run::new(model.title(), &motion);
        let run = document::Simulation::new(run, &diagnostics, model.source());
        Ok(document::to_text(&run))
    }

    /// A run with its animation and its plots, as a page.
    fn motion(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let settings = self.settings(model)?;
        let diagnostics = allowed(model, model.diagnostics_before(&settings))?;
        let motion = model.simulate().settings(settings).run_for_plots()?;
        let mut all = diagnostics;
        all.extend(motion.warnings.iter().cloned());
        let text = galilei_report::run_page(model, &record_of(motion));
        self.text(model, &all, text)
    }

    /// The slopes of everything on the page of a run by one quantity, in its unit as written.
    fn nearby(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let refused = |why: &str| {
            let hint = "the run itself follows when the slider rests";
            model.error(vec![Diagnostic::error(Code::NotAvailable, why, hint, None)])
        };
        let n = model.degrees_of_freedom();
        if n > MAX_NEARBY_COORDINATES {
            let why = format!("there is no preview beyond {MAX_NEARBY_COORDINATES} coordinates");
            return Err(refused(&why));
        }
        let settings = self.settings(model)?;
        let motion = model
            .simulate()
            .settings(settings.clone())
            .run_for_plots()?;
        let from = motion.run.rows.first().map_or(0.0, |row| row[0]);
        let every = (motion.run.time - from).abs() / NEARBY_STATES as f64;
        let settings = settings.every((every > 0.0).then_some(every));
        let parameters = &model.contents().parameters;
        let parameter = parameters.iter().find(|p| p.name == self.by);
        let analysis = model.sensitivities().settings(settings);
        let (analysis, scale, start) = match parameter {
            Some(p) => {
                let scale = model.expr(p.scale).evaluate_f64(&[]);
                (analysis.by(&self.by), scale, vec![0.0; 2 * n])
            }
            None => {
                let value = start(model).into_iter().find(|s| s.name == self.by);
                let value = value.ok_or_else(|| refused(&format!("there is no `{}`", self.by)))?;
                (analysis, 1.0, start_slope(model, &value)?)
            }
        };
        let found = analysis.run()?;
        let width = 2 * n + usize::from(parameter.is_some());
        let slope = |row: &Vec<f64>| -> Vec<f64> {
            let components = row.chunks(width).map(|c| {
                let by_start = c.iter().zip(&start).map(|(c, s)| c * s);
                by_start.sum::<f64>() + c.get(2 * n).map_or(0.0, |c| c * scale)
            });
            components.collect()
        };
        let slopes: Vec<Vec<f64>> = found.rows.iter().map(slope).collect();
        let symbol = parameter.map(|p| model.expr(p.symbol));
        let rows = &found.motion.run.rows;
        let record = record_of(motion);
        let nearby =
            galilei_report::Nearby::new(model, &record, rows, &slopes, symbol.map(|s| (s, scale)));
        Ok(document::to_text(&Answer::new(nearby, &[], model.source())))
    }

    /// The whole start after a point of the mechanism was dragged, and the ways of all points.
    fn drag(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let Some(state) = state_of(model, model) else {
            return Ok(document::to_text(
                &json!({ "ok": false, "refused": "the start has no numbers" }),
            ));
        };
        let Some(dragged) = galilei_report::drag(model, &state, self.point, self.way) else {
            return Ok(document::to_text(
                &json!({ "ok": false, "refused": "nothing can be dragged there" }),
            ));
        };
        let after = dragged.positions.iter().chain(&dragged.velocities);
        let entries = start(model).into_iter().filter_map(|mut entry| {
            let k = entry_of(model, &entry.name)?;
            let (before, after) = (*state.get(1 + k)?, *after.clone().nth(k)?);
            if before != after {
                entry.value = after / scale_of(model, k);
            }
            Some(entry)
        });
        let entries: Vec<Slider> = entries.collect();
        Ok(document::to_text(&json!({
            "ok": true,
            "start": entries,
            "moved": dragged.moved,
            "miss": dragged.miss,
        })))
    }

    /// The whole page: derivation, verdicts, run.
    fn page(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let settings = self.settings(model)?;
        let diagnostics = allowed(model, model.diagnostics_before(&settings))?;
        let run = model.simulate().settings(settings);
        let page = run.page("galilei report model.gal", env!("CARGO_PKG_VERSION"));
        let text = page.to_html();
        self.text(model, &diagnostics, text)
    }

    fn latex(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let diagnostics = allowed(model, model.diagnostics())?;
        let text = typeset::latex(model.title(), &model.derive_all());
        self.text(model, &diagnostics, text)
    }

    /// The states of a run as a table.
    fn csv(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let settings = self.settings(model)?;
        let diagnostics = allowed(model, model.diagnostics_before(&settings))?;
        let motion = model.simulate().settings(settings).run()?;
        let names = motion.coordinates.iter();
        let mut head = vec!["t".to_owned()];
        head.extend(names.clone().cloned());
        head.extend(names.map(|n| format!("{n}'")));
        head.extend(motion.output_names.iter().cloned());
        let mut text = head.join(",") + "\n";
        for row in &motion.run.rows {
            // A value that a chart does not have is left out, as in the files of the command line.
            let cell = |x: &f64| match x.is_nan() {
                true => String::new(),
                false => format!("{x:?}"),
            };
            let cells: Vec<String> = row.iter().map(cell).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        self.text(model, &diagnostics, text)
    }

    fn export(&self) -> Result<String, Error> {
        let model = &self.model()?;
        let diagnostics = allowed(model, model.diagnostics())?;
        let language: Language = self
            .language
            .parse()
            .map_err(|e| model.error(Error::from(e)))?;
        let text = model.export(language)?;
        self.text(model, &diagnostics, text)
    }

    fn text(
        &self,
        model: &Model,
        diagnostics: &[Diagnostic],
        text: String,
    ) -> Result<String, Error> {
        let system = model.title();
        let answer = Answer::new(Text { system, text }, diagnostics, model.source());
        Ok(document::to_text(&answer))
    }
}
