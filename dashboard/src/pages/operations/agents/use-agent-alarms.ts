// The alarms of one access point for its page: those that ring now, and for its charts when which rang, with the limits of their
// rules.
import { useMemo } from 'preact/hooks';
import type { Alarm, AlarmRule, Diagnosis } from '../../../api/client.ts';
import type { ChartAlarm } from '../../../components/chart/chart-marks.ts';
import { severities } from '../../../components/glyph.tsx';
import { useOperation } from '../../../data/use-operation.ts';

const limit = 100;
/** What is further down, or a detail, comes after what a page begins with. */
export const firstAfterMs = 2600;

export interface AgentAlarms {
  /** Undefined until they are known; the worst first. */
  active: readonly Alarm[] | undefined;
  /** The one that says most, and what is known of its cause. */
  alarm: Alarm | undefined;
  diagnosis: Diagnosis | undefined;
  /** What the diagnosis has looked at. */
  metrics: readonly string[];
  /** What belongs on the chart of these metrics: all that rang, and a limit if one of them has it. */
  ofChart: (names: readonly string[]) => ChartAlarm | undefined;
  isKnown: boolean;
  /** Whether there are any is known, or could not be asked: from then on nothing below them moves much. */
  isAnswered: boolean;
}

export function useAgentAlarms(ap_id: string): AgentAlarms {
  const { data, failure } = useOperation('list_alarms', { query: { agent: ap_id, limit } }, { pollMs: 5000 });
  const isWanted = (data?.items.length ?? 0) > 0;
  const rules = useOperation('list_alarm_rules', {}, { isWanted, pollMs: 120_000, firstAfterMs });
  const active = useMemo(() => data && worstFirst(data.items.filter(({ state }) => state !== 'cleared')), [data]);
  const [first, second] = active ?? [];
  const one = useDiagnosis(first);
  // A rule of somebody's own has no diagnosis: the next alarm may say more.
  const isUnknown = one.data?.cause === 'unknown';
  const other = useDiagnosis(isUnknown ? second : undefined);
  const isOther = isUnknown && other.data !== undefined && other.data.cause !== 'unknown';
  const [alarm, diagnosis] = isOther ? [second, other.data] : [first, one.data];
  const ofChart = useMemo(() => {
    const ruleOf = new Map(rules.data?.items.map((rule) => [rule.id, rule]));
    return (names: readonly string[]) => chartAlarm(data?.items ?? [], ruleOf, names);
  }, [data, rules.data]);
  const isAnswered = (data ?? failure) !== undefined;
  const isKnown = isAnswered && (!first || (one.data ?? one.failure) !== undefined);
  return { active, alarm, diagnosis, metrics: metricsOf(diagnosis?.evidence ?? []), ofChart, isKnown, isAnswered };
}

function useDiagnosis(alarm: Alarm | undefined) {
  const path = { alarm_id: alarm?.id ?? '' };
  return useOperation('diagnose_alarm', { path }, { isWanted: alarm !== undefined, pollMs: 15_000 });
}

/** Numbers link to the charts of their metrics. */
export function metricsOf(evidence: readonly Pick<Diagnosis['evidence'][number], 'link'>[]): string[] {
  const names = evidence.flatMap(({ link }) => /[?]metrics=([^&]*)/.exec(link ?? '')?.[1]?.split(',') ?? []);
  return [...new Set(names)];
}

export function worstFirst<Item extends Pick<Alarm, 'severity' | 'since'>>(alarms: readonly Item[]): Item[] {
  const rank = ({ severity }: Item) => severities.indexOf(severity);
  return alarms.toSorted((a, b) => rank(a) - rank(b) || Date.parse(a.since) - Date.parse(b.since));
}

type Rang = Pick<Alarm, 'rule_id' | 'since' | 'cleared_at'>;
type Condition = Pick<AlarmRule, 'condition'>;

/** Until now is without an end; a limit only of what rang, so that others do not flatten the line. */
export function chartAlarm(
  alarms: readonly Rang[],
  rules: ReadonlyMap<string, Condition>,
  names: readonly string[],
): ChartAlarm | undefined {
  if (alarms.length === 0) return undefined;
  const limits = alarms.flatMap(({ rule_id }) => {
    const { metric, value, op, other_metric } = rules.get(rule_id)?.condition ?? {};
    const isLimit = metric !== undefined && op !== undefined && other_metric === undefined;
    return isLimit && names.includes(metric) && value !== undefined ? [value] : [];
  });
  const spans = alarms.map(({ since, cleared_at }) => ({
    from: Date.parse(since) / 1000,
    to: cleared_at === null ? Number.POSITIVE_INFINITY : Date.parse(cleared_at) / 1000,
  }));
  return { limit: limits[0], spans: joined(spans) };
}

/** Where several ring at once it is shaded once. */
function joined(spans: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const out: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else out.push({ from, to });
  }
  return out;
}
