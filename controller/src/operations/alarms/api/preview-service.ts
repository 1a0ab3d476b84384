// What a rule would have done in the past: replays the stored telemetry, or for states the event log, of the access points that
// it selects, with bounds on what is read.
import type { AlarmPreview, AlarmRuleInput } from '@weft/contract/operations';
import { parseSelector } from '@weft/contract/selector';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { groupedNames } from '../../../core/accounts/event-log/grouped-event.ts';
import type { Caller } from '../../../core/base/caller.ts';
import type { Shares } from '../../../core/base/shares/shares.ts';
import { giveWay } from '../../../core/base/time-slices.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import type { TelemetryStore } from '../../../core/telemetry/store/telemetry-store.ts';
import { AlarmTracker } from '../engine/alarm-tracker.ts';
import { MetricCondition } from '../engine/metric-condition.ts';
import { replay } from '../engine/replay.ts';
import { absences, alarmsOf, type Span } from '../engine/span-replay.ts';
import { kindOf, type RuleText } from '../rules/parse-rule.ts';
import { gapOf } from '../watch/sample-watch.ts';

/** A fraction of a millisecond to replay. */
const rowsAtOnce = 1_000;
const shownAlarms = 100;
const previewLimit = { code: 'too_many_previews', what: 'previews on this node', total: 20, laterSeconds: 10 };

const limits = { agents: 500, rows: 5_000_000, ms: 10_000 };

export interface PreviewServiceOptions {
  telemetry: Pick<TelemetryStore, 'rows'>;
  network: Network;
  events: Pick<EventLog, 'read'>;
  /** The states as they were told last. */
  statesNow: () => Promise<readonly { ap_id: string; state: string | null }[]>;
  parse: (input: AlarmRuleInput) => RuleText;
  shares: Shares;
}

type TriedKind = 'metric' | 'state' | 'absent';
type Rung = AlarmPreview['alarms'][number] & { fromMs: number };

export class PreviewService {
  readonly #options: PreviewServiceOptions;
  readonly #open: ReturnType<Shares['openOf']>;

  constructor(options: PreviewServiceOptions) {
    this.#options = options;
    this.#open = options.shares.openOf('alarm_previews', previewLimit);
  }

  /** Over the last `windowHours`. Throws ValidationError for a rule that is none, TryLaterError (429) for too many at once. */
  async preview(caller: Caller, input: AlarmRuleInput, windowHours: number): Promise<AlarmPreview> {
    const rule = this.#options.parse(input);
    const untilMs = Date.now();
    const fromMs = untilMs - windowHours * 3_600_000;
    const kind = kindOf(rule.condition);
    if (!isTried(kind)) return this.#unknown(fromMs, untilMs);
    const release = this.#open(caller);
    return this.#replayAll(rule, kind, fromMs, untilMs).finally(release);
  }

  async #replayAll(rule: RuleText, kind: TriedKind, fromMs: number, untilMs: number): Promise<AlarmPreview> {
    const selector = parseSelector(rule.selector);
    const chosen = this.#options.network.agents.filter((agent) => selector.test(agent));
    const deadline = performance.now() + limits.ms;
    const { replayOne, isComplete } = await this.#createReplay(rule, kind, { fromMs, untilMs, deadline });
    const rung: Rung[] = [];
    let rows = 0;
    let looked = 0;
    for (const agent of chosen.slice(0, limits.agents)) {
      if (rows >= limits.rows || performance.now() > deadline) break;
      rows += await replayOne(agent, rung);
      looked++;
      await giveWay();
    }
    rung.sort((a, b) => a.fromMs - b.fromMs);
    const is_complete = isComplete && looked === chosen.length;
    return {
      from: new Date(fromMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      times: rung.length,
      agents: looked,
      agents_selected: chosen.length,
      is_complete,
      alarms: rung.slice(0, shownAlarms).map(({ fromMs: _, ...each }) => each),
      detail: sentence(rung.length, looked, chosen.length),
    };
  }

