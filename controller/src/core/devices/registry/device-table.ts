// Devices and their links in memory, as columns of numbers: about 250 bytes a device with one link, without the addresses.
import { maxHeardPerDevice } from '@weft/contract';
import type { ReportedDevice, ReportedNeighbour } from '../../telemetry/ingest/device-list.ts';
import { Rows } from './columns.ts';
import { DeviceOrder } from './device-order.ts';

export const none = -1;
/** What is heard is kept in tenths of a decibel. */
const tenths = 10;
const unknownLevel = -32_768;

/** What an access point reports of a device; NaN where it does not say. */
export type LinkValues = Pick<ReportedDevice, 'rssi_dbm' | 'snr_db' | 'rx_mbps' | 'tx_mbps'>;

export class DeviceTable {
  readonly #devices = new Rows({
    firstLink: new Int32Array(),
    lastSeen: new Float64Array(),
    /** Where it was last, and when it left that; none while unknown. */
    lastAgent: new Int32Array(),
    lastLeft: new Float64Array(),
    /** When its last link ended here, by the clock of this node; what lists say is the time of their access points. */
    looseSince: new Float64Array(),
    isRandomised: new Uint8Array(),
  });
  readonly #links = new Rows(
    {
      device: new Int32Array(),
      agent: new Int32Array(),
      nextOfDevice: new Int32Array(),
      nextOfAgent: new Int32Array(),
      previousOfAgent: new Int32Array(),
      /** The list that had it last, by its number. */
      mark: new Int32Array(),
      since: new Float64Array(),
      seen: new Float64Array(),
      rssi_dbm: new Float32Array(),
      snr_db: new Float32Array(),
      rx_mbps: new Float32Array(),
      tx_mbps: new Float32Array(),
      heardCount: new Uint8Array(),
      heardBssids: new Uint8Array(),
      heardNames: new Int32Array(),
      heardLevels: new Int16Array(),
    },
    { heardNames: maxHeardPerDevice, heardLevels: maxHeardPerDevice },
  );
  readonly #ids: (string | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #names = new InternedNames(() => this.#heardNames());
  readonly order = new DeviceOrder({
    idOf: (slot) => this.#ids[slot],
    release: (slot) => this.#devices.release(slot),
  });

  get deviceCount(): number {
    return this.#slots.size;
  }

  get linkCount(): number {
    return this.#links.count;
  }

  /** Not to be kept: replaced when they grow. */
  get devices() {
    return this.#devices.columns;
  }

  get links() {
    return this.#links.columns;
  }

  find(device: string): number | undefined {
    return this.#slots.get(device);
  }

  idOf(slot: number): string {
    return this.#ids[slot]!;
  }

  isPresent(slot: number): boolean {
    return this.#ids[slot] !== undefined;
  }

  all(): Iterable<number> {
    return this.#slots.values();
  }

  addDevice(device: string, isRandomised: boolean): number {
    const slot = this.#devices.take();
    const { firstLink, lastSeen, lastAgent, lastLeft, looseSince, isRandomised: randomised } = this.devices;
    firstLink[slot] = none;
    lastSeen[slot] = 0;
    lastAgent[slot] = none;
    lastLeft[slot] = 0;
    looseSince[slot] = 0;
    randomised[slot] = isRandomised ? 1 : 0;
    this.#ids[slot] = device;
    this.#slots.set(device, slot);
    this.order.add(slot);
    return slot;
  }

  /** It must have no links. */
  removeDevice(slot: number): void {
    this.#slots.delete(this.idOf(slot));
    this.#ids[slot] = undefined;
    this.order.remove(slot);
  }

  /** So many of those that have not been attached for the longest time. */
  removeLoose(count: number): void {
    const { firstLink, looseSince } = this.devices;
    const loose = [...this.all()].filter((slot) => firstLink[slot] === none);
    loose.sort((a, b) => looseSince[a]! - looseSince[b]!);
    for (const slot of loose.slice(0, count)) this.removeDevice(slot);
  }

  /** `first`: the first link of the agent so far. */
  addLink(device: number, agent: number, first: number): number {
    const link = this.#links.take();
    const links = this.links;
    const { firstLink } = this.devices;
    links.device[link] = device;
    links.agent[link] = agent;
    links.nextOfDevice[link] = firstLink[device]!;
    links.nextOfAgent[link] = first;
    links.previousOfAgent[link] = none;
    if (first !== none) links.previousOfAgent[first] = link;
    links.heardCount[link] = 0;
    firstLink[device] = link;
    return link;
  }

  /** Returns the first link of the agent afterwards, of which `first` is the first now. */
  removeLink(link: number, first: number): number {
    const links = this.links;
    const { firstLink } = this.devices;
    const device = links.device[link]!;
    const next = links.nextOfDevice[link]!;
    if (firstLink[device] === link) firstLink[device] = next;
    else {
      let before = firstLink[device]!;
      while (links.nextOfDevice[before] !== link) before = links.nextOfDevice[before]!;
      links.nextOfDevice[before] = next;
    }
    const nextOfAgent = links.nextOfAgent[link]!;
    const previous = links.previousOfAgent[link]!;
    if (nextOfAgent !== none) links.previousOfAgent[nextOfAgent] = previous;
    if (previous !== none) links.nextOfAgent[previous] = nextOfAgent;
    // No longer anybody's, so that a name that it held can be forgotten.
    links.heardCount[link] = 0;
    links.device[link] = none;
    this.#links.release(link);
    return first === link ? nextOfAgent : first;
  }

  /** The link between the two, or none. */
  linkBetween(device: number, agent: number): number {
    const { agent: agents, nextOfDevice } = this.links;
    let link = this.devices.firstLink[device]!;
    while (link !== none && agents[link] !== agent) link = nextOfDevice[link]!;
    return link;
  }

  linksOf(device: number): number[] {
    const found: number[] = [];
    const { nextOfDevice } = this.links;
    for (let link = this.devices.firstLink[device]!; link !== none; link = nextOfDevice[link]!) found.push(link);
    return found;
  }

  /** All but whose link it is. */
  copyLink(from: number, to: number): void {
    const links = this.links;
    for (const name of ['mark', 'since', 'seen'] as const) links[name][to] = links[name][from]!;
    this.setValues(to, {
      rssi_dbm: links.rssi_dbm[from]!,
      snr_db: links.snr_db[from]!,
      rx_mbps: links.rx_mbps[from]!,
      tx_mbps: links.tx_mbps[from]!,
    });
    this.setHeard(to, this.heardOf(from));
  }

  setValues(link: number, { rssi_dbm, snr_db, rx_mbps, tx_mbps }: LinkValues): void {
    const links = this.links;
    links.rssi_dbm[link] = rssi_dbm;
    links.snr_db[link] = snr_db;
    links.rx_mbps[link] = rx_mbps;
    links.tx_mbps[link] = tx_mbps;
  }

  setHeard(link: number, heard: readonly ReportedNeighbour[]): void {
    const links = this.links;
    const before = links.heardCount[link]!;
    const count = Math.min(heard.length, maxHeardPerDevice);
    let bssids = 0;
    for (let index = 0; index < count; index++) {
      const { name, isBssid, rssi_dbm } = heard[index]!;
      const place = link * maxHeardPerDevice + index;
      // Nearly always the same one as in the list before, and the same text.
      const isKnown = index < before && this.#names.nameOf(links.heardNames[place]!) === name;
      if (!isKnown) links.heardNames[place] = this.#names.idOf(name);
      links.heardLevels[place] = Number.isNaN(rssi_dbm) ? unknownLevel : clamp(rssi_dbm);
      if (isBssid) bssids |= 1 << index;
      // After each: a name that is looked for in a sweep must be found here.
      links.heardCount[link] = Math.max(links.heardCount[link]!, index + 1);
    }
    links.heardCount[link] = count;
    links.heardBssids[link] = bssids;
  }

  heardOf(link: number): ReportedNeighbour[] {
    const links = this.links;
    return Array.from({ length: links.heardCount[link]! }, (_, index) => {
      const place = link * maxHeardPerDevice + index;
      const level = links.heardLevels[place]!;
      return {
        name: this.#names.nameOf(links.heardNames[place]!),
        isBssid: ((links.heardBssids[link]! >> index) & 1) === 1,
        rssi_dbm: level === unknownLevel ? Number.NaN : level / tenths,
      };
    });
  }

  *#heardNames(): Generator<number> {
    const { heardCount, heardNames } = this.links;
    for (let link = 0; link < this.#links.end; link++) {
      for (let index = 0; index < heardCount[link]!; index++) yield heardNames[link * maxHeardPerDevice + index]!;
    }
  }
}

function clamp(rssi_dbm: number): number {
  return Math.round(Math.max(-3_276, Math.min(3_276, rssi_dbm)) * tenths);
}

// The names that devices hear around them: the same few texts for very many devices, each kept once under a number.

/** Names in use are looked for when there are this many, and twice as many as were in use then. */
const firstSweep = 4_096;

export class InternedNames {
  readonly #ids = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #used: () => Iterable<number>;
  #sweepAt = firstSweep;

  /** `used` tells which numbers are still in use; asked when there are many. */
  constructor(used: () => Iterable<number>) {
    this.#used = used;
  }

  get count(): number {
    return this.#ids.size;
  }

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (this.#ids.size >= this.#sweepAt) this.#sweep();
    const id = this.#free.pop() ?? this.#names.length;
    this.#names[id] = name;
    this.#ids.set(name, id);
    return id;
  }

  nameOf(id: number): string {
    return this.#names[id] ?? '';
  }

  #sweep(): void {
    const used = new Set(this.#used());
    for (const [name, id] of this.#ids) {
      if (used.has(id)) continue;
      this.#ids.delete(name);
      this.#names[id] = undefined;
      this.#free.push(id);
    }
    this.#sweepAt = Math.max(firstSweep, this.#ids.size * 2);
  }
}
