// Why an alarm is not told to anybody: a silence, or another alarm that is its cause. Pure.
import type { Selectable } from '@weft/contract/selector';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import { pathsAbove } from '../engine/timed-condition.ts';
import { type CompiledSilence, type SilenceSubject, type SiteZone, silenceFor } from '../silences/active-silence.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';
import type { CompiledRule } from './compiled-rule.ts';

export interface MutingView {
  rule(id: string): CompiledRule | undefined;
  silences: readonly CompiledSilence[];
  agent(ap_id: string): AgentRow | undefined;
  /** The active alarm of a site by a rule, if there is one. */
  find(rule_id: string, subject_kind: string, subject: string): Pick<AlarmRecord, 'id'> | undefined;
  /** Rules whose alarms say that a site is away. */
  siteRules: readonly CompiledRule[];
  siteZone: SiteZone;
}

type Subject = Pick<AlarmRecord, 'rule_id' | 'rule' | 'subject_kind' | 'subject' | 'ap_id' | 'site'>;

/** Whether its alarms mean that what is below is away too. */
export function saysSiteIsAway({ record }: CompiledRule): boolean {
  const state = record.rule.condition.share_of_site?.state;
  return state === 'offline' || state === 'late';
}

export function silencedBy(alarm: Subject, view: MutingView, nowMs: number): string | null {
  return silenceFor(view.silences, toSilenceSubject(alarm, view), nowMs, view.siteZone);
}

/** The alarm of the highest site above it that is away, for alarms that only say that something is away too. */
export function causeOf({ rule_id, subject_kind, subject, site }: Subject, view: MutingView): string | null {
  if (site === null) return null;
  const rule = view.rule(rule_id);
  if (!rule || (subject_kind === 'agent' && !isAboutPresence(rule))) return null;
  if (subject_kind !== 'agent' && subject_kind !== 'site') return null;
  for (const path of pathsAbove(site)) {
    if (subject_kind === 'site' && path === subject) return null;
    for (const { id } of view.siteRules) {
      const cause = view.find(id, 'site', path);
      if (cause) return cause.id;
    }
  }
  return null;
}

function isAboutPresence({ kind }: CompiledRule): boolean {
  return kind === 'state' || kind === 'absent' || kind === 'state_changes';
}

function toSilenceSubject({ rule, ap_id, site }: Subject, view: MutingView): SilenceSubject {
  const nobody: Selectable = {
    ap_id: ap_id ?? '',
    display_name: null,
    site,
    tags: [],
    access_point_type: null,
  };
  return { rule, agent: (ap_id === null ? undefined : view.agent(ap_id)) ?? nobody };
}
