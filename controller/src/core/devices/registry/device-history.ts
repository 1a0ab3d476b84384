// The history of watched devices: signal, rates and the serving access point, in the telemetry store. Nobody else's is kept.
import type { Sample, TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import type { DeviceExtras } from './device-extras.ts';
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';
import type { ServedDevices } from './served-devices.ts';

const values = ['rssi_dbm', 'snr_db', 'rx_mbps', 'tx_mbps'] as const;
/** No ap_id has a slash. */
const sourceOf = (device: string) => `device/${device}`;

export interface HistoryRow {
  ts: number;
  ap_id: string;
  values: Partial<Record<(typeof values)[number], number>>;
}

export interface DeviceHistoryOptions {
  registry: DeviceRegistry;
  extras: DeviceExtras;
  telemetry: Pick<TelemetryStore, 'append' | 'rows' | 'remove'>;
  onError: (error: unknown, message: string) => void;
}

export class DeviceHistory {
  readonly #options: DeviceHistoryOptions;
  /** The slots of watched devices. */
  #watched = new Set<number>();

  constructor(options: DeviceHistoryOptions) {
    this.#options = options;
  }

  /** Which devices are watched, or which slots they have, has changed. */
  watchesChanged(): void {
    const { registry, extras } = this.#options;
    this.#watched = new Set();
    for (const { device } of extras.watches()) {
      const slot = registry.table.find(device);
      if (slot !== undefined) this.#watched.add(slot);
    }
  }

  /** The access point has said which devices it serves. Must be quick where nothing is watched. */
  listed(agent: ServedDevices, ts: number): void {
    const { registry, extras } = this.#options;
    if (extras.watchCount === 0) return;
    if (this.#watched.size < extras.watchCount) this.watchesChanged();
    const { links } = registry.table;
    for (let link = agent.firstLink; link !== none; link = links.nextOfAgent[link]!) {
      const slot = links.device[link]!;
      if (this.#watched.has(slot)) this.#keep(slot, link, agent.ap_id, ts);
    }
  }

  /** Oldest first, from this time on. */
  async read(device: string, fromMs: number, untilMs: number, limit: number): Promise<HistoryRow[]> {
    const range = { startMs: fromMs, endMs: untilMs };
    const { ts, columns, texts } = await this.#options.telemetry.rows(sourceOf(device), range, limit);
    const served = texts.get('ap_id');
    return Array.from(ts, (moment, index) => {
      const row: HistoryRow = { ts: moment, ap_id: served?.[index] ?? '', values: {} };
      for (const name of values) {
        const value = columns.get(name)?.[index];
        if (value !== undefined && !Number.isNaN(value)) row.values[name] = value;
      }
      return row;
    });
  }

  async remove(device: string): Promise<void> {
    await this.#options.telemetry.remove(sourceOf(device));
  }

  #keep(slot: number, link: number, ap_id: string, ts: number): void {
    const { registry, extras, telemetry, onError } = this.#options;
    const { links } = registry.table;
    const device = registry.table.idOf(slot);
    if (!extras.watchOf(device)) return;
    const sample: Sample = { ts, names: [], values: [], texts: [['ap_id', ap_id]] };
    for (const name of values) {
      const value = links[name][link]!;
      if (Number.isNaN(value)) continue;
      sample.names.push(name);
      sample.values.push(Math.round(value * 100) / 100);
    }
    telemetry
      .append(sourceOf(device), [sample])
      .catch((error) => onError(error, 'the history of a watched device could not be stored'));
  }
}
