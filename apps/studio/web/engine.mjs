// The engine against the command line, on every model: node engine.mjs ENGINE.wasm GALILEI MODELS
// Runs have the same steps and the same states, bit for bit; refusals have the same codes.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [wasm, galilei, folder] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(wasm));
const imports = WebAssembly.Module.imports(module);
if (imports.length) throw new Error(`the engine wants something from outside: ${JSON.stringify(imports)}`);
const engine = (await WebAssembly.instantiate(module, {})).exports;

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
for (const name of readdirSync(folder).filter((n) => n.endsWith(".gal")).sort()) {
  const text = readFileSync(join(folder, name), "utf8");
  const native = spawnSync(galilei, ["simulate", "-", "--json"], { input: text, encoding: "utf8" });
  const [own, other] = [essence(ask({ command: "simulate", text })), essence(JSON.parse(native.stdout))];
  if (own === other) same += 1;
  else different.push(`${name}: ${own} here, ${other} natively`);
}
for (const line of different) console.log(line);
console.log(`${different.length ? "FAILED" : "ok"} ${same} models have the same states, bit for bit; ${different.length} do not`);
process.exit(different.length ? 1 : 0);
