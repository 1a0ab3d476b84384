// Between the rules and the fields of their form. Pure. A field is named as the 422 names its place, so that the server's
// words stand beside it.
import type { ConflictRules, ParameterGroup } from '../../api/operations.ts';

export type RulesValues = Record<string, string>;

const groupFields = [
  'name',
  'technology',
  'parameters',
  'scope',
  'policy',
  'merge',
  'loser',
  'hold_s',
  'min_interval_ms',
];
const numbers = {
  interference_range_m: ['5G', 'WiFi', 'LiFi'],
  oscillation: ['reversals', 'window_s', 'freeze_s'],
  blast_radius: ['fraction', 'minimum', 'window_s'],
} as const;

export function toRulesValues(rules: ConflictRules): RulesValues {
  const values: RulesValues = {};
  for (const [index, group] of rules.groups.entries()) Object.assign(values, groupValues(group, index));
  for (const [part, keys] of Object.entries(numbers) as [keyof typeof numbers, readonly string[]][]) {
    for (const key of keys) values[`${part}.${key}`] = String((rules[part] as Record<string, number>)[key]);
  }
  return values;
}

export function toRules(values: RulesValues): ConflictRules {
  const groups = Array.from({ length: groupCount(values) }, (_, index) => toGroup(values, index));
  const parts = Object.entries(numbers).map(([part, keys]) => [
    part,
    Object.fromEntries(keys.map((key) => [key, toNumber(values[`${part}.${key}`] ?? '')])),
  ]);
  return { groups, ...Object.fromEntries(parts) } as ConflictRules;
}

export function groupCount(values: RulesValues): number {
  let count = 0;
  while (values[`groups.${count}.name`] !== undefined) count++;
  return count;
}

export function withGroup(values: RulesValues): RulesValues {
  const fresh: ParameterGroup = { name: '', technology: null, parameters: [], policy: 'priority' };
  return { ...values, ...groupValues(fresh, groupCount(values)) };
}

/** The groups behind it move up. */
export function withoutGroup(values: RulesValues, removed: number): RulesValues {
  const count = groupCount(values);
  const next: RulesValues = {};
  for (const [name, value] of Object.entries(values)) {
    if (!name.startsWith('groups.')) next[name] = value;
  }
  for (let index = 0, place = 0; index < count; index++) {
    if (index === removed) continue;
    for (const field of groupFields) next[`groups.${place}.${field}`] = values[`groups.${index}.${field}`] ?? '';
    place++;
  }
  return next;
}

function groupValues(group: ParameterGroup, index: number): RulesValues {
  const { name, technology, parameters, scope, policy, merge, loser, hold_s, min_interval_ms } = group;
  const texts: Record<string, string> = {
    name,
    technology: technology ?? '',
    parameters: parameters.join(', '),
    scope: scope ?? 'agent',
    policy,
    merge: merge ?? '',
    loser: loser ?? 'reject',
    hold_s: String(hold_s ?? 30),
    min_interval_ms: String(min_interval_ms ?? 1000),
  };
  return Object.fromEntries(Object.entries(texts).map(([field, value]) => [`groups.${index}.${field}`, value]));
}

function toGroup(values: RulesValues, index: number): ParameterGroup {
  const at = (field: string) => values[`groups.${index}.${field}`] ?? '';
  const isMerging = at('policy') === 'merge';
  return {
    name: at('name').trim(),
    technology: at('technology') === '' ? null : at('technology'),
    parameters: at('parameters')
      .split(/[,\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    scope: at('scope'),
    policy: at('policy'),
    ...(isMerging && at('merge') !== '' && { merge: at('merge') }),
    loser: at('loser'),
    hold_s: toNumber(at('hold_s')),
    min_interval_ms: toNumber(at('min_interval_ms')),
  } as ParameterGroup;
}

/** What is not a number goes to the server as it is, which says so. */
function toNumber(text: string): number | string {
  const number = Number(text.trim());
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}
