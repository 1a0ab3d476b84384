// Rules as administrators write them: validated beyond their schema, all problems at once, and with every default filled in.
import type { AlarmSeverity } from '@weft/contract';
import type { AlarmClear, AlarmCondition, AlarmRuleInput } from '@weft/contract/operations';
import { parseSelector, type Selector, SelectorError } from '@weft/contract/selector';
import { type Problem, ValidationError } from '../../../core/base/errors.ts';
import { valueError } from '../../../core/base/input/value-rules.ts';
import { type AlarmCriteria, isHysteresis, type Operator } from '../engine/metric-condition.ts';

/** What a rule says, complete. */
export interface RuleText extends AlarmCriteria {
  name: string;
  selector: string;
  severity: AlarmSeverity;
  message: string;
  labels: Record<string, string>;
  enabled: boolean;
}

export type ConditionKind = 'metric' | 'absent' | 'state' | 'state_changes' | 'share_of_site' | 'weft';

/** Those that it must have, then those that it may have. */
type Fields = readonly [must: readonly (keyof AlarmCondition)[], may: readonly (keyof AlarmCondition)[]];

const metricFields: Fields = [
  ['metric', 'op'],
  ['value', 'other_metric', 'times', 'over_seconds'],
];
const changeFields: Fields = [['metric', 'change', 'value', 'within_seconds'], []];
const fields: Record<ConditionKind, Fields> = {
  metric: metricFields,
  absent: [['absent_seconds'], []],
  state: [['state'], []],
  state_changes: [['state_changes', 'within_seconds'], []],
  share_of_site: [['share_of_site', 'op', 'value'], []],
  weft: [['weft', 'op', 'value'], []],
};
const maxLabels = 20;

export function kindOf(condition: AlarmCondition): ConditionKind | undefined {
  if (condition.share_of_site !== undefined) return 'share_of_site';
  if (condition.weft !== undefined) return 'weft';
  if (condition.absent_seconds !== undefined) return 'absent';
  if (condition.state_changes !== undefined) return 'state_changes';
  if (condition.state !== undefined) return 'state';
  return condition.metric === undefined ? undefined : 'metric';
}

/** Throws ValidationError with every problem. `readings` are the names that a condition on Weft itself may have. */
export function parseRule(input: AlarmRuleInput, readings: readonly string[]): RuleText {
  const problems = [...conditionProblems(input, readings)];
  parseStaticSelector(input.selector ?? '', problems);
  if (Object.keys(input.labels ?? {}).length > maxLabels) {
    problems.push(valueError(['body', 'labels'], `a rule has at most ${maxLabels} labels`));
  }
  if (problems.length > 0) throw new ValidationError(problems);
  const { name, selector = '', condition, for_seconds = 0, clear, severity, message, labels = {} } = input;
  return {
    name,
    selector,
    condition,
    for_seconds,
    clear: clear && Object.keys(clear).length > 0 ? clear : undefined,
    severity,
    message: message ?? defaultMessage(condition),
    labels,
    when_asleep: input.when_asleep ?? 'ignore',
    enabled: input.enabled ?? true,
  };
}

/**
 * A selector by what access points are, and not by how they are at the moment: that would be a second condition, without a
 * time. Adds to `problems` if it is none.
 */
export function parseStaticSelector(
  text: string,
  problems: Problem[],
  loc: string[] = ['body', 'selector'],
): Selector | undefined {
  try {
    const selector = parseSelector(text);
    const { needsState, needsPower, needsConfig, metrics } = selector;
    if (!needsState && !needsPower && !needsConfig && metrics.length === 0) return selector;
    problems.push(valueError(loc, 'state:, power:, config: and metrics belong into the condition'));
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    problems.push(valueError(loc, `column ${error.column}: ${error.message}`));
  }
  return undefined;
}

function conditionProblems({ condition, clear }: AlarmRuleInput, readings: readonly string[]): Problem[] {
  const loc = ['body', 'condition'];
  const kind = kindOf(condition);
  if (kind === undefined) {
    return [
      valueError(loc, 'name what is watched: metric, absent_seconds, state, state_changes, share_of_site or weft'),
    ];
  }
  const [must, may] = condition.change === undefined ? fields[kind] : changeFields;
  const given = Object.keys(condition) as (keyof AlarmCondition)[];
  const problems = must
    .filter((field) => !given.includes(field))
    .map((field) => valueError([...loc, field], `a condition with ${must[0]} needs ${field}`));
  for (const field of given) {
    if (!must.includes(field) && !may.includes(field)) {
      problems.push(valueError([...loc, field], `a condition with ${must.slice(0, 2).join(' and ')} has no ${field}`));
    }
  }
  if (kind === 'metric' && condition.change === undefined && condition.value === undefined && !condition.other_metric) {
    problems.push(valueError([...loc, 'value'], 'compare the metric with a value or with other_metric'));
  }
  if (condition.times !== undefined && condition.other_metric === undefined) {
    problems.push(valueError([...loc, 'times'], 'times is the factor of other_metric'));
  }
  if (condition.weft !== undefined && !readings.includes(condition.weft)) {
    problems.push(valueError([...loc, 'weft'], `the readings of Weft are ${readings.join(', ')}`));
  }
  return [...problems, ...clearProblems(condition, kind, clear)];
}

function clearProblems(condition: AlarmCondition, kind: ConditionKind, clear: AlarmClear | undefined): Problem[] {
  if (clear?.value === undefined) return [];
  const loc = ['body', 'clear', 'value'];
  if (kind !== 'metric' && kind !== 'share_of_site' && kind !== 'weft') {
    return [valueError(loc, 'this condition has no limit, so that it clears by time alone')];
  }
  const op = (condition.change === undefined ? condition.op : '>') as Operator | undefined;
  const limit = condition.value ?? 0;
  if (op === undefined || isHysteresis(op, limit, clear.value)) return [];
  const side = op.startsWith('>') ? 'at most' : op.startsWith('<') ? 'at least' : 'exactly';
  return [valueError(loc, `with ${op} ${limit} it must be ${side} ${limit}, or it would fire and clear at once`)];
}

function defaultMessage(condition: AlarmCondition): string {
  const { metric, op, other_metric, change, within_seconds, absent_seconds, state, over_seconds } = condition;
  if (change !== undefined) {
    const moved = change === '>' ? 'rose' : change === '<' ? 'fell' : 'moved';
    return `{name}: ${metric} ${moved} by {value} within ${within_seconds} s`;
  }
  const mean = over_seconds === undefined ? '' : ` (mean of ${over_seconds} s)`;
  if (other_metric !== undefined) return `{name}: ${metric} ${op} ${other_metric}${mean}, by {value}`;
  if (metric !== undefined) return `{name}: ${metric} is {value}${mean}, limit {limit}`;
  if (absent_seconds !== undefined) return `{name}: no report for ${absent_seconds} s`;
  if (condition.share_of_site) return `{site}: {count} of {of} access points are ${condition.share_of_site.state}`;
  if (condition.weft !== undefined) return `${condition.weft} is {value}, limit {limit}`;
  if (condition.state_changes !== undefined) return '{name} goes away and comes back again and again ({value} times)';
  return `{name} is ${state}`;
}
