// How a list of agents is ordered, and where it goes on: the key of the field that it is sorted by, then the ap_id.
import { invalidValue } from '../../base/input/value-rules.ts';
import { compareKeys, type SortKey } from '../../base/lists/list-cursor.ts';
import { type AgentRow, byApId } from '../../network/agent-rows.ts';
import type { NetworkMoment } from '../../network/network.ts';

export interface ListOrder {
  field: string;
  isDescending: boolean;
  /** Undefined for a field of the record. */
  metric: string | undefined;
  /** Its keys change while nobody changes anything: pages are of one moment. */
  isVolatile: boolean;
  /** Its keys are numbers, or null. */
  isNumeric: boolean;
}

type KeyOf = (agent: AgentRow, moment: NetworkMoment) => SortKey;

/** The worst last; what was never there, or is over, is not bad. */
const stateOrder = ['ended', 'never', 'online', 'late', 'offline'];

/** The same, of the words for health. */
const healthOrder = ['', 'good', 'unknown', 'degraded', 'bad'];

const fields: Record<string, { keyOf: KeyOf; isVolatile?: true; isNumeric?: true }> = {
  ap_id: { keyOf: ({ ap_id }) => ap_id },
  name: { keyOf: nameKeyOf },
  id: { keyOf: ({ id }) => id },
  display_name: { keyOf: ({ display_name }) => display_name },
  site: { keyOf: ({ site }) => site },
  access_point_type: { keyOf: ({ access_point_type }) => access_point_type },
  onboard: { keyOf: ({ onboard }) => Number(onboard) },
  emulated: { keyOf: ({ emulated_for }) => Number(emulated_for !== null) },
  created_at: { keyOf: ({ created_at }) => created_at },
  tags: { keyOf: ({ tags }) => tags[0] ?? null },
  state: { keyOf: (agent, moment) => stateOrder.indexOf(moment.stateOf(agent)), isVolatile: true, isNumeric: true },
  health: {
    keyOf: (agent, moment) => healthOrder.indexOf(moment.healthOf(agent) ?? ''),
    isVolatile: true,
    isNumeric: true,
  },
  power_state: { keyOf: (agent, moment) => moment.powerOf(agent), isVolatile: true },
  last_seen: { keyOf: (agent, moment) => moment.lastSeenOf(agent), isVolatile: true, isNumeric: true },
};

/** Sorted as text it comes where people look for it: `ap-2` before `ap-10`, capitals beside small letters. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replaceAll(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(10, '0'));
}

/** To sort many compares each with many. */
const nameKeys = new WeakMap<AgentRow, string>();

function nameKeyOf(agent: AgentRow): string {
  let key = nameKeys.get(agent);
  if (key === undefined) {
    key = naturalKey(agent.display_name ?? agent.ap_id);
    nameKeys.set(agent, key);
  }
  return key;
}

const maxFieldLength = 128;

/** `field` or `-field`; what is no field of the record is a metric. Throws ValidationError. */
export function readOrder(sort = 'ap_id'): ListOrder {
  const isDescending = sort.startsWith('-');
  const field = isDescending ? sort.slice(1) : sort;
  if (field === '' || field.length > maxFieldLength) {
    throw invalidValue(
      ['query', 'sort'],
      'should be the name of a field or of a metric, after - for the largest first',
    );
  }
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return {
    field,
    isDescending,
    metric: known ? undefined : field,
    isVolatile: known?.isVolatile ?? !known,
    isNumeric: known?.isNumeric ?? !known,
  };
}

/** Where the field of an order says nothing: as people look for them. */
export const nameOrder = readOrder('name');

/** Of an order that only records decide. */
export function recordKeyOf({ field }: ListOrder): (agent: AgentRow) => SortKey {
  return fields[field]!.keyOf as (agent: AgentRow) => SortKey;
}

export function createKeyOf({ field, metric }: ListOrder, moment: NetworkMoment): (agent: AgentRow) => SortKey {
  if (metric !== undefined) {
    const newest = moment.metricOf(metric);
    return (agent) => newest(agent) ?? null;
  }
  const { keyOf } = fields[field]!;
  return (agent) => keyOf(agent, moment);
}

/** By the key, then by the name: the order of a list. */
export function compareEntries(
  a: { key: SortKey; ap_id: string },
  b: { key: SortKey; ap_id: string },
  isDescending: boolean,
): number {
  return compareKeys(a.key, b.key, isDescending) || byApId(a, b);
}
