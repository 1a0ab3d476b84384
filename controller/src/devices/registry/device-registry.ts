// Which devices are attached where, in the memory of this node. A list of an access point is compared with the one before: who
// is new has joined, who is missing has left. What changed goes to the journal; the newest values stay here.
import type { DeviceList, ReportedDevice } from '../../telemetry/ingest/device-list.ts';
import { isRandomised, type Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceLinkRecord } from '../store/device-store.ts';
import { type ChangeKind, type DeviceChange, moveMs, type SilenceReason } from './device-changes.ts';
import { DeviceTable, none } from './device-table.ts';
import { ServedDevices } from './served-devices.ts';

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

export class DeviceRegistry {
  readonly table = new DeviceTable();
  /** How many devices were left out because there were too many. */
  leftOut = 0;
  /** How many of the last list were left out because too many have joined its access point in the last minutes. */
  refusedJoins = 0;
  readonly #options: DeviceRegistryOptions;
  readonly #now: () => number;
  readonly #agents = new Map<string, ServedDevices>();
  readonly #bySlot: (ServedDevices | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #unsaved = new Set<ServedDevices>();
  #lists = 0;
  /** How many devices have links. */
  #attached = 0;
  #changes: DeviceChange[] = [];

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

  /**
   * A list counts at its time: one that is older than the newest is nothing. Returns the access point, and how many devices were
   * left out because there are too many.
   */
  apply(ap_id: string, { ts, devices }: DeviceList): { agent: ServedDevices; leftOut: number } {
    const agent = this.requireAgent(ap_id);
    if (agent.listTs !== undefined && ts < agent.listTs) return { agent, leftOut: 0 };
    agent.listTs = ts;
    agent.isHere = true;
    agent.heardMs = this.#now();
    const mark = this.#nextMark();
    this.refusedJoins = 0;
    let [found, leftOut] = [0, 0];
    for (const device of devices) {
      const link = agent.identities.get(device.identity) ?? this.#linkOf(agent, device, ts);
      if (link === none) {
        leftOut++;
        continue;
      }
      if (this.table.links.mark[link] !== mark) found++;
      this.#update(link, device, mark, ts);
    }
    if (found < agent.linkCount) this.#leaveOthers(agent, mark, ts);
    if (!agent.isUnsaved) this.noteUnsaved(agent);
    this.leftOut += leftOut;
    this.#tell(agent);
    return { agent, leftOut };
  }

  /** The access point does not report any more: what is attached there is unknown. */
  leaveAll(ap_id: string, ts: number, because: SilenceReason): ServedDevices | undefined {
    const agent = this.#agents.get(ap_id);
    if (!agent || agent.linkCount === 0) return agent;
    this.#leaveOthers(agent, this.#nextMark(), ts, because);
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
    for (const agent of agents) agent.isUnsaved = false;
    return agents;
  }

  noteUnsaved(agent: ServedDevices): void {
    if (this.#agents.get(agent.ap_id) !== agent) return;
    agent.isUnsaved = true;
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
    if (this.table.deviceCount >= this.#options.maxDevices && !this.#makeRoom()) return undefined;
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
    if (link === none) this.#note('left', { ...row, seen: ts, left_at: ts }, ts);
    else this.#note('joined', this.toRecord(agent, link), ts, undefined, agent.ap_id);
    this.#tell(agent);
  }

  #nextMark(): number {
    this.#lists = (this.#lists + 1) | 0;
    return this.#lists;
  }

  /** The link of a device whose identity this access point has not named yet; none if there are too many devices. */
  #linkOf(agent: ServedDevices, { identity, connected_seconds }: ReportedDevice, ts: number): number {
    const pseudonym = this.#options.pseudonyms.of(identity);
    const canonical = this.#options.canonical?.(pseudonym) ?? pseudonym;
    const known = this.table.find(canonical);
    let link = known === undefined ? none : this.table.linkBetween(known, agent.slot);
    if (link === none) {
      if (this.#options.mayJoin?.(agent.ap_id) === false) {
        this.refusedJoins++;
        return none;
      }
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
    this.#note(hasMoved ? 'moved' : 'joined', this.toRecord(agent, link), ts, from, agent.ap_id);
    return link;
  }

  #leaveOthers(agent: ServedDevices, mark: number, ts: number, because?: SilenceReason): void {
    const gone: number[] = [];
    const { mark: marks, nextOfAgent } = this.table.links;
    for (let link = agent.firstLink; link !== none; link = nextOfAgent[link]!) {
      if (marks[link] !== mark) gone.push(link);
    }
    agent.forgetLinks(new Set(gone));
    for (const link of gone) this.#leave(agent, link, ts, because);
  }

  #leave(agent: ServedDevices, link: number, ts: number, because?: SilenceReason): void {
    const { links } = this.table;
    const device = links.device[link]!;
    const record = { ...this.toRecord(agent, link), left_at: ts };
    // Not later than the newest list: one that was spooled meanwhile still counts.
    record.seen = Math.max(record.seen, agent.listTs ?? ts);
    const newer = this.table
      .linksOf(device)
      .find(
        (other) => other !== link && links.since[other]! > links.since[link]! && ts - links.since[other]! <= moveMs,
      );
    const to = newer === undefined ? undefined : this.agentAt(links.agent[newer]!).ap_id;
    links.seen[link] = record.seen;
    this.endLink(agent, link);
    const kind = to === undefined ? 'left' : 'moved';
    this.#changes.push({ kind, link: record, ts, from: agent.ap_id, to, because });
  }

  #note(kind: ChangeKind, link: DeviceLinkRecord, ts: number, from?: string, to?: string): void {
    this.#changes.push({ kind, link, ts, from, to });
  }

  #tell(agent: ServedDevices): void {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    agent.unwritten = this.#options.onChanges(changes);
  }

  /** Forgets the device that has not been attached for the longest time. Whatever is attached stays. */
  #makeRoom(): boolean {
    if (this.#attached === this.table.deviceCount) return false;
    const { firstLink, looseSince } = this.table.devices;
    const loose = [...this.table.all()].filter((slot) => firstLink[slot] === none);
    loose.sort((a, b) => looseSince[a]! - looseSince[b]!);
    // Some more at once: looking for them costs a pass over all.
    const some = loose.slice(0, Math.max(1, Math.ceil(this.#options.maxDevices / 100)));
    for (const slot of some) this.table.removeDevice(slot);
    return some.length > 0;
  }
}
