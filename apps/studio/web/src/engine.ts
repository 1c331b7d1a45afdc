// Lanes to the engine: each works on one request at a time and can be stopped. In the browser a lane is a worker with the
// WebAssembly module, with a server it is a request to `galilei studio`.

import EngineWorker from "./worker?worker&inline";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Answer = { [key: string]: any };

/** Requests that are given up: the text has changed, or somebody pressed Stop. */
export class Stopped extends Error {}

/** What a lane talks to. */
export interface Source {
  open(): Port;
}

interface Port {
  ask(request: string): Promise<string>;
  close(): void;
}

/** Workers that share the module in the page, which is gzip in base64. The first of them compiles it: the page stays free. */
export class WorkerSource implements Source {
  private module: Promise<WebAssembly.Module>;
  private first: Worker | null;

  constructor(packed: string) {
    const worker = new EngineWorker();
    this.first = worker;
    this.module = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.module ? resolve(data.module) : reject(new Error(data.broken)));
      worker.onerror = (event) => reject(new Error(event.message));
    });
    worker.postMessage({ packed });
  }

  open(): Port {
    const started = this.first;
    this.first = null;
    const worker = started ?? new EngineWorker();
    const ready = this.module.then((module) => started ?? worker.postMessage({ module }));
    let next = 0;
    return {
      ask: async (request) => {
        await ready;
        return new Promise((resolve, reject) => {
          const id = ++next;
          worker.onmessage = (event) => {
            if (event.data.id !== id) return;
            if (event.data.broken) reject(new Error(event.data.broken));
            else resolve(event.data.answer);
          };
          worker.onerror = (event) => reject(new Error(event.message));
          worker.postMessage({ id, request });
        });
      },
      // The worker that compiles is stopped when it has done so: the others wait for its module.
      close: () => void ready.catch(() => {}).then(() => worker.terminate()),
    };
  }
}

export class ServerSource implements Source {
  open(): Port {
    const control = new AbortController();
    return {
      ask: async (request) => {
        const response = await fetch("answer", { method: "POST", body: request, signal: control.signal });
        return response.text();
      },
      close: () => control.abort(),
    };
  }
}

/** One request at a time. A newer request of the same kind replaces one that waits; a running one is stopped if it takes long. */
export class Lane {
  private port: Port | null = null;
  private running: { since: number; stop: (why: Error) => void } | null = null;
  private waiting: { start: () => void; drop: () => void } | null = null;

  constructor(
    private source: Source,
    private limit: number,
    private changed: () => void,
  ) {}

  /** Milliseconds since the running request began; null if there is none. */
  busy(): number | null {
    return this.running ? performance.now() - this.running.since : null;
  }

  /** Asks the engine; the request before is given up. */
  ask(request: Answer): Promise<Answer> {
    this.waiting?.drop();
    this.waiting = null;
    // A short request is cheaper to await than a new worker.
    if ((this.busy() ?? 0) > 400) this.stop();
    return new Promise((resolve, reject) => {
      const start = () => this.start(JSON.stringify(request), resolve, reject);
      if (this.running) this.waiting = { start, drop: () => reject(new Stopped("replaced")) };
      else start();
    });
  }

  /** Stops the running request. */
  stop(why: Error = new Stopped("stopped")): void {
    this.running?.stop(why);
  }

  private start(request: string, resolve: (a: Answer) => void, reject: (e: Error) => void): void {
    const port = (this.port ??= this.source.open());
    let over = false;
    const finish = () => {
      over = true;
      clearTimeout(timer);
      this.running = null;
      const next = this.waiting;
      this.waiting = null;
      next?.start();
      this.changed();
    };
    const stop = (why: Error) => {
      if (over) return;
      port.close();
      this.port = null;
      finish();
      reject(why);
    };
    const timer = setTimeout(() => stop(new Error(`stopped after ${this.limit / 1000} s`)), this.limit);
    this.running = { since: performance.now(), stop };
    this.changed();
    port.ask(request).then(
      (text) => {
        if (over) return;
        finish();
        try {
          resolve(JSON.parse(text));
        } catch (why) {
          reject(why as Error);
        }
      },
      (why) => stop(why instanceof Error ? why : new Error(String(why))),
    );
  }
}
