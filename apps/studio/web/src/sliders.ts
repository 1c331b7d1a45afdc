// Parameters and the start as sliders, in the units of the model.

export interface Quantity {
  name: string;
  value: number;
  unit: string | null;
}

interface Row {
  quantity: Quantity;
  /** The value with all its digits; the inputs show some. */
  value: number;
  range: HTMLInputElement;
  number: HTMLInputElement;
}

/** What happens to a slider: it is taken, its value changes, it is let go. */
export interface Watch {
  taken: (name: string, value: number) => void;
  moving: (name: string, value: number) => void;
  changed: () => void;
}

/** A number with at most six digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function entry(row: Row): string {
  return `${row.quantity.name}=${row.value}`;
}

export class Sliders {
  private rows: { parameters: Row[]; start: Row[] } = { parameters: [], start: [] };
  private shown = "";
  private whole = false;

  constructor(
    private root: HTMLElement,
    private watch: Watch,
  ) {}

  /** Shows the quantities of a model. Values that were moved are kept as long as the quantities are the same. */
  show(parameters: Quantity[], start: Quantity[]): void {
    const key = JSON.stringify([parameters, start]);
    if (key === this.shown) return;
    this.shown = key;
    this.whole = false;
    this.root.replaceChildren();
    const all = (list: Quantity[]) => list.slice(0, 40).map((quantity) => this.row(quantity));
    this.rows = { parameters: all(parameters), start: all(start) };
  }

  private row(quantity: Quantity): Row {
    const { name, value, unit } = quantity;
    const label = this.root.appendChild(document.createElement("label"));
    label.append(unit ? `${name} [${unit}]` : name);
    const range = document.createElement("input");
    range.type = "range";
    const size = value === 0 ? 1 : Math.abs(value);
    const [low, high] = value === 0 || name.includes("'") ? [-2 * size, 2 * size] : value > 0 ? [0, 2 * size] : [-2 * size, 0];
    range.min = String(low);
    range.max = String(high);
    range.step = String((high - low) / 400);
    range.value = String(value);
    range.setAttribute("aria-label", unit ? `${name} in ${unit}` : name);
    const number = document.createElement("input");
    number.type = "number";
    number.step = "any";
    number.value = short(value);
    number.setAttribute("aria-label", `value of ${name}`);
    label.append(range, number);
    const row = { quantity, value, range, number };
    range.onpointerdown = range.onfocus = () => this.watch.taken(name, row.value);
    range.oninput = () => {
      row.value = range.valueAsNumber;
      number.value = short(row.value);
      this.watch.moving(name, row.value);
    };
    range.onchange = () => this.watch.changed();
    number.onchange = () => {
      if (!Number.isFinite(number.valueAsNumber)) number.value = short(value);
      this.put(row, number.valueAsNumber);
      this.watch.changed();
    };
    return row;
  }

  private put(row: Row, value: number): void {
    row.value = value;
    row.number.value = short(value);
    // The slider reaches as far as its value.
    if (value < Number(row.range.min)) row.range.min = String(value);
    if (value > Number(row.range.max)) row.range.max = String(value);
    row.range.value = String(value);
  }

  private moved(list: Row[]): string[] {
    const changed = list.filter((row) => row.value !== row.quantity.value);
    return changed.map(entry);
  }

  /** The value of a quantity. */
  value(name: string): number | undefined {
    return [...this.rows.parameters, ...this.rows.start].find((row) => row.quantity.name === name)?.value;
  }

  /** Takes over a whole start. From then on all entries are given: velocities may have been those of other positions. */
  start(entries: Quantity[]): void {
    this.whole = true;
    for (const { name, value } of entries) {
      const row = this.rows.start.find((row) => row.quantity.name === name);
      if (row) this.put(row, value);
    }
  }

  /** Values of parameters that differ from those of the model. */
  set(): string[] {
    return this.moved(this.rows.parameters);
  }

  /** Entries of the start that differ from those of the model. */
  at(): string {
    const list = this.whole ? this.rows.start.map(entry) : this.moved(this.rows.start);
    return list.join(", ");
  }

  /** Returns to the values of the model. */
  reset(): void {
    this.whole = false;
    for (const row of [...this.rows.parameters, ...this.rows.start]) {
      this.put(row, row.quantity.value);
    }
    this.watch.changed();
  }
}
