// A stored rule, ready to be evaluated: its selector parsed, its condition compiled; and the sentence for people.
import { parseSelector, type Selector } from '@weft/contract/selector';
import { MetricCondition } from '../engine/metric-condition.ts';
import { type ConditionKind, kindOf } from '../rules/parse-rule.ts';
import type { RuleRecord } from '../store/rule-store.ts';

export interface CompiledRule {
  id: string;
  record: RuleRecord;
  kind: ConditionKind;
  selector: Selector;
  /** Of rules on metrics. */
  condition: MetricCondition | undefined;
}

export function compileRule(record: RuleRecord): CompiledRule {
  const { rule } = record;
  const kind = kindOf(rule.condition)!;
  return {
    id: record.id,
    record,
    kind,
    selector: parseSelector(rule.selector),
    condition: kind === 'metric' ? new MetricCondition(rule) : undefined,
  };
}

export interface MessageValues {
  name: string;
  ap_id: string;
  site: string;
  value: number;
  of?: number | undefined;
}

const maxMessageLength = 1000;

/** Unknown places stay as they are: a message is never refused once its rule was taken. */
export function toMessage({ rule }: RuleRecord, { name, ap_id, site, value, of }: MessageValues): string {
  const { metric = '', value: limit } = rule.condition;
  const places: Record<string, string> = {
    name,
    ap_id,
    site,
    metric,
    value: shown(value),
    limit: String(limit ?? 0),
    share: `${shown(value * 100)} %`,
    count: shown(Math.round(value * (of ?? 1))),
    of: shown(of ?? 0),
  };
  return rule.message
    .replace(/\{([a-z_]+)\}/g, (place, key: string) => (Object.hasOwn(places, key) ? places[key]! : place))
    .slice(0, maxMessageLength);
}

/** Three digits say all that a person acts on. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return '?';
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}
