// In which spans of time access points were in a state, from the event log: what a rule on states is tried on.
import type { EventLog } from '../../event-log/event-log.ts';
import { groupedNames } from '../../event-log/grouped-event.ts';
import type { Span } from '../engine/span-replay.ts';

const kinds = ['agent.online', 'agent.late', 'agent.offline', 'agent.asleep', 'agent.awake'];
const pageSize = 500;

export interface HistoryQuery {
  state: string;
  /** Whether one that sleeps is in no state. */
  ignoresSleep: boolean;
  fromMs: number;
  /** Of `performance.now()`: what is not read by then is left out. */
  deadlineMs: number;
}

export interface StateHistory {
  spansOf(ap_id: string): Span[];
  isComplete: boolean;
}

interface Followed {
  state: string;
  isAsleep: boolean;
  spans: Span[];
}

/** `statesNow`: of those to which nothing happened meanwhile, they are what they were. */
export async function readStateHistory(
  log: Pick<EventLog, 'read'>,
  statesNow: () => Promise<readonly { ap_id: string; state: string | null }[]>,
  { state, ignoresSleep, fromMs, deadlineMs }: HistoryQuery,
): Promise<StateHistory> {
  const agents = new Map<string, Followed>();
  let after: number | null = 0;
  while (after !== null && performance.now() <= deadlineMs) {
    const page: Awaited<ReturnType<EventLog['read']>> = await log.read({ kinds, after, fromMs, limit: pageSize });
    for (const event of page.events) {
      for (const ap_id of event.ap_id === null ? (groupedNames(event) ?? []) : [event.ap_id]) {
        const agent = agents.get(ap_id) ?? { state: 'unknown', isAsleep: false, spans: [] };
        agents.set(ap_id, agent);
        follow(agent, event.kind.slice('agent.'.length), event.ts);
      }
    }
    after = page.next;
  }
  for (const now of await statesNow()) {
    if (agents.has(now.ap_id) || now.state !== state) continue;
    agents.set(now.ap_id, { state, isAsleep: false, spans: [{ fromMs, toMs: null }] });
  }
  return { spansOf: (ap_id) => agents.get(ap_id)?.spans ?? [], isComplete: after === null };

  function follow(agent: Followed, what: string, ts: number): void {
    if (what === 'asleep' || what === 'awake') agent.isAsleep = what === 'asleep';
    else agent.state = what;
    const holds = agent.state === state && !(agent.isAsleep && ignoresSleep);
    const last = agent.spans.at(-1);
    if (holds && (last === undefined || last.toMs !== null)) agent.spans.push({ fromMs: ts, toMs: null });
    else if (!holds && last?.toMs === null) last.toMs = ts;
  }
}
