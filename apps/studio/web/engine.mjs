// The engine against the command line, on every model: node engine.mjs ENGINE.wasm GALILEI MODELS
// Runs have the same steps and the same states, bit for bit; refusals have the same codes.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Host } from "./src/host.mjs";

const [wasm, galilei, folder] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(wasm));
const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
if (imports.sort().join() !== "galilei.compile,galilei.release") throw new Error(`the engine wants something from outside: ${imports}`);
let compiled = 0;
/** The engine with generated code, or with the interpreter alone. */
async function start(generated) {
  const host = new Host();
  const given = host.imports();
  const { compile } = given.galilei;
  given.galilei.compile = (start, length) => (generated ? (compiled++, compile(start, length)) : 0);
  host.engine = (await WebAssembly.instantiate(module, given)).exports;
  return host.engine;
}
let engine = await start(true);

function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const start = engine.galilei_allocate(bytes.length) >>> 0;
  new Uint8Array(engine.memory.buffer).set(bytes, start);
  const packed = BigInt.asUintN(64, engine.galilei_answer(start, bytes.length));
  engine.galilei_release(start, bytes.length);
  const [place, length] = [Number(packed & 0xffffffffn), Number(packed >> 32n)];
  const text = new TextDecoder().decode(new Uint8Array(engine.memory.buffer, place, length));
  engine.galilei_release(place, length);
  return JSON.parse(text);
}

/** What must be equal: the codes of a refusal, or the end of a run. */
function essence(answer) {
  if (answer.errors) return JSON.stringify(answer.errors.map((e) => e.code));
  const { status, time, position, velocity, outputs, steps, rejected, energy_balance } = answer;
  return JSON.stringify({ status, time, position, velocity, outputs, steps, rejected, energy_balance });
}

let same = 0;
const different = [];
let slowest = { name: "", took: 0 };
for (const name of readdirSync(folder).filter((n) => n.endsWith(".gal")).sort()) {
  const text = readFileSync(join(folder, name), "utf8");
  const native = spawnSync(galilei, ["simulate", "-", "--json"], { input: text, encoding: "utf8" });
  const begin = performance.now();
  const [own, other] = [essence(ask({ command: "simulate", text })), essence(JSON.parse(native.stdout))];
  const took = performance.now() - begin;
  if (took > slowest.took) slowest = { name, took };
  if (own === other) same += 1;
  else different.push(`${name}: ${own} here, ${other} natively`);
}
for (const line of different) console.log(line);
console.log(`${compiled} modules were compiled; the slowest run is ${slowest.name} with ${Math.round(slowest.took)} ms`);
console.log(`${different.length ? "FAILED" : "ok"} ${same} models have the same states, bit for bit; ${different.length} do not`);

// Generated code against the interpreter: the same answer, in a fraction of the time.
const chaos = readFileSync(join(folder, "double-pendulum.gal"), "utf8");
const times = {};
const answers = {};
for (const generated of [true, false]) {
  engine = await start(generated);
  const begin = performance.now();
  answers[generated] = essence(ask({ command: "simulate", text: chaos, to: 300 }));
  times[generated] = performance.now() - begin;
}
const agree = answers[true] === answers[false];
console.log(`${agree ? "ok" : "FAILED"} double pendulum to t = 300: generated code ${Math.round(times[true])} ms, interpreter ${Math.round(times[false])} ms, ${agree ? "same" : "different"} bits`);
process.exit(different.length || !agree || compiled === 0 ? 1 : 0);
