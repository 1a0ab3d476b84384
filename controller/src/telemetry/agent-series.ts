// What the embedded store knows of one agent while it is in use: its fields with their newest values, and its head.
import { Head } from './head.ts';
import { FieldConflict, maxNamesPerAgent } from './telemetry-store.ts';
import type { TelemetryTables } from './telemetry-tables.ts';

/** `lastTs` of a field that was named but has no value yet. */
export const neverTs = -1;

export interface Field {
  no: number;
  name: string;
  isText: boolean;
  lastTs: number;
  lastValue: number;
}

export class AgentSeries {
  readonly no: number;
  readonly fields: Field[] = [];
  readonly fieldsByName = new Map<string, Field>();
  head = new Head();

  constructor(no: number, tables: TelemetryTables) {
    this.no = no;
    for (const row of tables.fields(no)) {
      this.#remember({
        no: row.no,
        name: row.name,
        isText: row.is_text === 1,
        lastTs: row.last_ts,
        lastValue: row.last_value,
      });
    }
  }

  /** Gives numbers to new names; part of the caller's transaction. Throws FieldConflict and then changes nothing. */
  register(names: readonly { name: string; isText: boolean; sampleIndex: number }[], tables: TelemetryTables): void {
    const added = new Map<string, Field>();
    for (const { name, isText, sampleIndex } of names) {
      const known = this.fieldsByName.get(name) ?? added.get(name);
      if (known && known.isText !== isText) {
        throw new FieldConflict(sampleIndex, name, isText ? 'text_for_metric' : 'metric_for_text');
      }
      if (known) continue;
      const no = this.fields.length + added.size;
      if (no >= maxNamesPerAgent) throw new FieldConflict(sampleIndex, name, 'too_many_names');
      added.set(name, { no, name, isText, lastTs: neverTs, lastValue: 0 });
    }
    for (const field of added.values()) tables.createField(this.no, field.no, field.name, field.isText);
    for (const field of added.values()) this.#remember(field);
  }

  #remember(field: Field): void {
    this.fields[field.no] = field;
    this.fieldsByName.set(field.name, field);
  }
}
