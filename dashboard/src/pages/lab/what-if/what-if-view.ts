// What a look ahead has shown, as charts and tables need it. Pure.
import type { Amount, Comparison, TakeOver, WhatIfAnswer } from '../../../api/client.ts';
import type { PlannedMove } from '../../../components/look-ahead.tsx';
import { formatNumber } from '../../../format.ts';

export interface Change {
  agent_id: string;
  metric: string;
  with: Amount;
  without: Amount;
  change: Amount;
  /** The interval of the difference excludes zero. */
  isCertain: boolean;
  /** How much of itself it changes by; what the table is sorted by. */
  weight: number;
}

type Side = 'with' | 'without' | 'change';
/** Of a metric that may be without a measurement. */
type MetricComparison = Partial<Record<Side, number>> & {
  plus_minus?: Partial<Record<Side, number>>;
  range?: Partial<Record<Side, number[]>>;
};

const thin = '\u2009';

/** One side of a comparison; undefined where nothing was measured. */
export function amountOf(comparison: Comparison | MetricComparison, side: Side): Amount | undefined {
  const mean = comparison[side];
  if (mean === undefined) return undefined;
  const plus_minus = comparison.plus_minus?.[side];
  const range = comparison.range?.[side];
  return { mean, ...(plus_minus !== undefined && { plus_minus }), ...(range && { range }) };
}

/** Whether it differs from zero for sure; without an interval it is what happens, or all that is known. */
export function isCertain({ mean, plus_minus = 0 }: Amount): boolean {
  return Math.abs(mean) > plus_minus;
}

/** `1.9 (0.1 to 3.7) W`: no more digits than the range allows, and no more than `mostDigits` after the point. */
export function formatAmount({ mean, range: [low, high] = [mean, mean] }: Amount, unit = '', mostDigits = 4): string {
  const after = unit === '' ? '' : `${thin}${unit}`;
  if (high! <= low!) return `${formatNumber(mean)}${after}`;
  const digits = Math.max(0, Math.min(mostDigits, 1 - Math.floor(Math.log10((high! - low!) / 2))));
  const [from, to] = [formatNumber(low!, digits), formatNumber(high!, digits)];
  if (from === to) return `${formatNumber(mean, digits)}${after}`;
  return `${formatNumber(mean, digits)}${thin}(${from} to ${to})${after}`;
}

/** With a plus before what grows. */
export function formatChange(amount: Amount, unit = '', mostDigits?: number): string {
  const written = formatAmount(amount, unit, mostDigits);
  return amount.mean > 0 && /^[^(]*[1-9]/.test(written) ? `+${written}` : written;
}

/** Fewer devices than this are passers-by. */
const notableDevices = 0.1;

/** The access points to which it matters, and the devices that remain without one, if that is more than chance. */
export function notableReceivers({ to, others, unserved }: TakeOver): Partial<TakeOver> & Pick<TakeOver, 'to'> {
  const isNotable = ({ devices }: { devices: Amount }) => Math.abs(devices.mean) >= notableDevices;
  return {
    to: to.filter(isNotable),
    ...(others && isNotable(others) && { others }),
    ...((isCertain(unserved) || isNotable({ devices: unserved })) && { unserved }),
  };
}

/** As many arrows as can be told apart. */
const maxMoves = 30;

/** Who goes where on balance, each pair once, most first, however many of both get commands; and who is left without any. */
export function movesIn({ took_over }: Pick<WhatIfAnswer, 'took_over'>): PlannedMove[] {
  const moves = new Map<string, Omit<PlannedMove, 'words'> & { devices: Amount }>();
  for (const takeOver of took_over) {
    const { to, unserved } = notableReceivers(takeOver);
    for (const { agent_id, devices } of to) {
      const ends = { from: takeOver.agent_id, to: agent_id, devices };
      const move = devices.mean > 0 ? ends : { from: ends.to, to: ends.from, devices: negated(devices) };
      moves.set(`${move.from} ${move.to}`, move);
    }
    if (unserved && unserved.mean > 0) {
      moves.set(takeOver.agent_id, { from: takeOver.agent_id, devices: unserved });
    }
  }
  return [...moves.values()]
    .sort((a, b) => b.devices.mean - a.devices.mean)
    .slice(0, maxMoves)
    .map(({ devices, ...ends }) => ({ ...ends, words: formatAmount(devices, '', 1) }));
}

/** The same the other way round. */
export function negated({ mean, range, ...rest }: Amount): Amount {
  return { ...rest, mean: -mean, ...(range && { range: range.map((end) => -end).reverse() }) };
}

/**
 * The metrics that change most: what is certain before what is not, then the largest part of themselves; small figures that
 * only tremble come last. A few of each access point, so that neighbours come into sight too.
 */
export function biggestChanges({ agents }: Pick<WhatIfAnswer, 'agents'>, count: number, perAgent = 3): Change[] {
  const byWeight = (a: Change, b: Change) => Number(b.isCertain) - Number(a.isCertain) || b.weight - a.weight;
  const changes = agents.flatMap(({ agent_id, metrics }) =>
    Object.entries(metrics)
      .flatMap(([metric, value]): Change[] => {
        const comparison = (value ?? {}) as MetricComparison;
        const [after, without, change] = (['with', 'without', 'change'] as const).map((side) =>
          amountOf(comparison, side),
        );
        if (!after || !without || !change || change.mean === 0) return [];
        const scale = Math.max(Math.abs(after.mean), Math.abs(without.mean), 1);
        const weight = Math.abs(change.mean) / scale;
        return [{ agent_id, metric, with: after, without, change, isCertain: isCertain(change), weight }];
      })
      .sort(byWeight)
      .slice(0, perAgent),
  );
  return changes.sort(byWeight).slice(0, count);
}
