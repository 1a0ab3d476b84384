// The part of an App for those who run a network: what is wrong, what it has drawn, and what access points shall be.
import type { AlarmSeverity } from '@weft/contract';
import type { Alarm, AlarmRaise, AlarmState, Energy, Incident, IncidentState } from '@weft/contract/operations';
import { type Abortable, type Moment, toTime, type Window } from '../core/app/app-options.ts';
import { CommandSender } from '../core/app/command-sender.ts';
import type { JobConnection } from '../core/app/job-messages.ts';
import type { RestClient } from '../core/app/rest-client.ts';
import type { Stream } from '../core/app/stream.ts';
import { Configuration } from './config-client.ts';

export interface AlarmOptions extends Abortable {
  /** Default: `firing` and `acknowledged`. */
  states?: readonly AlarmState[] | undefined;
  severities?: readonly AlarmSeverity[] | undefined;
  /** Only of these access points. */
  selector?: string | undefined;
}

export interface IncidentOptions extends Abortable {
  /** Default: all. */
  states?: readonly IncidentState[] | undefined;
  /** Only those about one of these access points. */
  selector?: string | undefined;
  /** Only those that were open within this time, such as `24h`. */
  window?: string | undefined;
}

export interface EnergyOptions extends Abortable {
  /** Default: 24 hours, up to `end`, which is now by default. */
  window?: Window | undefined;
  end?: Moment | undefined;
  /** Only these access points. */
  selector?: string | undefined;
}

export class Operator extends CommandSender {
  readonly #rest: RestClient;
  /** What access points shall be. */
  readonly config: Configuration;

  constructor(connection: JobConnection) {
    super(connection);
    this.#rest = connection.rest;
    this.config = new Configuration(connection.rest);
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

  /**
   * What access points have drawn, from the power that they reported; hours without reports are counted, and no energy for them.
   *
   * ```ts
   * const { total, currency } = await app.energy({ window: '24h' });
   * console.log(`${total.kwh.toFixed(1)} kWh, ${total.cost.toFixed(2)} ${currency}`);
   * ```
   */
  energy({ window, end, selector, signal }: EnergyOptions = {}): Promise<Energy> {
    const query = { window, end: end && toTime(end), selector };
    return this.#rest.ask({ method: 'GET', path: '/api/v1/energy', query, signal });
  }
}
