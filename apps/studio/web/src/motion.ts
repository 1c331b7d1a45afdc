// The frame with the run: what is told to it, and what it tells. It has no origin and is not trusted: numbers come out of it.

/** A point that is dragged, with its way in units of length; `done` when it was let go. */
export interface Drag {
  point: number;
  way: [number, number];
  done: boolean;
}

/** The place on the page and in time that a reader has reached. */
interface View {
  scroll: number;
  editing: boolean;
  grip: number | null;
  player?: { clock: number; playing: boolean };
}

const number = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);

function readDrag(data: any): Drag | null {
  const way = data?.way;
  if (!Number.isSafeInteger(data?.point) || data.point < 0 || !Array.isArray(way) || !number(way[0]) || !number(way[1])) return null;
  return { point: data.point, way: [way[0], way[1]], done: data.done === true };
}

function readView(data: any): View | null {
  if (!number(data?.scroll)) return null;
  const view: View = { scroll: data.scroll, editing: data.editing === true, grip: number(data.grip) ? data.grip : null };
  const player = data.player;
  if (number(player?.clock)) view.player = { clock: Math.min(1, Math.max(0, player.clock)), playing: player.playing === true };
  return view;
}

export class Motion {
  private frame: HTMLIFrameElement | null = null;
  private view: View | null = null;

  constructor(dragged: (drag: Drag | null) => void) {
    addEventListener("message", (event) => {
      if (!this.frame || event.source !== this.frame.contentWindow || typeof event.data !== "object" || !event.data) return;
      if ("view" in event.data) this.view = readView(event.data.view);
      if ("drag" in event.data) dragged(readDrag(event.data.drag));
    });
  }

  /** Goes on with a new run where the reader was. */
  show(frame: HTMLIFrameElement, active: boolean): void {
    this.frame = frame;
    if (active) frame.focus();
    if (this.view) this.send({ restore: this.view });
  }

  /** The next run belongs to another model. */
  forget(): void {
    this.view = null;
  }

  slopes(slopes: unknown): void {
    this.send({ slopes });
  }

  /** The change of the quantity of the slopes, in its unit. */
  ahead(change: number): void {
    this.send({ ahead: change });
  }

  /** The ways of all points; `held` until the next run is there. */
  moved(moved: unknown, held: boolean): void {
    this.send({ moved, held });
  }

  private send(message: unknown): void {
    // The frame has no origin that could be named.
    this.frame?.contentWindow?.postMessage(message, "*");
  }
}