  async #createReplay(
    rule: RuleText,
    kind: TriedKind,
    { fromMs, untilMs, deadline }: { fromMs: number; untilMs: number; deadline: number },
  ) {
    const { condition, for_seconds, clear, when_asleep } = rule;
    if (kind === 'metric') {
      const metric = new MetricCondition(rule);
      const replayOne = (agent: AgentRow, rung: Rung[]) => this.#replayOne(agent, metric, fromMs, untilMs, rung);
      return { replayOne, isComplete: true };
    }
    const times = {
      forMs: for_seconds * 1000,
      clearMs: (clear?.for_seconds ?? for_seconds) * 1000,
      nowMs: untilMs,
    };
    const ring = (ap_id: string, spans: readonly Span[], rung: Rung[]) => {
      rung.push(...alarmsOf(spans, times).map((span) => toRung(ap_id, span)));
    };
    if (kind === 'absent') {
      const absentMs = condition.absent_seconds! * 1000;
      const replayOne = async ({ ap_id }: AgentRow, rung: Rung[]) => {
        const timesMs = await this.#reportTimes(ap_id, fromMs - absentMs, untilMs);
        ring(ap_id, absences(timesMs, absentMs, { fromMs, nowMs: untilMs }), rung);
        return timesMs.length;
      };
      return { replayOne, isComplete: true };
    }
    const history = await readStateHistory(this.#options.events, this.#options.statesNow, {
      state: condition.state!,
      ignoresSleep: when_asleep === 'ignore',
      fromMs,
      deadlineMs: deadline,
    });
    const replayOne = async ({ ap_id }: AgentRow, rung: Rung[]) => {
      ring(ap_id, history.spansOf(ap_id), rung);
      return 0;
    };
    return { replayOne, isComplete: history.isComplete };
  }

  async #reportTimes(ap_id: string, startMs: number, endMs: number): Promise<number[]> {
    const times: number[] = [];
    for (let from = startMs; from <= endMs; ) {
      const { ts } = await this.#options.telemetry.rows(ap_id, { startMs: from, endMs }, rowsAtOnce);
      for (let row = 0; row < ts.length; row++) times.push(ts[row]!);
      if (ts.length < rowsAtOnce) break;
      from = ts.at(-1)! + 1;
    }
    return times;
  }

  async #replayOne(
    agent: AgentRow,
    condition: MetricCondition,
    fromMs: number,
    untilMs: number,
    rung: Rung[],
  ): Promise<number> {
    const tracker = new AlarmTracker(condition, gapOf(agent));
    tracker.isCertain = true;
    let last: Rung | undefined;
    let rows = 0;
    for (let startMs = fromMs; startMs <= untilMs; ) {
      const range = { startMs, endMs: untilMs };
      const frame = await this.#options.telemetry.rows(agent.ap_id, range, rowsAtOnce, condition.metrics);
      replay(tracker, frame, ({ to, sinceMs, atMs, value }) => {
        tracker.turn(to === 'firing', atMs);
        if (to === 'cleared') {
          if (last) last.until = new Date(atMs).toISOString();
          return;
        }
        const from = new Date(sinceMs).toISOString();
        last = { ap_id: agent.ap_id, subject: agent.ap_id, from, until: null, value, fromMs: sinceMs };
        rung.push(last);
      });
      rows += frame.ts.length;
      if (frame.ts.length < rowsAtOnce) break;
      startMs = frame.ts.at(-1)! + 1;
      await giveWay();
    }
    return rows;
  }

  #unknown(fromMs: number, untilMs: number): AlarmPreview {
    return {
      from: new Date(fromMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      times: 0,
      agents: 0,
      agents_selected: 0,
      is_complete: false,
      alarms: [],
      detail: 'Only rules on metrics, on states (online, late, offline) and on absence can be tried on the past.',
    };
  }
}

function toRung(ap_id: string, { fromMs, toMs }: Span): Rung {
  const until = toMs === null ? null : new Date(toMs).toISOString();
  return { ap_id, subject: ap_id, from: new Date(fromMs).toISOString(), until, value: null, fromMs };
}

function isTried(kind: ReturnType<typeof kindOf>): kind is TriedKind {
  return kind === 'metric' || kind === 'state' || kind === 'absent';
}

function sentence(times: number, looked: number, selected: number): string {
  const often =
    times === 0 ? 'It would not have fired' : `It would have fired ${times === 1 ? 'once' : `${times} times`}`;
  if (selected === 0) return 'The selector means no access point.';
  if (looked === selected) return `${often}, on ${selected} access points.`;
  return `${often}, on the first ${looked} of ${selected} access points: there was too much to read for all.`;
}

const kinds = ['agent.online', 'agent.late', 'agent.offline', 'agent.asleep', 'agent.awake'];
const pageSize = 500;

interface HistoryQuery {
  state: string;
  /** Whether one that sleeps is in no state. */
  ignoresSleep: boolean;
  fromMs: number;
  /** Of `performance.now()`: what is not read by then is left out. */
  deadlineMs: number;
}

interface Followed {
  state: string;
  isAsleep: boolean;
  spans: Span[];
}

/** `statesNow`: of those to which nothing happened meanwhile, they are what they were. */
async function readStateHistory(
  log: Pick<EventLog, 'read'>,
  statesNow: () => Promise<readonly { ap_id: string; state: string | null }[]>,
  { state, ignoresSleep, fromMs, deadlineMs }: HistoryQuery,
): Promise<{ spansOf(ap_id: string): Span[]; isComplete: boolean }> {
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
