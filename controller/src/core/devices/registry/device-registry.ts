// Which devices are attached where, in the memory of this node. A list of an access point is compared with the one before: who
// is new has joined, who is missing has left. What changed goes to the journal; the newest values stay here.
import type { DeviceList, ReportedDevice } from '../../telemetry/ingest/device-list.ts';
import { isRandomised, type Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceLinkRecord } from '../store/device-store.ts';
import { type DeviceChange, moveMs, type SilenceReason } from './device-changes.ts';
import { DeviceTable, none } from './device-table.ts';
import { type AppliedList, ServedDevices } from './served-devices.ts';

export interface DeviceRegistryOptions {
  pseudonyms: Pseudonyms;
  maxDevices: number;
  /** The device that this pseudonym was linked to; default: itself. */
  canonical?: (device: string) => string;
  /** Whether one more device may join this access point now; default: any number. */
  mayJoin?: (ap_id: string) => boolean;
  /** Takes what changed, in order; returns the number of the last of them, which the journal counts. */
  onChanges: (changes: readonly DeviceChange[]) => number;
  now?: () => number;
}

/** A fraction of a millisecond. */
const devicesPerStep = 32;

/** In place of a link: too many have joined the access point in the last minutes. */
const refusedJoin = none - 1;

export class DeviceRegistry {
  readonly table = new DeviceTable();
  /** How many devices were left out because there were too many. */
  leftOut = 0;
  readonly #options: DeviceRegistryOptions;
  readonly #now: () => number;
  readonly #agents = new Map<string, ServedDevices>();
  readonly #bySlot: (ServedDevices | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #unsaved = new Set<ServedDevices>();
  #lists = 0;
  /** How many devices have links. */
  #attached = 0;
  readonly #changes: DeviceChange[] = [];

