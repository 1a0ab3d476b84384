// Tells when agents go to sleep and wake up, from what they report: the metric `active` (0: asleep), or the text `power_state`.
// Each node tells of the agents that report to it; a row for each agent keeps two from telling the same.

import { BoundedMap } from '@weft/contract/bounded-map';
import { ownOf } from '@weft/contract/is-object';
import type { EventLog } from '../../accounts/event-log/event-log.ts';
import type { NewEvent } from '../../accounts/event-log/event-record.ts';
import { groupedEvent } from '../../accounts/event-log/grouped-event.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import type { Sample } from '../store/telemetry-store.ts';
import type { AgentStateStore } from './agent-state-store.ts';

const everyMs = 3_000;
const maxSingle = 20;
const maxRemembered = 200_000;

type Power = 'asleep' | 'awake';

const textStates: Record<string, Power> = { asleep: 'asleep', dozing: 'asleep', on: 'awake', awake: 'awake' };

export interface PowerWatchOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  store: Pick<AgentStateStore, 'find' | 'setPowers'>;
  eventLog: Pick<EventLog, 'append'>;
  onError: (error: unknown, message: string) => void;
}

export class PowerWatch extends PeriodicTask {
  readonly #options: PowerWatchOptions;
  readonly #known = new BoundedMap<string, { power: Power; ts: number }>(maxRemembered);
  #pending = new Map<string, Power>();

  constructor(options: PowerWatchOptions) {
    const { onError } = options;
    super({ everyMs, what: 'the power states of agents', run: () => this.#write(), onError });
    this.#options = options;
  }

  /** Samples of an agent were stored. Late ones change nothing. */
  recorded(ap_id: string, samples: readonly Sample[]): void {
    for (const sample of samples) {
      const power = powerOf(sample);
      if (power === undefined) continue;
      const known = this.#known.get(ap_id);
      if (known === undefined) {
        this.#known.set(ap_id, { power, ts: sample.ts });
        this.#pending.set(ap_id, power);
      } else if (sample.ts >= known.ts) {
        if (known.power !== power) this.#pending.set(ap_id, power);
        known.power = power;
        known.ts = sample.ts;
      }
    }
  }

  forget(ap_id: string): void {
    this.#known.delete(ap_id);
    this.#pending.delete(ap_id);
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = this.#pending;
    this.#pending = new Map();
    const { database, store, eventLog } = this.#options;
    try {
      await database.transaction(async (tx) => {
        const told = new Map((await store.find(tx, [...pending.keys()])).map(({ ap_id, power }) => [ap_id, power]));
        const changed = new Map([...pending].filter(([ap_id, power]) => told.get(ap_id) !== power));
        await store.setPowers(tx, changed, Date.now());
        // That an agent of which nothing was known is awake is nothing new.
        const news = [...changed].filter(([ap_id, power]) => power === 'asleep' || (told.get(ap_id) ?? null) !== null);
        await eventLog.append(tx, [...toEvents('asleep', news), ...toEvents('awake', news)]);
      });
    } catch (error) {
      for (const [ap_id, power] of pending) if (!this.#pending.has(ap_id)) this.#pending.set(ap_id, power);
      throw error;
    }
  }
}

/** Undefined if the sample does not say. */
function powerOf({ names, values, texts }: Sample): Power | undefined {
  const index = names.indexOf('active');
  if (index >= 0) return values[index] === 0 ? 'asleep' : 'awake';
  for (const [name, text] of texts) if (name === 'power_state') return ownOf(textStates, text);
  return undefined;
}

function toEvents(power: Power, news: readonly (readonly [string, Power])[]): NewEvent[] {
  const ap_ids = news.filter(([, each]) => each === power).map(([ap_id]) => ap_id);
  const kind = `agent.${power}`;
  const many = power === 'asleep' ? 'went to sleep' : 'woke up';
  if (ap_ids.length > maxSingle) return [groupedEvent({ kind, what: many, ap_ids })];
  return ap_ids.map((ap_id) => ({ kind, subject_kind: 'agent', subject: ap_id, text: `${ap_id} ${many}` }));
}
