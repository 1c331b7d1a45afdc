// The studio: text on one side, results on the other.

import "./style.css";
import { createEditor, paint, setText, showProblems } from "./editor";
import { Lane, ServerSource, Stopped, WorkerSource, type Answer, type Source } from "./engine";
import { fragment, fromFragment } from "./share";
import { Motion, type Drag } from "./motion";
import { Sliders, type Quantity } from "./sliders";

const START = `# A pendulum. Change it, and watch.
system "Pendulum"

param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]
coord theta [rad]

let bob = (l*sin(theta), -l*cos(theta))
particle bob: mass m at bob
gravity: (0, -g)

initial theta = 1
simulate to 10
`;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const data = (id: string): any => JSON.parse(element(id).textContent ?? "null");

const settings = data("settings").settings as { server?: boolean; file?: boolean } | null;
const server = settings?.server === true;

// The engine leaves the document, so that the page as it was loaded, which the download of the studio needs, is a short text.
const packed = element("engine").textContent.trim();
element("engine").textContent = "";
const loaded = `<!DOCTYPE html>\n${document.documentElement.outerHTML}`;

/** The lanes' way to the engine. */
function source(): Source {
  if (server) return new ServerSource();
  if (packed) return new WorkerSource(packed);
  const missing = "this page has no engine: build it with `cargo xtask studio`, or run `galilei studio`";
  return { open: () => ({ ask: () => Promise.reject(new Error(missing)), close: () => {} }) };
}

let message = "";
function status(text: string): void {
  message = text;
  refresh();
}

const engine = source();
const reader = new Lane(engine, 10_000, refresh);
const helper = new Lane(engine, 5_000, () => {});
const lanes = {
  motion: new Lane(engine, 30_000, refresh),
  equations: new Lane(engine, 30_000, refresh),
  page: new Lane(engine, 120_000, refresh),
  download: new Lane(engine, 120_000, refresh),
};
// What only adds to the motion while something is dragged.
const slopes = new Lane(engine, 15_000, () => {});
const dragging = new Lane(engine, 5_000, () => {});
type Tab = "motion" | "equations" | "page";

let ticking = 0;
function refresh(): void {
  const busy = Math.max(reader.busy() ?? 0, ...Object.values(lanes).map((lane) => lane.busy() ?? 0));
  const line = element("status");
  const text = busy > 300 ? `computing, ${(busy / 1000).toFixed(0)} s` : message;
  if (line.textContent !== text) line.textContent = text;
  element("stop").hidden = busy <= 300;
  const any = [reader, ...Object.values(lanes)].some((lane) => lane.busy() !== null);
  if (any && !ticking) ticking = window.setInterval(refresh, 250);
  if (!any && ticking) {
    clearInterval(ticking);
    ticking = 0;
  }
}

// ---- the text and what is known of it

let reading: Answer | null = null;
let readText = "";
let timer = 0;
let file: { name: string; stamp: string; text: string } | null = null;
const stale: Record<Tab, boolean> = { motion: true, equations: true, page: true };
let tab: Tab = "motion";

const ask = async (method: string, params: Answer): Promise<Answer | null> => {
  const text = view.state.doc.toString();
  const analysis = readText === text ? reading?.analysis : undefined;
  try {
    const answer = await helper.ask({ command: "lsp", text, lsp: method, params, analysis });
    return answer.ok ? answer.result : null;
  } catch {
    return null;
  }
};

// Corrections and colours are asked for one after the other; a hover must not drop them.
const background = new Lane(engine, 10_000, () => {});
let queue: Promise<unknown> = Promise.resolve();
const askInTurn = (method: string, params: Answer): Promise<Answer | null> => {
  const text = view.state.doc.toString();
  const next = queue.then(async () => {
    if (view.state.doc.toString() !== text) return null;
    try {
      const analysis = readText === text ? reading?.analysis : undefined;
      const answer = await background.ask({ command: "lsp", text, lsp: method, params, analysis });
      return answer.ok ? answer.result : null;
    } catch {
      return null;
    }
  });
  queue = next;
  return next;
};

const view = createEditor(element("editor"), {
  ask,
  changed: () => {
    clearTimeout(timer);
    timer = window.setTimeout(read, 150);
  },
  save: () => void save(),
});

