// An alarm rule as a form: every field a text. Pure.
import type { AlarmCondition, AlarmRule, AlarmRuleInput } from '../../../api/client.ts';
import { formatNumber, formatSpan, typedNumber } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import { alarmsText } from '../../../text/pages.ts';

const noMetric = 'Choose a metric';

export const conditionKinds = Object.keys(alarmsText.rule.kinds) as ConditionKind[];
export type ConditionKind = keyof typeof alarmsText.rule.kinds;

export const emptyRule = {
  name: '',
  selector: '',
  severity: 'major',
  kind: 'limit',
  metric: '',
  op: '>',
  value: '',
  over_seconds: '',
  other_metric: '',
  times: '1',
  change: '>',
  within_seconds: '60',
  absent_seconds: '60',
  state: 'offline',
  state_changes: '6',
  share: '20',
  at_least: '2',
  weft: '',
  for_seconds: '10',
  clear_value: '',
  clear_for_seconds: '',
  message: '',
  when_asleep: 'ignore',
  enabled: 'true',
};
export type RuleValues = Record<keyof typeof emptyRule, string>;

export function kindOf(condition: AlarmCondition): ConditionKind {
  if (condition.weft !== undefined) return 'weft';
  if (condition.share_of_site) return 'share';
  if (condition.state_changes !== undefined) return 'flapping';
  if (condition.state !== undefined) return 'state';
  if (condition.absent_seconds !== undefined) return 'absent';
  if (condition.change !== undefined) return 'change';
  return condition.other_metric === undefined ? 'limit' : 'compare';
}

export function toValues(rule: AlarmRuleInput): RuleValues {
  const { condition, clear = {} } = rule;
  const kind = kindOf(condition);
  const told = {
    ...rule,
    ...condition,
    kind,
    value: kind === 'share' ? undefined : condition.value,
    state: condition.state ?? condition.share_of_site?.state,
    share: kind === 'share' && condition.value !== undefined ? round(condition.value * 100) : undefined,
    at_least: condition.share_of_site?.at_least,
    for_seconds: rule.for_seconds ?? 0,
    clear_value: kind === 'share' && clear.value !== undefined ? round(clear.value * 100) : clear.value,
    clear_for_seconds: clear.for_seconds,
  };
  const known = Object.entries(told).filter(([name, value]) => name in emptyRule && value !== undefined);
  return { ...emptyRule, ...Object.fromEntries(known.map(([name, value]) => [name, String(value)])) };
}

/** `labels` are kept as they were. Numbers that cannot be read are left to the server's words. */
export function toRule(values: RuleValues, labels?: AlarmRuleInput['labels']): AlarmRuleInput {
  const kind = values.kind as ConditionKind;
  const number = (name: keyof RuleValues) =>
    values[name].trim() === '' ? undefined : typedNumber(values[name].replace(',', '.'));
  const share = (name: keyof RuleValues) => {
    const percent = number(name);
    return kind === 'share' && percent !== undefined ? round(percent / 100) : percent;
  };
  const clear = present({ value: share('clear_value'), for_seconds: number('clear_for_seconds') });
  return {
    ...present({ labels, message: values.message.trim() || undefined, when_asleep: values.when_asleep }),
    name: values.name.trim(),
    selector: values.selector.trim(),
    severity: values.severity as AlarmRuleInput['severity'],
    condition: toCondition(kind, values, number),
    for_seconds: number('for_seconds') ?? 0,
    ...(Object.keys(clear).length > 0 && { clear }),
    enabled: values.enabled === 'true',
  } as AlarmRuleInput;
}

function toCondition(
  kind: ConditionKind,
  values: RuleValues,
  number: (name: keyof RuleValues) => number | undefined,
): AlarmCondition {
  const { op, metric, change, other_metric, state, weft } = values;
  const within_seconds = number('within_seconds');
  const conditions: Record<ConditionKind, object> = {
    limit: { metric, op, value: number('value'), over_seconds: number('over_seconds') },
    change: { metric, change, value: number('value'), within_seconds },
    compare: { metric, op, other_metric, times: number('times'), value: number('value') },
    absent: { absent_seconds: number('absent_seconds') },
    state: { state },
    flapping: { state_changes: number('state_changes'), within_seconds },
    share: {
      share_of_site: present({ state, at_least: number('at_least') }),
      op: '>',
      value: round((number('share') ?? 0) / 100),
    },
    weft: { weft, op, value: number('value') },
  };
  return present(conditions[kind]) as AlarmCondition;
}

/** The first field that a rule cannot be tried without, and what to do there. */
export function missingIn({ kind, metric, other_metric, value }: RuleValues): [keyof RuleValues, string] | undefined {
  const isOfMetric = ['limit', 'change', 'compare'].includes(kind);
  if (isOfMetric && metric.trim() === '') return ['metric', noMetric];
  if (kind === 'compare' && other_metric.trim() === '') return ['other_metric', noMetric];
  const needsValue = ['limit', 'change', 'weft'].includes(kind);
  return needsValue && value.trim() === '' ? ['value', 'Enter a limit'] : undefined;
}

/** What it watches for, in words. */
export function conditionWords({ condition, for_seconds = 0 }: Pick<AlarmRule, 'condition' | 'for_seconds'>): string {
  const { metric = '', op = '>', value = 0, other_metric, change, within_seconds = 0, state } = condition;
  const within = ` within ${formatSpan(within_seconds, 2)}`;
  const mean = condition.over_seconds === undefined ? '' : `mean of ${formatSpan(condition.over_seconds, 2)} of `;
  const words: Record<ConditionKind, () => string> = {
    limit: () => `${mean}${metric} ${alarmsText.rule.ops[op]} ${formatNumber(value)}`,
    change: () => `${metric} ${alarmsText.rule.changes[change ?? '>']} by more than ${formatNumber(value)}${within}`,
    compare: () =>
      `${metric} ${alarmsText.rule.ops[op]} ${(condition.times ?? 1) === 1 ? '' : `${condition.times} × `}${other_metric}`,
    absent: () => `no report for ${formatSpan(condition.absent_seconds ?? 0, 2)}`,
    state: () => componentText.states[state ?? 'offline'].toLowerCase(),
    flapping: () => `${condition.state_changes} changes of state${within}`,
    share: () =>
      `more than ${formatNumber(value * 100)}\u2009% of a site ${componentText.states[condition.share_of_site?.state ?? 'offline'].toLowerCase()}`,
    weft: () => `${condition.weft} ${alarmsText.rule.ops[op]} ${formatNumber(value)}`,
  };
  const held = for_seconds > 0 ? ` for ${formatSpan(for_seconds, 2)}` : '';
  return words[kindOf(condition)]() + held;
}

function present<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  ) as Partial<Fields>;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
