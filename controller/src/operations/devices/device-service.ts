// Devices for callers: lists and single ones, from memory. Who may see an access point may see its devices.

import type { AgentDevices, Device, DeviceDetails, DevicePage } from '@weft/contract';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { type Caller, callerKey } from '../../core/base/caller.ts';
import { notFound, orNotFound } from '../../core/base/errors.ts';
import { toTime } from '../../core/base/input/date-time.ts';
import { fingerprint, readCursor, readNameCursor, toCursor, toNameCursor } from '../../core/base/lists/list-cursor.ts';
import { ListSnapshots } from '../../core/base/lists/list-snapshots.ts';
import { rightsOf } from '../../core/base/rights/rights.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../core/base/shares/shares.ts';
import { countInSlices, mapInSlices } from '../../core/base/time-slices.ts';
import type { DeviceNames } from '../../core/devices/privacy/device-names.ts';
import { isPartOfPseudonym, isPseudonym } from '../../core/devices/privacy/pseudonyms.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import { none } from '../../core/devices/registry/device-table.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network } from '../../core/network/network.ts';
import {
  type AnswerOptions,
  agentsThat,
  type DeviceExtras,
  devicesAt,
  hasWord,
  isAtOneOf,
  isDeviceSeen,
  ofEnded,
  toDevice,
  toMoves,
  toSteering,
} from './device-answer.ts';
import {
  type DeviceOrder,
  type DeviceSnapshot,
  pageOfDevices,
  readDeviceOrder,
  takeDeviceSnapshot,
} from './device-sorting.ts';

/** Devices of the access points that a search finds: from here on looking at all of them is no more work. */
const maxListed = 5_000;
const turns = { slots: 8, perPrincipal: 4, maxWaiting: 100 };
const maxEvents = 100;
/** Names of one device whose events are read; nobody has so many. */
const maxNames = 10;
/** Of all that go through sorted lists; some 20 bytes each. */
const maxSnapshotEntries = 500_000;

export interface DeviceListRequest {
  selector: string;
  search: string | undefined;
  sort: string | undefined;
  cursor: string | undefined;
  limit: number;
  count: boolean;
}

type PageRequest = Pick<DeviceListRequest, 'cursor' | 'limit'>;

export interface DeviceServiceOptions {
  registry: DeviceRegistry;
  names: DeviceNames;
  network: Network;
  eventLog: Pick<EventLog, 'read'>;
  shares: Shares;
  showsAddresses: (caller: Caller) => boolean;
  extrasOf: (device: string) => DeviceExtras;
  /** Whether the network of an access point has ended. */
  hasEnded: (ap_id: string) => boolean;
}

export class DeviceService {
  readonly #options: DeviceServiceOptions;
  readonly #turns: FairTurns;
  readonly #snapshots = new ListSnapshots<DeviceSnapshot>({ maxEntries: maxSnapshotEntries });

  constructor(options: DeviceServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('device_lists', turns);
  }

  /** By default in the order of their names. Throws ValidationError for a cursor that is none, and for an address. */
  list(caller: Caller, request: DeviceListRequest): Promise<DevicePage> {
    const order = readDeviceOrder(request.sort);
    const trimmed = request.search?.trim() ?? '';
    const search = trimmed === '' ? undefined : this.#options.names.readSearch(trimmed, ['query', 'search']);
    const isByName = order.field === 'device' && !order.isDescending;
    return isByName ? this.#listByName(caller, request, search) : this.#listSorted(caller, request, search, order);
  }

  stop(): void {
    this.#snapshots.stop();
  }

