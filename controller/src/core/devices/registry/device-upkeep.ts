// Keeps the memory of devices and the database together: reads what is known at the start, writes down the newest values every
// few seconds, learns what other nodes have heard, and forgets what nobody has seen for a day.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Semaphore } from '@weft/contract/semaphore';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { DeviceStore, StoredDeviceLink } from '../store/device-store.ts';
import type { DeviceJournal } from './device-journal.ts';
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';
import { adoptValues, toListRecord } from './device-values.ts';

const pageSize = 1_000;
/** Lists that are read at once, or written in one transaction: with 50 devices each, a few milliseconds of work. */
const listsAtOnce = 20;
/** How far apart. */
const betweenSavesMs = 40;
const pruneAtOnce = 1_000;
/** Rows of other nodes become visible late, and their clocks differ. */
const overlapMs = 10_000;
const minuteMs = 60_000;
/** How long an ended link stays for other nodes to learn of it. */
const tombstoneMs = 10 * minuteMs;

export interface DeviceUpkeepOptions {
  registry: DeviceRegistry;
  store: DeviceStore;
  journal: DeviceJournal;
  /** Whether other nodes write too. */
  isShared: boolean;
  keptMs: number;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class DeviceUpkeep {
  readonly #options: DeviceUpkeepOptions;
  readonly #now: () => number;
  readonly #tasks: PeriodicTask[];
  /** One of them at a time. */
  readonly #turns = new Semaphore(1);
  #followedAt = 0;
  #isStopped = false;

  constructor(options: DeviceUpkeepOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { isShared, onError } = options;
    const task = (everyMs: number, what: string, run: () => Promise<void>, relaxedMs = 0) =>
      new PeriodicTask({ everyMs, relaxedMs, what, run: () => this.#turns.run(run), onError });
    // All nodes say the same within two seconds: both together are less, unless there are very many.
    this.#tasks = [task(isShared ? 700 : 10_000, 'the writing of the values of devices', () => this.save())];
    if (isShared) this.#tasks.push(task(700, 'the reading of the devices of other nodes', () => this.follow(), 3_000));
  }

  /** Reads everything that is known; repeated calls are harmless. */
  async load(): Promise<void> {
    const { store, registry } = this.#options;
    this.#followedAt = this.#now();
    let after: StoredDeviceLink | undefined;
    for (let page: StoredDeviceLink[]; ; after = page.at(-1)) {
      page = await store.links(after, pageSize);
      for (const link of page) {
        this.#adopt(link);
        const agent = registry.requireAgent(link.ap_id);
        agent.heardMs = Math.max(agent.heardMs, link.updated_at);
      }
      if (page.length < pageSize) break;
      await nextTurn();
    }
    for (let name = ''; ; ) {
      const page = await store.lists(name, listsAtOnce);
      for (const list of page) adoptValues(registry, list);
      if (page.length < listsAtOnce) break;
      name = page.at(-1)!.ap_id;
      await nextTurn();
    }
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  /** Writes down the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#tasks.map((task) => task.stop()));
    await this.#tasks[0]!.once();
  }

  /** The newest values of the access points that have new ones. */
  async save(): Promise<void> {
    const { registry, store } = this.#options;
    const agents = registry.takeUnsaved();
    for (let start = 0; start < agents.length; start += listsAtOnce) {
      const part = agents.slice(start, start + listsAtOnce);
      try {
        await store.saveLists(part.map((agent) => toListRecord(registry, agent)));
      } catch (error) {
        for (const agent of agents.slice(start)) registry.noteUnsaved(agent);
        throw error;
      }
      // Each is flushed to the disk, which everybody else waits for too.
      if (this.#isStopped) await nextTurn();
      else await pause(betweenSavesMs, undefined, { ref: false });
    }
  }

  /** Takes over what other nodes have written. */
  async follow(): Promise<void> {
    const { store, registry } = this.#options;
    const sinceMs = this.#followedAt - overlapMs;
    const now = this.#now();
    const { links, lists } = await store.changedSince(sinceMs);
    for (const link of links) this.#adopt(link);
    for (const list of lists) adoptValues(registry, list);
    this.#followedAt = now;
    await this.#options.journal.settled();
  }

  /** What is due at that time: not always what the clock says. */
  prune(nowMs: number): Promise<void> {
    return this.#turns.run(() => this.#prune(nowMs));
  }

  async #prune(nowMs: number): Promise<void> {
    const { store, registry, keptMs } = this.#options;
    // By when Weft heard of it: an emulated model, or an access point with a wrong clock, may report from last year.
    const goneMs = nowMs - keptMs;
    for (const slot of [...registry.table.all()]) {
      const { looseSince, firstLink } = registry.table.devices;
      if (looseSince[slot]! < goneMs && firstLink[slot] === none) registry.table.removeDevice(slot);
    }
    for (const agent of registry.agents()) {
      if (agent.linkCount > 0 && agent.heardMs < goneMs) registry.leaveAll(agent.ap_id, this.#now(), 'offline');
    }
    await this.#options.journal.settled();
    const movedMs = nowMs - tombstoneMs;
    while (await store.prune({ goneMs, movedMs }, pruneAtOnce)) await nextTurn();
  }

  /** What a list that came here says is newer than a row that another node wrote before. */
  #adopt(row: StoredDeviceLink): void {
    const { registry } = this.#options;
    const isGone = row.left_at !== null;
    const agent = registry.requireAgent(row.ap_id);
    const device = registry.requireDevice(row.device, row.is_randomised);
    if (device === undefined) return;
    const { devices } = registry.table;
    devices.lastSeen[device] = Math.max(devices.lastSeen[device]!, row.left_at ?? row.seen);
    if (isGone) devices.looseSince[device] = Math.max(devices.looseSince[device]!, row.updated_at);
    agent.heardMs ||= row.updated_at;
    const link = registry.table.linkBetween(device, agent.slot);
    if (agent.isHere && agent.listTs !== undefined && agent.listTs > row.seen) {
      if (isGone === (link === none)) return;
      registry.correct(agent, row, link);
      return;
    }
    // Whoever has joined or left was in a list, or missing from one, that may not be written down itself.
    agent.listTs = Math.max(agent.listTs ?? row.seen, row.seen);
    if (isGone && link !== none && registry.table.links.seen[link]! <= row.seen) {
      agent.forgetLinks(new Set([link]));
      registry.endLink(agent, link);
    }
    if (isGone) {
      if (devices.lastLeft[device]! <= row.left_at!) {
        devices.lastAgent[device] = agent.slot;
        devices.lastLeft[device] = row.left_at!;
      }
      return;
    }
    const its = link === none ? registry.startLink(agent, device) : link;
    const { links } = registry.table;
    if (link === none) registry.table.setValues(its, { rssi_dbm: NaN, snr_db: NaN, rx_mbps: NaN, tx_mbps: NaN });
    links.since[its] = row.since;
    links.seen[its] = Math.max(link === none ? 0 : links.seen[its]!, row.seen);
  }
}
