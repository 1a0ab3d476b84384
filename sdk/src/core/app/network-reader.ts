// What an App reads of the network as a whole: access points by selector, their devices, and what happened.
import type { AgentFilter, AgentListItem, Device, DeviceDetails } from '@weft/contract';
import {
  type Abortable,
  type AgentDetails,
  type EventItem,
  type EventPattern,
  type Moment,
  type SelectedAgent,
  toTime,
} from './app-options.ts';
import { type Place, positionOf } from './fleet.ts';
import { FleetReader } from './fleet-reader.ts';
import type { JobConnection } from './job-messages.ts';
import { helpersOf } from './neighbourhood.ts';
import type { RestClient } from './rest-client.ts';
import { resumedStream, type StreamListeners } from './resumed-stream.ts';
import type { Stream } from './stream.ts';

export interface SelectOptions extends Abortable {
  /** Part of a name. */
  search?: string | undefined;
  /** A field or a metric; with `-` before it the largest first. Default: `ap_id`. */
  sort?: string | undefined;
  /** Also these: `configuration`, `latest`. */
  fields?: readonly ('configuration' | 'latest')[] | undefined;
}

export interface DeviceOptions extends Abortable {
  /** Only those that are attached to, or were last seen at, these access points. */
  selector?: string | undefined;
  /** Part of a pseudonym or of an `ap_id`. */
  search?: string | undefined;
}

export interface EventOptions extends Abortable {
  kinds?: readonly EventPattern[] | undefined;
  /** Only events about these access points. */
  selector?: string | undefined;
  /** Only events about this access point. */
  agent?: string | undefined;
}

export interface FollowOptions extends EventOptions, StreamListeners {
  /** Begins after the event with this id, also in another process. Default: with what comes from now on. */
  after?: number | undefined;
}

export interface PastEventOptions extends EventOptions {
  from?: Moment | undefined;
  until?: Moment | undefined;
}

export class NetworkReader extends FleetReader {
  readonly #rest: RestClient;

  constructor(connection: JobConnection) {
    super(connection);
    this.#rest = connection.rest;
  }

  /**
   * Every agent that this app may see, sorted by `ap_id`. Emulated agents whose run has ended are left out, unless `state` is
   * `ended` or `all`. With a selector, those that it names, with their labels: `display_name`, `site`, `tags` and so on.
   *
   * ```ts
   * const agents = await app.agents({ state: 'online', emulated: false });
   * console.log(agents.map(({ ap_id }) => ap_id));
   * for (const { ap_id, display_name } of await app.agents({ selector: 'name:ap-*' })) console.log(display_name ?? ap_id);
   * ```
   */
  agents(options: { selector: string } & Abortable): Promise<SelectedAgent[]>;
  agents(options?: AgentFilter & Abortable): Promise<AgentDetails[]>;
  async agents({ selector, signal, ...filter }: AgentFilter & { selector?: string } & Abortable = {}) {
    if (selector === undefined) {
      return this.#rest.ask<AgentDetails[]>({
        method: 'GET',
        path: '/api/v1/metrics/agent_details',
        query: filter,
        signal,
      });
    }
    return (await this.select(selector, { fields: ['configuration'], signal }).toArray()) as SelectedAgent[];
  }

  /**
   * The access points whose devices this one can serve as well, by position and range, nearest first: who takes over when it
   * sleeps.
   *
   * ```ts
   * const near = await app.neighbours('ap-1');
   * console.log(`${near.length} neighbours`, near.map(({ ap_id }) => ap_id).join());
   * ```
   */
  async neighbours(ap_id: string, { signal }: Abortable = {}): Promise<Place[]> {
    const places = (await this.agents({ signal })).flatMap((one) => positionOf(one.ap_id, one.configuration) ?? []);
    const own = places.filter((place) => place.ap_id === ap_id);
    return own.flatMap((place) => helpersOf([place], places).get(ap_id) ?? []);
  }

  /**
   * The access points that a selector names and this app may see, with their labels and states.
   *
   * ```ts
   * for await (const { ap_id, site, state } of app.select('name:ap-* -state:offline')) {
   *   console.log(ap_id, site, state);
   * }
   * ```
   */
  select(selector = '', { search, sort, fields = [], signal }: SelectOptions = {}): Stream<AgentListItem> {
    const query = { selector, search, sort, fields: fields.length > 0 ? fields.join() : undefined, limit: 200 };
    return this.#rest.pages('/api/v1/agents', query, signal);
  }

  /**
   * The devices that are attached to the access points that this app may see, or were within a day, in the order of their
   * pseudonyms.
   *
   * ```ts
   * for await (const { device, links } of app.devices({ selector: 'name:ap-*' })) {
   *   console.log(device, links.map(({ ap_id, rssi_dbm }) => `${ap_id}: ${rssi_dbm} dBm`).join());
   * }
   * ```
   */
  devices({ selector, search, signal }: DeviceOptions = {}): Stream<Device> {
    return this.#rest.pages('/api/v1/devices', { selector, search, limit: 500 }, signal);
  }

  /**
   * One device: its links on all technologies, what it hears, its moves and attempts to move it.
   *
   * ```ts
   * const [first] = await app.devices().toArray();
   * if (!first) throw new Error('there is no device');
   * const { moves } = await app.device(first.device);
   * console.log(first.device, moves.map(({ kind, ap_id }) => `${kind} ${ap_id}`).join());
   * ```
   */
  device(device: string, { signal }: Abortable = {}): Promise<DeviceDetails> {
    return this.#rest.ask({ method: 'GET', path: `/api/v1/devices/${encodeURIComponent(device)}`, signal });
  }

  /**
   * What happens from now on, or from an event on: comings and goings of access points, commands, conflicts, alarms,
   * changes. Goes on after a lost connection without missing anything; `onGap` tells that events were no longer kept.
   *
   * ```ts
   * for await (const { id, kind, text } of app.events({ kinds: ['agent.*', 'alarm.*'], after: 0 })) {
   *   console.log(id, kind, text);
   *   break;
   * }
   * ```
   */
  events({
    kinds = [],
    agent,
    selector,
    after,
    onOpen,
    onBreak,
    onGap,
    signal,
  }: FollowOptions = {}): Stream<EventItem> {
    const listeners = { ...(onOpen && { onOpen }), ...(onBreak && { onBreak }), ...(onGap && { onGap }) };
    const options = {
      path: '/api/v1/events/stream',
      query: { kinds: kindsOf(kinds), ap_id: agent, selector, after },
      event: 'event',
      ...listeners,
    };
    return this.#rest.stream((ended) => resumedStream<EventItem>(this.#rest, options, ended), signal);
  }

  /**
   * What happened, newest first.
   *
   * ```ts
   * for await (const { ts, text } of app.pastEvents({ kinds: ['agent.*', 'config.*'], from: Date.now() - 86_400_000 })) {
   *   console.log(ts, text);
   * }
   * ```
   */
  pastEvents({ kinds = [], agent, selector, from, until, signal }: PastEventOptions = {}): Stream<EventItem> {
    const times = { from: from && toTime(from), until: until && toTime(until) };
    return this.#rest.pages(
      '/api/v1/events',
      { kinds: kindsOf(kinds), ap_id: agent, selector, ...times, limit: 500 },
      signal,
    );
  }
}

function kindsOf(kinds: readonly string[]): string | undefined {
  return kinds.length > 0 ? kinds.join() : undefined;
}