// ---- sliders, and points that are dragged in the picture

/** The quantity whose slider is moved, with its value in the run that is shown; slopes by it, once they are there. */
let taken: { name: string; value: number; ready: boolean } | null = null;
let settle = 0;
/** The values with which the run that is shown was made. */
let shownAt = "";

const sliders = new Sliders(element("sliders"), {
  taken: (name, value) => void preview(name, value),
  moving: (name, value) => {
    clearTimeout(settle);
    stale.motion = stale.page = true;
    if (taken?.ready && taken.name === name) {
      motion.ahead(value - taken.value);
      status("preview to first order");
      // The run itself follows as soon as the slider rests.
      settle = window.setTimeout(() => void update(), 250);
    } else void update();
  },
  changed: () => {
    clearTimeout(settle);
    stale.motion = stale.page = true;
    void update();
  },
});

/** Asks for the slopes of the run that is shown by a quantity. */
async function preview(name: string, value: number): Promise<void> {
  const asked = { ...request("nearby"), by: name };
  if (!reading?.ok || valuesOf(asked) !== shownAt || (taken?.name === name && taken.value === value)) return;
  taken = { name, value, ready: false };
  const mine = taken;
  try {
    const answer = await slopes.ask(asked);
    if (taken !== mine || !answer.plots) return;
    motion.slopes(answer);
    taken.ready = true;
  } catch {
    // Without slopes the run itself follows.
  }
}

/** A point of the picture is dragged: the engine says where the mechanism goes; at the end the start is there. */
async function dragged(drag: Drag | null): Promise<void> {
  if (!drag || !reading?.ok) return dragging.stop();
  try {
    const answer = await dragging.ask({ ...request("drag"), point: drag.point, way: drag.way });
    if (!answer.ok) return status(answer.refused ?? (answer.errors ?? []).map((e: any) => e.message).join(" · "));
    motion.moved(answer.moved, drag.done);
    const entries = answer.start as Quantity[];
    const changed = entries.filter((e) => e.value !== sliders.value(e.name));
    status(changed.map((e) => `${e.name} = ${Number(e.value.toPrecision(4))}${e.unit ? ` ${e.unit}` : ""}`).join(", "));
    if (!drag.done) return;
    sliders.start(entries);
    stale.motion = stale.page = true;
    void update();
  } catch (why) {
    if (!(why instanceof Stopped)) status((why as Error).message);
  }
}

const motion = new Motion((drag) => void dragged(drag));

async function read(): Promise<void> {
  const text = view.state.doc.toString();
  let answer: Answer;
  try {
    answer = await reader.ask({ command: "read", text });
  } catch (why) {
    if (!(why instanceof Stopped)) problems([{ severity: 1, message: `reading the model: ${(why as Error).message}` }]);
    return;
  }
  if (view.state.doc.toString() !== text) return;
  reading = answer;
  readText = text;
  problems(answer.diagnostics);
  void showProblems(view, text, answer.diagnostics, askInTurn);
  void askInTurn("textDocument/semanticTokens/full", {}).then((tokens) => {
    if (tokens) paint(view, text, tokens.data);
  });
  document.title = answer.title ? `${answer.title} · Galilei studio` : "Galilei studio";
  for (const name of ["motion", "equations", "page"] as Tab[]) stale[name] = true;
  if (!answer.ok) return;
  taken = null;
  motion.forget();
  sliders.show(answer.parameters, answer.start);
  void update();
}

function problems(list: any[]): void {
  const box = element("problems");
  box.replaceChildren();
  for (const problem of list.slice(0, 50)) {
    const line = box.appendChild(document.createElement("button"));
    line.type = "button";
    line.className = problem.severity === 1 ? "error" : "warning";
    const place = problem.range ? `line ${problem.range.start.line + 1}: ` : "";
    line.textContent = `${problem.severity === 1 ? "Error" : "Warning"}, ${place}${problem.message.replace("\n", " · ")}`;
    line.onclick = () => {
      if (!problem.range || problem.range.start.line >= view.state.doc.lines) return;
      const at = view.state.doc.line(problem.range.start.line + 1);
      const anchor = Math.min(at.from + problem.range.start.character, at.to);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    };
  }
}

