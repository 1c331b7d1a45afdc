// The engine in a worker: first the module, compiled or as it is in the page, then requests as JSON texts.

import { Host, type Engine } from "./host.mjs";

let engine: Promise<Engine> | undefined;

function started(module: WebAssembly.Module): Engine {
  const host = new Host();
  // Not `instantiate`, whose promise may wait until the browser has optimised what runs already.
  const instance = new WebAssembly.Instance(module, host.imports());
  host.engine = instance.exports as unknown as Engine;
  return host.engine;
}

/** The bytes of a text in base64. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const own = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (own) return own.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k += 1) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** Compiles the module from gzip in base64, while it is being unpacked. */
function compiled(packed: string): Promise<WebAssembly.Module> {
  const stream = new Blob([decoded(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
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
  if (event.data.packed) {
    const module = compiled(event.data.packed);
    engine = module.then(started);
    module.then(
      (module) => postMessage({ module }),
      (why) => postMessage({ broken: String(why) }),
    );
    return;
  }
  if (event.data.module) {
    engine = Promise.resolve().then(() => started(event.data.module));
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
