// How a list of agents is ordered, and where it goes on: the key of the field that it is sorted by, then the ap_id.
import { invalidValue } from '../../input/value-rules.ts';
import { byApId, type IndexedAgent } from '../index/fleet-index.ts';
import type { FleetMoment } from '../index/fleet-view.ts';

/** Null stands last, in both directions. */
export type SortKey = string | number | null;

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

type KeyOf = (agent: IndexedAgent, moment: FleetMoment) => SortKey;

/** The worst last; what was never there, or is over, is not bad. */
const stateOrder = ['ended', 'never', 'online', 'late', 'offline'];

/** The same, of the words for health. */
const healthOrder = ['', 'good', 'unknown', 'degraded', 'bad'];

const fields: Record<string, { keyOf: KeyOf; isVolatile?: true; isNumeric?: true }> = {
  ap_id: { keyOf: ({ ap_id }) => ap_id },
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

/** Of an order that only records decide. */
export function recordKeyOf({ field }: ListOrder): (agent: IndexedAgent) => SortKey {
  return fields[field]!.keyOf as (agent: IndexedAgent) => SortKey;
}

export function createKeyOf({ field, metric }: ListOrder, moment: FleetMoment): (agent: IndexedAgent) => SortKey {
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

/** Negative if the first comes first; ties are the caller's. */
export function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b === isDescending ? 1 : -1;
}

/**
 * The first `count` of what it is given, in order, in little memory: a heap with the last of them on top, so that most of what
 * comes is compared once and dropped.
 */
export class FirstOnes<T> {
  readonly #heap: T[] = [];
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  /** The last of as many as wanted; undefined until there are so many. */
  get last(): T | undefined {
    return this.#heap.length < this.#count ? undefined : this.#heap[0];
  }

  add(item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#count) {
      heap.push(item);
      this.#rise(heap.length - 1);
    } else if (this.#compare(item, heap[0]!) < 0) {
      heap[0] = item;
      this.#sink();
    }
  }

  take(): T[] {
    return this.#heap.sort(this.#compare);
  }

  #rise(start: number): void {
    const heap = this.#heap;
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[at]!, heap[parent]!) <= 0) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(heap[child]!, heap[last]!) > 0) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last]!, heap[at]!];
      at = last;
    }
  }
}