/** The request for the text as it was read, with the values of the sliders. */
function request(command: string): Answer {
  return { command, text: readText, set: sliders.set(), at: sliders.at(), to: reading?.to ?? 10 };
}

/** The values of a request, in which the run differs from that of the text. */
function valuesOf(asked: Answer): string {
  return JSON.stringify([asked.text, asked.set, asked.at]);
}

/** Shows a document in a frame of its own, which can run scripts and reach nothing. The old one stays until the new one is there. */
function show(name: Tab, html: string): void {
  const panel = element(name);
  const old = panel.querySelector("iframe:not(.next)") as HTMLIFrameElement | null;
  panel.querySelectorAll("iframe.next, p").forEach((e) => e.remove());
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = element(`tab-${name}`).textContent ?? name;
  frame.className = "next";
  frame.onload = () => {
    const active = old !== null && document.activeElement === old;
    old?.remove();
    frame.classList.remove("next");
    if (name === "motion") motion.show(frame, active);
  };
  frame.srcdoc = html;
  panel.append(frame);
}

function say(name: Tab, text: string): void {
  const panel = element(name);
  panel.replaceChildren();
  panel.appendChild(document.createElement("p")).textContent = text;
}

/** Computes what the open tab shows; the motion always, because it is what one looks at. */
async function update(): Promise<void> {
  const wanted = new Set<Tab>(["motion", tab]);
  await Promise.all([...wanted].filter((name) => stale[name]).map(compute));
}

async function compute(name: Tab): Promise<void> {
  if (!reading?.ok) return;
  stale[name] = false;
  const command = { motion: "motion", equations: "derive", page: "page" }[name];
  const asked = request(command);
  try {
    const answer = await lanes[name].ask(asked);
    if (answer.text !== undefined) {
      show(name, answer.text);
      if (name === "motion") {
        warn(answer.warnings ?? []);
        shownAt = valuesOf(asked);
        const name = taken?.name;
        taken = null;
        const value = name === undefined ? undefined : sliders.value(name);
        if (name !== undefined && value !== undefined) void preview(name, value);
      }
    } else {
      const errors = (answer.errors ?? []) as any[];
      say(name, answer.refused ?? errors.map((e) => `${e.message}; ${e.hint}`).join("\n"));
    }
  } catch (why) {
    if (why instanceof Stopped) {
      stale[name] = true;
      if (why.message === "stopped") say(name, "stopped");
      return;
    }
    say(name, (why as Error).message);
  }
}

function warn(list: any[]): void {
  status(list.map((w) => w.message).join(" · "));
}

// ---- tabs

function select(name: Tab): void {
  tab = name;
  for (const other of ["motion", "equations", "page"] as Tab[]) {
    const button = element(`tab-${other}`);
    button.setAttribute("aria-selected", String(other === name));
    button.tabIndex = other === name ? 0 : -1;
    element(other).hidden = other !== name;
  }
  void update();
}

const order: Tab[] = ["motion", "equations", "page"];
for (const name of order) {
  const button = element(`tab-${name}`);
  button.onclick = () => select(name);
  button.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = order[(order.indexOf(name) + step + order.length) % order.length];
    select(next);
    element(`tab-${next}`).focus();
  };
}
element("stop").onclick = () => [reader, ...Object.values(lanes)].forEach((lane) => lane.stop());
element("reset").onclick = () => sliders.reset();

// ---- buttons

element("format").onclick = async () => {
  const text = view.state.doc.toString();
  const answer = await helper.ask({ command: "format", text }).catch(() => null);
  if (answer?.ok && answer.text !== text && view.state.doc.toString() === text) setText(view, answer.text);
};

element("share").onclick = async () => {
  const hash = await fragment(view.state.doc.toString());
  history.replaceState(null, "", hash);
  const link = location.href;
  try {
    await navigator.clipboard.writeText(link);
    status("the link is in the clipboard");
  } catch {
    status("the link is in the address bar");
  }
};

