// What the engine needs of the program around it: its equations come as small modules, which are compiled here and called through
// the engine's table of functions. Plain JavaScript, so that Node can test it.

/**
 * @typedef {object} Engine
 * @property {WebAssembly.Memory} memory
 * @property {WebAssembly.Table} __indirect_function_table
 * @property {(length: number) => number} galilei_allocate
 * @property {(start: number, length: number) => void} galilei_release
 * @property {(start: number, length: number) => bigint} galilei_answer
 * @property {(a: number, b: number, c: number) => number} galilei_jit_fma
 * @property {(f: number, a: number, b: number) => number} galilei_jit_call
 * @property {(f: number, a: number, place: number) => void} galilei_jit_pair
 */

export class Host {
  /** @type {Engine | undefined} */
  engine;
  /** @type {number[]} */
  #free = [];

  /** The imports of the engine. */
  imports() {
    return {
      galilei: {
        compile: (/** @type {number} */ start, /** @type {number} */ length) => this.#compile(start >>> 0, length >>> 0),
        release: (/** @type {number} */ place) => this.#release(place >>> 0),
      },
    };
  }

  /**
   * The place of the module's function in the table; zero if the browser refuses the module: then the engine interprets.
   * @param {number} start
   * @param {number} length
   */
  #compile(start, length) {
    if (!this.engine) return 0;
    const { memory, __indirect_function_table: table, galilei_jit_fma: fma, galilei_jit_call: call, galilei_jit_pair: pair } = this.engine;
    try {
      const module = new WebAssembly.Module(new Uint8Array(memory.buffer, start, length).slice());
      const instance = new WebAssembly.Instance(module, { galilei: { memory, fma, call, pair } });
      const place = this.#free.pop() ?? table.grow(1);
      table.set(place, instance.exports.run);
      return place;
    } catch {
      return 0;
    }
  }

  /** @param {number} place */
  #release(place) {
    this.engine?.__indirect_function_table.set(place, null);
    this.#free.push(place);
  }
}