  #listByName(caller: Caller, request: DeviceListRequest, search: string | undefined): Promise<DevicePage> {
    const { table } = this.#options.registry;
    const after = readNameCursor(request.cursor, 'devices', isPseudonym);
    return this.#turns.run(principalOf(caller), async () => {
      const answer = await this.#answerFor(caller);
      const { passes, only } = await this.#filter(caller, request.selector, search);
      const { order } = table;
      const slots = only ? order.sorted(only) : order.slots();
      const start = after === undefined ? 0 : order.firstAfter(after, slots);
      const found: number[] = [];
      let count = 0;
      let isFull = false;
      const look = (slot: number, isOfPage: boolean): boolean => {
        if (!table.isPresent(slot) || !passes(slot)) return false;
        count++;
        if (!isOfPage || isFull) return false;
        if (found.length === request.limit) isFull = true;
        else found.push(slot);
        return isFull && !request.count;
      };
      const from = request.count ? 0 : start;
      await countInSlices(from, slots.length, (position) => look(slots[position]!, position >= start));
      const shown = await mapInSlices(found, (slot) => (table.isPresent(slot) ? toDevice(slot, answer) : undefined));
      const items = shown.filter((device) => device !== undefined);
      const last = found.at(-1);
      return {
        items,
        next: isFull && last !== undefined ? toNameCursor(items.at(-1)?.device ?? table.idOf(last), 'devices') : null,
        ...(request.count && { count }),
      };
    });
  }

  #listSorted(
    caller: Caller,
    request: DeviceListRequest,
    search: string | undefined,
    order: DeviceOrder,
  ): Promise<DevicePage> {
    const { registry } = this.#options;
    const { selector, limit, count } = request;
    const list = fingerprint([selector, search ?? '', order.field, order.isDescending]);
    const cursor = request.cursor === undefined ? undefined : readCursor(request.cursor, list);
    const owner = callerKey(caller);
    return this.#turns.run(principalOf(caller), async () => {
      const answer = await this.#answerFor(caller);
      const known = cursor?.snapshot === undefined ? undefined : this.#snapshots.get(cursor.snapshot, owner, list);
      const { passes } = await this.#filter(caller, selector, search);
      // Of one that is gone, or on another node, the list goes on with the values of now.
      const snapshot = known ?? (await takeDeviceSnapshot({ registry, sight: answer.sight, order, passes }));
      const found = await pageOfDevices(snapshot, { order, cursor, limit });
      const page = found.slice(0, limit);
      const hasMore = found.length > limit;
      const kept = known ? cursor!.snapshot : hasMore ? this.#snapshots.keep(snapshot, owner, list) : undefined;
      // As they are now; who is gone since is left out.
      const shown = await mapInSlices(page, ({ name }) => {
        const slot = registry.table.find(name);
        return slot === undefined ? undefined : toDevice(slot, answer);
      });
      return {
        items: shown.filter((device) => device !== undefined),
        next: hasMore ? toCursor({ ...page.at(-1)!, snapshot: kept }, list) : null,
        ...(count && { count: snapshot.count }),
      };
    });
  }

  /** Throws NotFoundError for one that is unknown or that the caller may not see. */
  async get(caller: Caller, text: string): Promise<DeviceDetails> {
    const device = this.#options.names.read(text, ['path', 'device']);
    const answer = await this.#answerFor(caller);
    const found = this.#find(device, answer);
    const events = await this.#events(device);
    return { ...found, moves: toMoves(events, answer.sight), steering: toSteering(events, answer.sight) };
  }

  /** The name, once it is sure that the caller may see the device. Throws as `get` does. */
  async require(caller: Caller, text: string): Promise<string> {
    const device = this.#options.names.read(text, ['path', 'device']);
    const slot = this.#options.registry.table.find(device);
    const { sight } = await this.#answerFor(caller);
    if (slot === undefined || !isDeviceSeen(slot, this.#options.registry, sight)) throw notFound('Device');
    return device;
  }

  /** The same as `get` without moves. */
  async show(caller: Caller, device: string): Promise<Device> {
    return this.#find(device, await this.#answerFor(caller));
  }

  /** The devices of one access point. Throws NotFoundError if the caller may not see it. */
  async ofAgent(caller: Caller, ap_id: string, { cursor, limit }: PageRequest): Promise<AgentDevices> {
    const { registry, network } = this.#options;
    if (rightsOf(caller).agent) return this.#withoutNames(caller, ap_id, { cursor, limit });
    const after = readNameCursor(cursor, 'devices', isPseudonym);
    (await network.visibleTo(caller)).require(ap_id);
    const agent = registry.agent(ap_id);
    if (agent?.listTs === undefined) return { items: [], next: null, reported_at: null };
    const answer = await this.#answerFor(caller);
    const { table } = registry;
    const slots: number[] = [];
    for (let link = agent.firstLink; link !== none; link = table.links.nextOfAgent[link]!) {
      slots.push(table.links.device[link]!);
    }
    const named = slots
      .map((slot) => ({ slot, id: table.idOf(slot) }))
      .filter(({ id }) => after === undefined || id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = named.slice(0, limit);
    return {
      items: page.flatMap(({ slot }) => toDevice(slot, answer) ?? []),
      next: page.length < named.length ? toNameCursor(page.at(-1)!.id, 'devices') : null,
      reported_at: toTime(agent.listTs),
    };
  }

  /** For the access point itself: in the order of its links, because that of the pseudonyms would tell about them. */
  async #withoutNames(caller: Caller, ap_id: string, { cursor, limit }: PageRequest): Promise<AgentDevices> {
    const { registry, network } = this.#options;
    const start = Number(readNameCursor(cursor, 'devices', (text) => /^\d{1,7}$/.test(text)) ?? 0);
    (await network.visibleTo(caller)).require(ap_id);
    const agent = registry.agent(ap_id);
    if (agent?.listTs === undefined) return { items: [], next: null, reported_at: null };
    const answer = await this.#answerFor(caller);
    const { device: devices, nextOfAgent } = registry.table.links;
    const slots: number[] = [];
    for (let link = agent.firstLink; link !== none; link = nextOfAgent[link]!) slots.push(devices[link]!);
    const end = start + limit;
    return {
      items: slots.slice(start, end).flatMap((slot) => {
        const found = toDevice(slot, answer);
        if (!found) return [];
        const { device: _device, identities: _identities, ...shown } = found;
        return [shown];
      }),
      next: end < slots.length ? toNameCursor(String(end), 'devices') : null,
      reported_at: toTime(agent.listTs),
    };
  }

  #find(device: string, answer: AnswerOptions): Device {
    const slot = this.#options.registry.table.find(device);
    return orNotFound(slot === undefined ? undefined : toDevice(slot, answer), 'Device');
  }

  async #answerFor(caller: Caller): Promise<AnswerOptions> {
    const { registry, network, showsAddresses, extrasOf } = this.#options;
    const sight = await network.visibleTo(caller);
    return { registry, sight, showsAddresses: showsAddresses(caller), extrasOf };
  }

  /**
   * What it asks of access points is asked once for each of them: there are far fewer of them than devices. `only`: no others
   * can pass; undefined if looking at all of them is no more work.
   */
  async #filter(
    caller: Caller,
    selector: string,
    search: string | undefined,
  ): Promise<{ passes: (slot: number) => boolean; only: ReadonlySet<number> | undefined }> {
    const { registry, network } = this.#options;
    const { table } = registry;
    const isSelective = selector.trim() !== '';
    const isSelected = await network.selection(selector, caller);
    const sight = network.sight(caller);
    const those = (test: (agent: AgentRow) => boolean) =>
      agentsThat(registry, (ap_id) => {
        const agent = sight.get(ap_id);
        return agent !== undefined && test(agent);
      });
    const visible = sight.seesAll ? undefined : those(() => true);
    const selected = isSelective ? those(isSelected) : undefined;
    const named = search === undefined ? undefined : those((agent) => hasWord(agent, search));
    // Nearly all searches are for access points: fifty thousand names that cannot match would take longer than the rest.
    const mayBeName = search !== undefined && isPartOfPseudonym(search);
    // Who asks for them by a selector gets them.
    const isOver = isSelective ? undefined : ofEnded(registry, this.#options.hasEnded);
    const passes = (slot: number) => {
      if (isOver?.(slot)) return false;
      if (visible && !isAtOneOf(slot, registry, visible)) return false;
      if (selected && !isAtOneOf(slot, registry, selected)) return false;
      if (!named || isAtOneOf(slot, registry, named)) return true;
      return mayBeName && table.idOf(slot).includes(search!);
    };
    return { passes, only: named && !mayBeName ? devicesAt(registry, named, maxListed) : undefined };
  }

  /** Newest first; also what happened under other names of the device, before they were linked. */
  async #events(device: string): Promise<LoggedEvent[]> {
    const { eventLog, extrasOf } = this.#options;
    const found: LoggedEvent[] = [];
    for (const subject of [device, ...(extrasOf(device).identities ?? [])].slice(0, maxNames)) {
      const read = { subject_kind: 'device', subject, order: 'newest_first', limit: maxEvents } as const;
      found.push(...(await eventLog.read(read)).events);
    }
    return found.sort((a, b) => b.id - a.id).slice(0, maxEvents);
  }
}