function offer(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The page with a model in it: one file that works without a network. */
function studioWith(text: string): string {
  const json = JSON.stringify({ text }).replaceAll("<", "\\u003c");
  const mark = /(<script type="application\/json" id="model">)[^<]*(<\/script>)/;
  const page = loaded.replace(mark, (_, open, close) => open + json + close);
  return page.replace('id="engine"></script>', () => `id="engine">${packed}</script>`);
}

const ENDINGS: Record<string, string> = { page: "html", latex: "tex", csv: "csv", python: "py", c: "c", rust: "rs", julia: "jl" };

element<HTMLSelectElement>("download").onchange = async (event) => {
  const box = event.target as HTMLSelectElement;
  const kind = box.value;
  box.value = "";
  const text = view.state.doc.toString();
  const stem = (file?.name ?? "model.gal").replace(/\.gal$/, "");
  if (kind === "gal") return offer(`${stem}.gal`, text, "text/plain");
  if (kind === "studio") return offer(`${stem}-studio.html`, studioWith(text), "text/html");
  const direct = ["page", "latex", "csv"].includes(kind);
  const asked = { ...request(direct ? kind : "export"), text, language: direct ? "" : kind };
  const answer = await lanes.download.ask(asked).catch((why) => ({ refused: String(why.message ?? why) }) as Answer);
  if (answer.text !== undefined) return offer(`${stem}.${ENDINGS[kind]}`, answer.text, "text/plain");
  status(answer.refused ?? (answer.errors ?? []).map((e: any) => e.message).join(" · "));
};

// ---- gallery, file, start

type Entry = { name: string; title: string; text: string };
const gallery = data("models") as { models: Entry[]; examples: Entry[] };
const models = [...gallery.models, ...gallery.examples];
if (models.length) {
  const box = element<HTMLSelectElement>("gallery");
  [gallery.models, gallery.examples].forEach((list, k) => {
    for (const model of list) {
      const option = box.querySelectorAll("optgroup")[k].appendChild(document.createElement("option"));
      option.value = model.name;
      option.textContent = model.title;
    }
  });
  box.parentElement!.hidden = false;
  box.onchange = () => {
    const model = models.find((m) => m.name === box.value);
    if (model) setText(view, model.text);
    box.value = "";
  };
}

async function save(): Promise<void> {
  if (!file) return offer("model.gal", view.state.doc.toString(), "text/plain");
  const text = view.state.doc.toString();
  const response = await fetch("save", { method: "POST", body: JSON.stringify({ text, stamp: file.stamp }) });
  const answer = await response.json();
  if (response.ok) {
    file = { ...file, text, stamp: answer.stamp };
    status("saved");
  } else if (response.status === 409) {
    status("the file was changed by another program: it was not saved; reload the page to see it");
  } else status(answer.problem ?? "not saved");
  marked();
}

function marked(): void {
  element("file").textContent = file ? file.name + (file.text === view.state.doc.toString() ? "" : " •") : "";
}

async function follow(): Promise<void> {
  const response = await fetch("file").catch(() => null);
  if (!response?.ok) return;
  const now = await response.json();
  if (!now || now.problem) return;
  if (!file) {
    file = now;
    setText(view, now.text || START);
  } else if (now.stamp !== file.stamp) {
    const touched = view.state.doc.toString() !== file.text;
    if (touched) status("the file was changed by another program");
    else {
      file = now;
      setText(view, now.text);
      status("reloaded");
    }
  }
  marked();
}

async function start(): Promise<void> {
  let text: string | null = null;
  try {
    text = await fromFragment(location.hash);
  } catch (why) {
    status(`the link has no model: ${(why as Error).message}`);
  }
  text ??= data("model").text as string | null;
  if (server && settings?.file) {
    element("save").hidden = false;
    element("save").onclick = () => void save();
    await follow();
    setInterval(() => void follow(), 1500);
    if (text !== null) setText(view, text);
  } else setText(view, text ?? START);
  if (matchMedia("(min-width: 900px)").matches) element<HTMLDetailsElement>("controls").open = true;
}

addEventListener("hashchange", async () => {
  const text = await fromFragment(location.hash).catch(() => null);
  if (text !== null && text !== view.state.doc.toString()) setText(view, text);
});

void start();