  constructor(options: DeviceRegistryOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  agent(ap_id: string): ServedDevices | undefined {
    return this.#agents.get(ap_id);
  }

  agentAt(slot: number): ServedDevices {
    return this.#bySlot[slot]!;
  }

  agents(): Iterable<ServedDevices> {
    return this.#agents.values();
  }

  /** Every slot of an agent is below this. */
  get agentSlots(): number {
    return this.#bySlot.length;
  }

  /** All of a list at once. */
  apply(ap_id: string, list: DeviceList): AppliedList {
    const steps = this.applying(ap_id, list);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  }

  /**
   * A list counts at its time: one that is older than the newest is nothing. In steps of some devices, between which anything may
   * happen but another list of the same access point; each says what has changed until then.
   */
  *applying(ap_id: string, { ts, devices }: DeviceList): Generator<void, AppliedList> {
    const agent = this.requireAgent(ap_id);
    if (agent.listTs !== undefined && ts < agent.listTs) return { agent, leftOut: 0, refused: 0 };
    agent.listTs = ts;
    agent.isHere = true;
    agent.heardMs = this.#now();
    const mark = ++this.#lists | 0;
    let [found, leftOut, refused, count] = [0, 0, 0, 0];
    for (const device of devices) {
      if (++count % devicesPerStep === 0 && !(yield* this.#pause(agent))) return { agent, leftOut, refused };
      const link = agent.identities.get(device.identity) ?? this.#linkOf(agent, device, ts);
      if (link === refusedJoin) refused++;
      if (link < 0) {
        leftOut++;
        continue;
      }
      if (this.table.links.mark[link] !== mark) found++;
      this.#update(link, device, mark, ts);
    }
    while (found < agent.linkCount && this.#leaveOthers(agent, mark, ts, devicesPerStep)) {
      if (!(yield* this.#pause(agent))) return { agent, leftOut, refused };
    }
    this.noteUnsaved(agent);
    this.leftOut += leftOut;
    this.#tell(agent);
    return { agent, leftOut, refused };
  }

  /** The access point does not report any more: what is attached there is unknown. */
  leaveAll(ap_id: string, ts: number, because: SilenceReason): ServedDevices | undefined {
    const agent = this.#agents.get(ap_id);
    if (!agent || agent.linkCount === 0) return agent;
    this.#leaveOthers(agent, ++this.#lists | 0, ts, Number.POSITIVE_INFINITY, because);
    if (agent.isHere) this.noteUnsaved(agent);
    this.#tell(agent);
    return agent;
  }

  /** The access point is removed: nothing is told. */
  removeAgent(ap_id: string): void {
    const agent = this.#agents.get(ap_id);
    if (!agent) return;
    agent.identities.clear();
    while (agent.firstLink !== none) this.endLink(agent, agent.firstLink);
    const { lastAgent } = this.table.devices;
    for (const slot of this.table.all()) if (lastAgent[slot] === agent.slot) lastAgent[slot] = none;
    this.#agents.delete(ap_id);
    this.#bySlot[agent.slot] = undefined;
    this.#freeSlots.push(agent.slot);
    this.#unsaved.delete(agent);
  }

  /** Forgets the device; returns the access points that it was attached to. */
  removeDevice(slot: number): ServedDevices[] {
    const agents = this.table.linksOf(slot).map((link) => {
      const agent = this.agentAt(this.table.links.agent[link]!);
      agent.forgetLinks(new Set([link]));
      this.endLink(agent, link);
      // Its list is written down without the device, by the node that has it.
      if (agent.isHere) this.noteUnsaved(agent);
      return agent;
    });
    this.table.removeDevice(slot);
    return agents;
  }

  /** What has new values since the last call. */
  takeUnsaved(): ServedDevices[] {
    const agents = [...this.#unsaved];
    this.#unsaved.clear();
    return agents;
  }

  noteUnsaved(agent: ServedDevices): void {
    if (this.#agents.get(agent.ap_id) !== agent) return;
    this.#unsaved.add(agent);
  }

  requireAgent(ap_id: string): ServedDevices {
    let agent = this.#agents.get(ap_id);
    if (!agent) {
      agent = new ServedDevices(ap_id, this.#freeSlots.pop() ?? this.#bySlot.length);
      this.#bySlot[agent.slot] = agent;
      this.#agents.set(ap_id, agent);
    }
    return agent;
  }

  /** The slot of the device, new if need be; undefined if there are too many. */
  requireDevice(device: string, randomised: boolean): number | undefined {
    const known = this.table.find(device);
    if (known !== undefined) return known;
    const { maxDevices } = this.#options;
    if (this.table.deviceCount >= maxDevices) {
      // Whatever is attached stays.
      if (this.#attached === this.table.deviceCount) return undefined;
      // Some more at once: looking for them costs a pass over all.
      this.table.removeLoose(Math.max(1, Math.ceil(maxDevices / 100)));
    }
    return this.table.addDevice(device, randomised);
  }

  startLink(agent: ServedDevices, device: number): number {
    if (this.table.devices.firstLink[device] === none) this.#attached++;
    const link = this.table.addLink(device, agent.slot, agent.firstLink);
    agent.firstLink = link;
    agent.linkCount++;
    return link;
  }

  /** The identity that the access point has for it must be forgotten too. */
  endLink(agent: ServedDevices, link: number): void {
    const { links, devices } = this.table;
    const device = links.device[link]!;
    devices.lastAgent[device] = agent.slot;
    devices.lastLeft[device] = links.seen[link]!;
    devices.looseSince[device] = this.#now();
    agent.firstLink = this.table.removeLink(link, agent.firstLink);
    agent.linkCount--;
    if (devices.firstLink[device] === none) this.#attached--;
  }

  toRecord(agent: ServedDevices, link: number): DeviceLinkRecord {
    const { links, devices } = this.table;
    const device = links.device[link]!;
    return {
      device: this.table.idOf(device),
      ap_id: agent.ap_id,
      since: links.since[link]!,
      seen: links.seen[link]!,
      left_at: null,
      is_randomised: devices.isRandomised[device] === 1,
    };
  }

  /** Another node wrote something else than the newest list of this one says: what is in memory is written again. */
  correct(agent: ServedDevices, row: DeviceLinkRecord, link: number): void {
    const ts = agent.listTs!;
    if (link === none) this.#changes.push({ kind: 'left', link: { ...row, seen: ts, left_at: ts }, ts });
    else this.#changes.push({ kind: 'joined', link: this.toRecord(agent, link), ts, to: agent.ap_id });
    this.#tell(agent);
  }

  /** Returns whether the access point is still there after it. */
  *#pause(agent: ServedDevices): Generator<void, boolean> {
    this.#tell(agent);
    yield;
    return this.#agents.get(agent.ap_id) === agent;
  }

  /** The link of a device whose identity this access point has not named yet; none or refusedJoin if there are too many. */
  #linkOf(agent: ServedDevices, { identity, connected_seconds }: ReportedDevice, ts: number): number {
    const pseudonym = this.#options.pseudonyms.of(identity);
    const canonical = this.#options.canonical?.(pseudonym) ?? pseudonym;
    const known = this.table.find(canonical);
    let link = known === undefined ? none : this.table.linkBetween(known, agent.slot);
    if (link === none) {
      if (this.#options.mayJoin?.(agent.ap_id) === false) return refusedJoin;
      const device = this.requireDevice(canonical, isRandomised(identity));
      if (device === undefined) return none;
      link = this.#join(agent, device, ts, connected_seconds > 0 ? ts - connected_seconds * 1000 : ts);
    }
    agent.identities.set(identity, link);
    return link;
  }

  #update(link: number, device: ReportedDevice, mark: number, ts: number): void {
    const { links, devices } = this.table;
    links.mark[link] = mark;
    links.seen[link] = ts;
    this.table.setValues(link, device);
    this.table.setHeard(link, device.heard);
    const slot = links.device[link]!;
    if (devices.lastSeen[slot]! < ts) devices.lastSeen[slot] = ts;
  }

  #join(agent: ServedDevices, device: number, ts: number, since: number): number {
    const { devices } = this.table;
    const hadLinks = devices.firstLink[device] !== none;
    const last = devices.lastAgent[device]!;
    const hasMoved =
      !hadLinks && last !== none && last !== agent.slot && Math.abs(ts - devices.lastLeft[device]!) <= moveMs;
    const link = this.startLink(agent, device);
    this.table.links.since[link] = since;
    this.table.links.seen[link] = ts;
    const from = hasMoved ? this.agentAt(last).ap_id : undefined;
    const kind = hasMoved ? 'moved' : 'joined';
    this.#changes.push({ kind, link: this.toRecord(agent, link), ts, from, to: agent.ap_id });
    return link;
  }

  /** At most so many; returns whether there were as many. */
  #leaveOthers(agent: ServedDevices, mark: number, ts: number, atMost: number, because?: SilenceReason): boolean {
    const gone: number[] = [];
    const { mark: marks, nextOfAgent } = this.table.links;
    for (let link = agent.firstLink; link !== none && gone.length < atMost; link = nextOfAgent[link]!) {
      if (marks[link] !== mark) gone.push(link);
    }
    agent.forgetLinks(new Set(gone));
    for (const link of gone) this.#leave(agent, link, ts, because);
    return gone.length === atMost;
  }

  #leave(agent: ServedDevices, link: number, ts: number, because?: SilenceReason): void {
    const { links } = this.table;
    const device = links.device[link]!;
    const record = { ...this.toRecord(agent, link), left_at: ts };
    // Not later than the newest list: one that was spooled meanwhile still counts.
    record.seen = Math.max(record.seen, agent.listTs ?? ts);
    const { since } = links;
    const isNewer = (other: number) => since[other]! > since[link]! && ts - since[other]! <= moveMs;
    const newer = this.table.linksOf(device).find(isNewer);
    const to = newer === undefined ? undefined : this.agentAt(links.agent[newer]!).ap_id;
    links.seen[link] = record.seen;
    this.endLink(agent, link);
    const kind = to === undefined ? 'left' : 'moved';
    this.#changes.push({ kind, link: record, ts, from: agent.ap_id, to, because });
  }

  #tell(agent: ServedDevices): void {
    if (this.#changes.length === 0) return;
    agent.unwritten = this.#options.onChanges(this.#changes.splice(0));
  }
}
