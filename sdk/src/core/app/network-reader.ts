// What an App reads of the network as a whole: access points by selector, what happened, and what is wrong.
import type { AgentFilter, AgentListItem, Device, DeviceDetails } from '@weft/contract';
import type { Alarm, AlarmRaise, Incident } from '@weft/contract/operations';
import {
  type Abortable,
  type AgentDetails,
  type AlarmOptions,
  type EventItem,
  type EventPattern,
  type IncidentOptions,
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

  /**
   * What is wrong now, or was: alarms, the worst first.
   *
   * ```ts
   * const alarms = await app.alarms({ severities: ['critical', 'major'] }).toArray();
   * console.log(`${alarms.length} serious alarms`, alarms.map(({ ap_id, message }) => `${ap_id}: ${message}`));
   * ```
   */
  alarms({ states = [], severities = [], selector, signal }: AlarmOptions = {}): Stream<Alarm> {
    const query = {
      state: states.length > 0 ? states.join() : 'firing,acknowledged',
      severity: severities.length > 0 ? severities.join() : undefined,
      selector,
      sort: 'severity',
      limit: 200,
    };
    return this.#rest.pages('/api/v1/alarms', query, signal);
  }

  /**
   * Alarms that belong together, with their cause and who was affected; newest first.
   *
   * ```ts
   * const titles: string[] = [];
   * for await (const { title } of app.incidents({ window: '24h' })) titles.push(title);
   * ```
   */
  incidents({ states = [], selector, window, signal }: IncidentOptions = {}): Stream<Incident> {
    const query = { state: states.join() || undefined, selector, window, limit: 100 };
    return this.#rest.pages('/api/v1/incidents', query, signal);
  }

  /**
   * An alarm of this app, about an access point that it may see; needs the permission `alarms`. Raised again under its key, it
   * gets the new text.
   *
   * ```ts
   * const key = 'coverage-hole';
   * const { id } = await app.raise({ ap_id: 'ap-1', severity: 'major', key, text: 'nobody covers the hall' });
   * console.log(id);
   * await app.clear(key);
   * ```
   */
  raise(alarm: AlarmRaise, { signal }: Abortable = {}): Promise<Alarm> {
    return this.#rest.ask({ method: 'POST', path: '/api/v1/alarms/raise', json: alarm, isRepeatable: true, signal });
  }

  /**
   * Ends the alarm that this app has raised under this key; nothing happens if there is none.
   *
   * ```ts
   * await app.clear('coverage-hole');
   * ```
   */
  async clear(key: string, { signal }: Abortable = {}): Promise<void> {
    const request = { path: '/api/v1/alarms/clear', json: { key }, isRepeatable: true, signal };
    await this.#rest.ask({ method: 'POST', ...request });
  }

  /**
   * Somebody is on it: the alarm stays, and stops calling people.
   *
   * ```ts
   * const [first] = await app.alarms().toArray();
   * if (first) await app.acknowledge(first.id, 'a technician is on the way');
   * console.log(first?.message ?? 'nothing is wrong');
   * ```
   */
  acknowledge(id: string, note?: string, { signal }: Abortable = {}): Promise<Alarm> {
    const path = `/api/v1/alarms/${encodeURIComponent(id)}/acknowledge`;
    const json = note === undefined ? {} : { note };
    return this.#rest.ask({ method: 'POST', path, json, isRepeatable: true, signal });
  }
}

function kindsOf(kinds: readonly string[]): string | undefined {
  return kinds.length > 0 ? kinds.join() : undefined;
}
