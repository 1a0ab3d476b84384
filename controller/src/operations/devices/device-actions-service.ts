// What people do about single devices: watch one, say that two names are one, erase one, and allow clear addresses. Every change
// is audited in its transaction, under pseudonyms.
import type { Device, DeviceHistoryPage, DevicePrivacy } from '@weft/contract';
import type { AuditLog } from '../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { Caller } from '../../core/base/caller.ts';
import { ConflictError } from '../../core/base/errors.ts';
import { toTime } from '../../core/base/input/date-time.ts';
import type { SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import type { DeviceNames } from '../../core/devices/privacy/device-names.ts';
import type { DeviceExtras } from '../../core/devices/registry/device-extras.ts';
import type { DeviceHistory } from '../../core/devices/registry/device-history.ts';
import type { DeviceJournal } from '../../core/devices/registry/device-journal.ts';
import type { DeviceExtrasStore } from '../../core/devices/store/device-extras-store.ts';
import type { DeviceStore } from '../../core/devices/store/device-store.ts';
import type { StepOutcome } from '../../core/event-kinds.ts';
import type { Network } from '../../core/network/network.ts';
import type { DeviceService } from './device-service.ts';

const maxIdentities = 20_000;
const hourMs = 3_600_000;

export interface DeviceActionsOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  devices: DeviceService;
  names: DeviceNames;
  extras: DeviceExtras;
  extrasStore: DeviceExtrasStore;
  store: Pick<DeviceStore, 'remove'>;
  journal: Pick<DeviceJournal, 'settled'>;
  history: DeviceHistory;
  eventLog: Pick<EventLog, 'removeDevice'>;
  auditLog: Pick<AuditLog, 'append'>;
  network: Pick<Network, 'visibleTo'>;
  /** Steps of the transaction that erases a device. */
  onErased: (tx: SqlQueries, change: { names: readonly string[] }) => Promise<Required<StepOutcome>>;
}

export class DeviceActionsService {
  readonly #options: DeviceActionsOptions;

  constructor(options: DeviceActionsOptions) {
    this.#options = options;
  }

  /** Keeps the history of the device from now on. Throws NotFoundError, and ConflictError: see putWatch. */
  async watch(caller: Caller, text: string, seconds: number): Promise<Device> {
    const { devices, extrasStore } = this.#options;
    const device = await devices.require(caller, text);
    const until = Date.now() + seconds * 1000;
    const watch = { device, until, caller_kind: caller.kind, caller_id: caller.id };
    await this.#change(caller, 'device_watched', device, { until: toTime(until) }, (tx) =>
      extrasStore.putWatch(tx, watch, caller, Date.now()),
    );
    return devices.show(caller, device);
  }

  /** Ends the watch and forgets the history; one that is not watched stays so. Throws ConflictError `watched_by_another`. */
  async unwatch(caller: Caller, text: string): Promise<Device> {
    const { devices, extrasStore, history } = this.#options;
    const device = await devices.require(caller, text);
    await this.#change(caller, 'device_unwatched', device, {}, async (tx) => {
      await extrasStore.removeWatch(tx, device, caller, Date.now());
    });
    await history.remove(device);
    return devices.show(caller, device);
  }

  /** What the watch has kept, as far as the caller may see where it was. */
  async history(
    caller: Caller,
    text: string,
    { since, limit }: { since: number | undefined; limit: number },
  ): Promise<DeviceHistoryPage> {
    const { devices, history, network } = this.#options;
    const device = await devices.require(caller, text);
    // In the time of its access point, or of a model, which may lie in the past.
    const { last_seen } = await devices.show(caller, device);
    const fromMs = since ?? Math.min(Date.now(), Date.parse(last_seen)) - hourMs;
    const rows = await history.read(device, fromMs, Date.now() + hourMs, limit + 1);
    const sight = await network.visibleTo(caller);
    const page = rows.slice(0, limit);
    return {
      items: page
        .filter(({ ap_id }) => sight.seesAll || sight.has(ap_id))
        .map(({ ts, ap_id, values }) => ({ ts: toTime(ts), ap_id, ...values })),
      next: rows.length > limit ? toTime(page.at(-1)!.ts + 1) : null,
    };
  }

  /** From now on both names are the first device. */
  async link(caller: Caller, text: string, identity: string): Promise<Device> {
    const { devices, names, extrasStore, journal } = this.#options;
    const device = await devices.require(caller, text);
    const other = names.read(identity, ['body', 'identity']);
    if (other === device) throw new ConflictError('same_device', 'These names are one device already');
    await journal.settled();
    await this.#change(caller, 'device_identities_linked', device, { identity: other }, (tx) =>
      extrasStore.link(tx, other, device, maxIdentities),
    );
    return devices.show(caller, device);
  }

  /**
   * Forgets everything about the device. Commands stay without its name; the audit log, which cannot be changed, keeps the
   * pseudonym.
   */
  async erase(caller: Caller, text: string): Promise<void> {
    const { devices, extrasStore, store, journal, history, eventLog, auditLog, onErased } = this.#options;
    const device = await devices.require(caller, text);
    await journal.settled();
    let committed = () => {};
    await this.#change(caller, 'device_erased', device, {}, async (tx) => {
      const names = [device, ...(await extrasStore.remove(tx, device, Date.now()))];
      await store.remove(tx, names);
      const outcome = await onErased(tx, { names });
      committed = outcome.committed;
      await auditLog.append(tx, outcome.entries);
      for (const name of names) await eventLog.removeDevice(tx, name);
    });
    committed();
    await history.remove(device);
  }

  async privacy(): Promise<DevicePrivacy> {
    await this.#options.extras.head.fresh();
    return { clear_addresses: this.#options.extras.areClearAllowed };
  }

  async setPrivacy(caller: Caller, { clear_addresses }: DevicePrivacy): Promise<DevicePrivacy> {
    const { extrasStore } = this.#options;
    await this.#change(caller, 'clear_addresses_changed', 'devices', { clear_addresses }, (tx) =>
      extrasStore.setClearAddresses(tx, clear_addresses),
    );
    return this.privacy();
  }

  async #change(
    caller: Caller,
    action: string,
    device: string,
    detail: Record<string, unknown>,
    work: (tx: SqlQueries) => Promise<void>,
  ): Promise<void> {
    const { database, auditLog, extras } = this.#options;
    await database.transaction(async (tx) => {
      await auditLog.append(tx, [{ actor: caller, action, target: { kind: 'device', name: device }, detail }]);
      await work(tx);
    });
    await extras.head.fresh();
  }
}
