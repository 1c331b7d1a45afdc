// Parameters and the start as sliders, in the units of the model.

export interface Quantity {
  name: string;
  value: number;
  unit: string | null;
}

interface Row {
  quantity: Quantity;
  range: HTMLInputElement;
  number: HTMLInputElement;
}

/** A number with at most six digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

export class Sliders {
  private rows: { parameters: Row[]; start: Row[] } = { parameters: [], start: [] };
  private shown = "";

  constructor(
    private root: HTMLElement,
    private changed: () => void,
  ) {}

  /** Shows the quantities of a model. Values that were moved are kept as long as the quantities are the same. */
  show(parameters: Quantity[], start: Quantity[]): void {
    const key = JSON.stringify([parameters, start]);
    if (key === this.shown) return;
    this.shown = key;
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
    const row = { quantity, range, number };
    range.oninput = () => {
      number.value = short(range.valueAsNumber);
      this.changed();
    };
    number.onchange = () => {
      if (!Number.isFinite(number.valueAsNumber)) number.value = short(value);
      range.value = number.value;
      this.changed();
    };
    return row;
  }

  private moved(list: Row[]): string[] {
    const changed = list.filter((row) => row.number.value !== short(row.quantity.value));
    return changed.map((row) => `${row.quantity.name}=${row.number.value}`);
  }

  /** Values of parameters that differ from those of the model. */
  set(): string[] {
    return this.moved(this.rows.parameters);
  }

  /** Entries of the start that differ from those of the model. */
  at(): string {
    return this.moved(this.rows.start).join(", ");
  }

  /** Returns to the values of the model. */
  reset(): void {
    for (const row of [...this.rows.parameters, ...this.rows.start]) {
      row.range.value = String(row.quantity.value);
      row.number.value = short(row.quantity.value);
    }
    this.changed();
  }
}
