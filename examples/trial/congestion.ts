// The congestion of a network during a trial, minute by minute.
import type { Technology } from '@weft/sdk';
import type { Course, Moment } from './course.ts';
import { lineOver, meanOf } from './panel.ts';

export interface Congestion {
  /** The maximum load of any access point in a minute, averaged over all minutes; 0 to 1. */
  fullest: number;
  /** The 95th percentile of the loads of all access points in all minutes. */
  load95: number;
  /** Share of the time of all access points in which they were above 90 %. */
  overloaded: number;
  waitingMbit: number;
  worstMinuteMbit: number;
  /** Devices without service, averaged over time. */
  unserved: number;
}

const overloadedAbove = 0.9;

export function congestionOf(course: Course): Congestion {
  const { moments, devices, technologies } = course;
  const byMinute = (of: (minute: readonly Moment[]) => number) => lineOver(course, 60, of, Number).map(([, y]) => y);
  const all = technologies.flatMap((_, index) => byMinute(meanOf(({ loads }) => loads[index]!)));
  const waiting = byMinute(meanOf(({ backlog_mbit }) => backlog_mbit));
  const fullest = byMinute((minute) => Math.max(...loadsOver(minute)));
  return {
    fullest: fullest.reduce((sum, load) => sum + load, 0) / fullest.length,
    load95: all.toSorted((a, b) => a - b)[Math.floor(0.95 * all.length)]!,
    overloaded: all.filter((load) => load > overloadedAbove).length / all.length,
    waitingMbit: meanOf(({ backlog_mbit }) => backlog_mbit)(moments),
    worstMinuteMbit: Math.max(...waiting),
    unserved: meanOf(({ served_devices }) => devices - served_devices)(moments),
  };
}

/** The load of the fullest access point of a technology over some moments. */
export function fullestOf({ technologies }: Course, technology: Technology): (part: readonly Moment[]) => number {
  return (part) => Math.max(...loadsOver(part).filter((_, index) => technologies[index] === technology));
}

function loadsOver(part: readonly Moment[]): number[] {
  return part[0]!.loads.map((_, index) => meanOf(({ loads }) => loads[index]!)(part));
}
