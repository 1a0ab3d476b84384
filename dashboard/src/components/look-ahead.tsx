// What can be asked before something is sent: a list that the lab fills, as routes are. Without the lab it is empty,
// and pages only send. What was found goes on in their charts, as a ghost of each metric, and on the map, as what was
// planned.
import { signal } from '@preact/signals';
import { parseObject } from '@weft/contract/is-object';
import type { ComponentChildren } from 'preact';
import type { Amount } from '../api/client.ts';
import { keep, readKept } from '../data/kept.ts';
import { Button } from './button.tsx';
import type { ChartLine } from './chart/chart-shape.ts';

export interface AskedCommand {
  agent_id: string;
  /** As `send_command` takes it. */
  command: string;
}

export interface LookAhead {
  name: string;
  /** On its button. */
  words: string;
  isBusy: boolean;
  ask: (commands: readonly AskedCommand[]) => Promise<void>;
  /** What it shows below the buttons. */
  brief: ComponentChildren;
}

/** Hooks, filled before the first page is drawn. */
export const lookAheads: (() => LookAhead)[] = [];

/** For a page that sends commands; what they find is its forecast until it is left. */
export function useLookAheads(): LookAhead[] {
  return lookAheads.map((useOne) => useOne());
}

interface LookAheadButtonsProps {
  ways: readonly LookAhead[];
  disabled?: boolean;
  commands: () => readonly AskedCommand[];
}

export function LookAheadButtons({ ways, disabled = false, commands }: LookAheadButtonsProps) {
  return ways.map(({ name, words, isBusy, ask }) => (
    <Button key={name} icon="emulator" {...{ words, isBusy, disabled }} onClick={() => ask(commands())} />
  ));
}

export interface Forecast {
  /** When it was asked for, in seconds since 1970. */
  at: number;
  minutes: number;
  /** Undefined where nothing is known. */
  expected: (ap_id: string, metric: string) => Amount | undefined;
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
  { at, expected }: Pick<Forecast, 'at' | 'expected'>,
  ahead: number,
): Map<string, ChartLine> {
  const times = Array.from({ length: points }, (_, index) => at + (ahead * index) / (points - 1));
  const level = (value: number) => times.map(() => value);
  const ghosts = [...lines].flatMap(([name, { label }]): [string, ChartLine][] => {
    const amount = expected(ap_id, name);
    if (!amount) return [];
    const [low, high] = amount.range ?? [amount.mean, amount.mean];
    const ghost = { name: `${name} ahead`, label: `${label}, if sent`, ghostOf: name, times };
    return [[name, { ...ghost, values: level(amount.mean), lows: level(low!), highs: level(high!) }]];
  });
  return new Map(ghosts);
}

/** Devices that would change their access point. */
export interface PlannedMove {
  from: string;
  /** Absent: no access point. */
  to?: string;
  /** How many, with their range. */
  words: string;
}

export interface PlannedDifference {
  commands: AskedCommand[];
  after_seconds: number;
  moves: PlannedMove[];
}

const key = 'weft.radio-difference';

/** On its way to the map it is in this tab: an address has no room for a hundred commands. */
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
