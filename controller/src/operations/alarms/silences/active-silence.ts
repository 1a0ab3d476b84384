// Whether a silence applies: to what, and when. Pure.
import { matchesGlob } from '@weft/contract/glob';
import { matchesSelector, parseSelector, type Selectable, type Selector } from '@weft/contract/selector';
import type { SilenceRecord } from '../store/rule-store.ts';
import { isTimeZone, type OpenWindow, weeklyWindowAt } from './weekly-window.ts';

export interface CompiledSilence {
  record: SilenceRecord;
  /** Whether it was open at a moment, by zone: a round asks for thousands of alarms at once. */
  asked: { atMs: number; byZone: Map<string | undefined, boolean> };
  selector: Selector;
  /** Undefined: everywhere. */
  within: Selector[] | undefined;
}

/** What an alarm is about, as silences see it. */
export interface SilenceSubject {
  rule: string;
  /** For a site, and for Weft itself, an access point of no name. */
  agent: Selectable;
}

/** The zone of a site, or of the nearest above it that has one; undefined where none has. */
export type SiteZone = (site: string | null) => string | undefined;

export function compileSilence(record: SilenceRecord): CompiledSilence {
  const { selector = '', within } = record.silence;
  return {
    record,
    selector: parseSelector(selector),
    within: within?.map(parseSelector),
    asked: { atMs: Number.NaN, byZone: new Map() },
  };
}

/** The id of the first silence that applies now, or null. */
export function silenceFor(
  silences: readonly CompiledSilence[],
  subject: SilenceSubject,
  nowMs: number,
  siteZone: SiteZone,
): string | null {
  for (const silence of silences) {
    const { rules = ['*'] } = silence.record.silence;
    if (!isOpenAt(silence, nowMs, siteZone(subject.agent.site))) continue;
    if (!rules.some((pattern) => matchesGlob(pattern, subject.rule))) continue;
    if (isAbout(silence, subject.agent)) return silence.record.id;
  }
  return null;
}

/** Rights do not depend on display names. */
export function isAbout({ selector, within }: CompiledSilence, agent: Selectable): boolean {
  if (!matchesSelector(selector, agent)) return false;
  return !within || within.some((granted) => matchesSelector(granted, { ...agent, display_name: null }));
}

/** The window that is open or opens next, if any. */
export function nextWindow({ silence }: SilenceRecord, nowMs: number, ofSite?: string): OpenWindow | undefined {
  const fromMs = silence.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(silence.from);
  const untilMs = silence.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(silence.until);
  if (nowMs >= untilMs) return undefined;
  if (!silence.weekly) return { fromMs, untilMs };
  const window = weeklyWindowAt(silence.weekly, zoneOf(silence.time_zone, ofSite), Math.max(nowMs, fromMs));
  if (window.fromMs >= untilMs) return undefined;
  return { fromMs: Math.max(window.fromMs, fromMs), untilMs: Math.min(window.untilMs, untilMs) };
}

function isOpenAt({ record, asked }: CompiledSilence, nowMs: number, ofSite: string | undefined): boolean {
  if (asked.atMs !== nowMs) {
    asked.atMs = nowMs;
    asked.byZone.clear();
  }
  const known = asked.byZone.get(ofSite);
  if (known !== undefined) return known;
  const isNow = isOpen(record, nowMs, ofSite);
  asked.byZone.set(ofSite, isNow);
  return isNow;
}

function isOpen(record: SilenceRecord, nowMs: number, ofSite: string | undefined): boolean {
  const window = nextWindow(record, nowMs, ofSite);
  return window !== undefined && window.fromMs <= nowMs && nowMs < window.untilMs;
}

function zoneOf(time_zone: string | undefined, ofSite: string | undefined): string {
  const zone = time_zone === undefined || time_zone === 'site' ? ofSite : time_zone;
  return zone !== undefined && isTimeZone(zone) ? zone : 'UTC';
}
