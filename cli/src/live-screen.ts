// The display of `weft watch`: a block of lines that is redrawn a few times per second.
import type { Output } from './surroundings.ts';
import { cut, printable } from './table.ts';

const keptValues = 240;
const drawEveryMs = 250;

export class LiveScreen {
  readonly #output: Output;
  /** The latest values of each metric of each access point. */
  readonly #series: Map<string, Map<string, number[]>>;
  readonly #labels = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isStale = true;
  #drawnLines = 0;

  constructor(output: Output, agents: readonly string[]) {
    this.#output = output;
    this.#series = new Map(agents.map((ap_id) => [ap_id, new Map()]));
  }

  name(metrics: readonly { name: string; label: string }[]): void {
    for (const { name, label } of metrics) this.#labels.set(name, label);
  }

  add(ap_id: string, metrics: Record<string, number>): void {
    const series = this.#series.get(ap_id);
    if (!series) return;
    for (const [name, value] of Object.entries(metrics)) {
      const values = series.get(name) ?? [];
      values.push(value);
      if (values.length > keptValues) values.shift();
      series.set(name, values);
    }
    this.#isStale = true;
  }

  start(): void {
    this.#draw();
    this.#timer = setInterval(() => this.#isStale && this.#draw(), drawEveryMs);
  }

  /** Leaves the last state on the screen. */
  stop(): void {
    clearInterval(this.#timer);
    this.#draw();
  }

  #draw(): void {
    this.#isStale = false;
    const columns = (this.#output.columns ?? 80) - 1;
    // Lines that do not fit would scroll, and be drawn again below.
    const lines = this.#lines(columns).slice(0, Math.max(2, (this.#output.rows ?? 24) - 1));
    const up = this.#drawnLines > 0 ? `\x1b[${this.#drawnLines}A` : '';
    this.#output.write(`${up}\r${lines.map((text) => `${cut(text, columns)}\x1b[K\n`).join('')}\x1b[J`);
    this.#drawnLines = lines.length;
  }

  #lines(columns: number): string[] {
    const names = [...this.#series.values()].flatMap((series) => [...series.keys()]);
    const labelWidth = Math.min(28, Math.max(8, ...names.map((name) => this.#label(name).length)));
    const sparkWidth = Math.max(10, columns - labelWidth - 16);
    return [...this.#series].flatMap(([ap_id, series]) => [
      printable(ap_id),
      ...(series.size === 0 ? ['  waiting for the first sample ...'] : []),
      ...[...series].map(([name, values]) => {
        const label = cut(this.#label(name), labelWidth).padEnd(labelWidth);
        return `  ${label} ${shortNumber(values.at(-1)!).padStart(10)}  ${sparkline(values, sparkWidth)}`;
      }),
    ]);
  }

  #label(name: string): string {
    return printable(this.#labels.get(name) ?? name);
  }
}

// A series as one line of text.
const levels = '▁▂▃▄▅▆▇█';

/** The latest values, one character each, scaled between their minimum and maximum; a constant series is a flat line. */
export function sparkline(values: readonly number[], columns: number): string {
  const shown = values.slice(-Math.max(1, columns));
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  return shown
    .map((value) => levels[high === low ? 0 : Math.round(((value - low) / (high - low)) * (levels.length - 1))])
    .join('');
}

/** Up to four significant digits; an exponent only for very large and very small values. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 1000 ? Math.max(4, Math.ceil(Math.log10(size))) : 4)));
}
