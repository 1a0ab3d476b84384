// The texts of agents, for those who ask for them beside the numbers: the newest of each name, and those of a window.
import type { TelemetryStore, TimeRange } from '../store/telemetry-store.ts';
import { createTimestampWriter } from './timestamps.ts';

const rowsAtOnce = 1_000;
/** Characters of texts in one answer. */
const maxCharacters = 8_000_000;

/** Name -> `{ts, value}` as JSON, `wanted` leaves other names out. */
export async function newestTextsJson(
  telemetry: Pick<TelemetryStore, 'fields' | 'rows'>,
  ap_id: string,
  wanted: ReadonlySet<string> | undefined,
): Promise<string> {
  const timestamp = createTimestampWriter();
  const found = await telemetry.fields(ap_id, 0);
  const fields = found.filter(({ name, kind }) => kind === 'text' && wanted?.has(name) !== false);
  const texts: string[] = [];
  for (const [ts, ofMoment] of Map.groupBy(fields, ({ lastTs }) => lastTs)) {
    const frame = await telemetry.rows(ap_id, { startMs: ts, endMs: ts }, 1);
    for (const { name } of ofMoment) {
      const value = frame.texts.get(name)?.[0];
      if (value !== undefined)
        texts.push(`${JSON.stringify(name)}:{"ts":"${timestamp(ts)}","value":${JSON.stringify(value)}}`);
    }
  }
  return `{${texts.join()}}`;
}

/** The texts of one answer, agent after agent, for as long as there is room. */
export class TextSeries {
  readonly #telemetry: Pick<TelemetryStore, 'fields' | 'rows'>;
  readonly #names: readonly string[];
  readonly #maxPoints: number;
  #room = maxCharacters;

  constructor(telemetry: Pick<TelemetryStore, 'fields' | 'rows'>, names: readonly string[], maxPoints: number) {
    this.#telemetry = telemetry;
    this.#names = [...new Set(names)];
    this.#maxPoints = maxPoints;
  }

  /** The oldest of the range, as JSON that says whether it has all. */
  async json(ap_id: string, { startMs, endMs }: TimeRange): Promise<string> {
    const timestamp = createTimestampWriter();
    const points = new Map(this.#names.map((name): [string, string[]] => [name, []]));
    const fields = await this.#telemetry.fields(ap_id, startMs);
    let hasMore = fields.some(({ name, kind }) => kind === 'text' && points.has(name));
    let isComplete = true;
    for (let from = startMs; hasMore && isComplete && from <= endMs; ) {
      const { ts, texts } = await this.#telemetry.rows(ap_id, { startMs: from, endMs }, rowsAtOnce);
      for (const [name, list] of points) {
        for (const [row, value] of texts.get(name)?.entries() ?? []) {
          if (value === undefined) continue;
          if (list.length >= this.#maxPoints || this.#room < value.length) isComplete = false;
          else list.push(`{"ts":"${timestamp(ts[row]!)}","value":${JSON.stringify(value)}}`);
          this.#room -= value.length;
        }
      }
      hasMore = ts.length === rowsAtOnce;
      from = (ts.at(-1) ?? endMs) + 1;
    }
    const series = [...points].map(([name, list]) => `{"metric":${JSON.stringify(name)},"points":[${list.join()}]}`);
    return `{"agent_id":${JSON.stringify(ap_id)},"is_complete":${isComplete},"series":[${series.join()}]}`;
  }
}
