// The engine in a worker: a compiled module comes first, then requests as JSON texts.

import { Host, type Engine } from "./host.mjs";

let engine: Promise<Engine> | undefined;

async function started(module: WebAssembly.Module): Promise<Engine> {
  const host = new Host();
  const instance = await WebAssembly.instantiate(module, host.imports());
  host.engine = instance.exports as unknown as Engine;
  return host.engine;
}

async function answer(request: string): Promise<string> {
  if (!engine) throw new Error("the engine has not been loaded");
  const wasm = await engine;
  const bytes = new TextEncoder().encode(request);
  const start = wasm.galilei_allocate(bytes.length) >>> 0;
  new Uint8Array(wasm.memory.buffer).set(bytes, start);
  const packed = BigInt.asUintN(64, wasm.galilei_answer(start, bytes.length));
  wasm.galilei_release(start, bytes.length);
  const place = Number(packed & 0xffffffffn);
  const length = Number(packed >> 32n);
  const text = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, place, length));
  wasm.galilei_release(place, length);
  return text;
}

self.onmessage = async (event: MessageEvent) => {
  if (event.data.module) {
    engine = started(event.data.module);
    return;
  }
  const { id, request } = event.data as { id: number; request: string };
  try {
    postMessage({ id, answer: await answer(request) });
  } catch (why) {
    // A trap leaves the memory in an unknown state: this worker must not be used again.
    postMessage({ id, broken: String(why) });
  }
};
