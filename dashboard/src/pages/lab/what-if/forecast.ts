// What the last what-if on this page has shown, for the charts beside it: each metric goes on as a ghost of itself; and its commands
// on their way to the map, kept in this tab, because an address has no room for a hundred of them.
import { signal } from '@preact/signals';
import { parseObject } from '@weft/contract/is-object';
import type { WhatIfRequest } from '@weft/contract/lab';
import type { Comparison, WhatIfAnswer } from '../../../api/client.ts';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { keep, readKept } from '../../../data/kept.ts';
import type { DrawnMove } from '../../../map/draw-moves.ts';
import { amountOf } from './what-if-view.ts';

export interface AskedCommand {
  agent_id: string;
  /** As `send_command` takes it. */
  command: string;
}

export interface Forecast {
  /** When it was asked for, in seconds since 1970. */
  at: number;
  answer: WhatIfAnswer;
}

export const forecast = signal<Forecast | undefined>(undefined);

/** How far ahead charts show it: never more than a third of what they show of the past. */
export function secondsAhead(windowSeconds: number, minutes: number): number {
  return Math.min(minutes * 60, windowSeconds / 3);
}

/** Means have no course: a ghost is level, with the range of what will be seen around it. */
const points = 5;

export function ghostLines(
  lines: ReadonlyMap<string, ChartLine>,
  ap_id: string,
  { at, answer }: Forecast,
  ahead: number,
): Map<string, ChartLine> {
  const metrics = answer.agents.find(({ agent_id }) => agent_id === ap_id)?.metrics ?? {};
  const times = Array.from({ length: points }, (_, index) => at + (ahead * index) / (points - 1));
  const ghosts = [...lines].flatMap(([name, { label }]): [string, ChartLine][] => {
    const expected = Object.hasOwn(metrics, name) ? amountOf(metrics[name] as Comparison, 'with') : undefined;
    if (!expected) return [];
    const level = (value: number) => times.map(() => value);
    const [low, high] = expected.range ?? [expected.mean, expected.mean];
    const ghost = { name: `${name} ahead`, label: `${label}, if sent`, ghostOf: name, times };
    return [[name, { ...ghost, values: level(expected.mean), lows: level(low!), highs: level(high!) }]];
  });
  return new Map(ghosts);
}

export type Extent = Omit<WhatIfRequest, 'job_number' | 'commands'>;

/** The answer is there within five seconds; of a network that is too large for this in that time, less is run ahead. */
export const soon: Extent = { minutes: 2, futures: 4, within_seconds: 4 };

export interface PlannedDifference {
  commands: AskedCommand[];
  after_seconds: number;
  moves: DrawnMove[];
}

const key = 'weft.radio-difference';

export function keepDifference(job_number: string, planned: PlannedDifference): void {
  keep('tab', key, JSON.stringify({ job_number, ...planned }));
}

/** Of the map that shows the effect of what was kept. */
export function differenceAddress(job_number: string, technology: string): string {
  const query = { network: job_number, radio: 'signal', radio_type: technology, difference: 'what-if' };
  return `/map?${new URLSearchParams(query)}`;
}

/** Undefined if nothing is kept for this network. */
export function readDifference(job_number: string): PlannedDifference | undefined {
  const found = parseObject(readKept('tab', key) ?? '') as (PlannedDifference & { job_number: string }) | undefined;
  if (found?.job_number !== job_number || !Array.isArray(found.commands)) return undefined;
  const { commands, after_seconds, moves } = found;
  return { commands, after_seconds, moves };
}
