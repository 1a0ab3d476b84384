// A silence as a form: once or every week. Pure.
import type { Silence, SilenceInput } from '../../api/operations.ts';
import { fromLocalMoment } from '../../format/local-moment.ts';
import { formatMoment } from '../../format/times.ts';
import { alarmsText } from '../../text/alarms.ts';

const text = alarmsText.silences;
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type SilenceValues = Record<
  | 'selector'
  | 'rules'
  | 'kind'
  | 'from'
  | 'until'
  | 'weekly'
  | 'days'
  | 'time_from'
  | 'time_until'
  | 'time_zone'
  | 'comment',
  string
>;

export const emptySilence: SilenceValues = {
  selector: '',
  rules: '*',
  kind: 'once',
  from: '',
  until: '',
  // What the server says about the whole of it belongs here.
  weekly: '',
  days: 'sun',
  time_from: '02:00',
  time_until: '05:00',
  time_zone: 'site',
  comment: '',
};

export function toSilence(values: SilenceValues): SilenceInput {
  const rules = values.rules
    .split('\n')
    .map((name) => name.trim())
    .filter(Boolean);
  const shared = {
    selector: values.selector.trim(),
    rules: rules.length === 0 ? ['*'] : rules,
    ...(values.comment.trim() !== '' && { comment: values.comment.trim() }),
  };
  if (values.kind === 'once') {
    return { ...shared, from: fromLocalMoment(values.from), until: fromLocalMoment(values.until) };
  }
  const days = weekdays.filter((day) => values.days.split(' ').includes(day));
  return {
    ...shared,
    weekly: { days, from: values.time_from, until: values.time_until },
    time_zone: values.time_zone.trim() || 'site',
  };
}

export function whenWords({ weekly, from, until, time_zone = 'site' }: Omit<Silence, 'selector'>): string {
  if (!weekly) return text.once(momentWords(from), momentWords(until), ownZone());
  const names = weekdays.filter((day) => weekly.days.includes(day)).map((day) => text.dayNames[day]);
  const days = names.length === weekdays.length ? text.everyDay : names.join(', ');
  return text.weekly(days, weekly.from, weekly.until, time_zone === 'site' ? text.siteZone : time_zone);
}

/** The zone in which this browser shows times. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isOver({ active, next }: Silence): boolean {
  return !active && next === null;
}

function momentWords(moment: string | undefined): string {
  return moment === undefined ? '…' : formatMoment(Date.parse(moment));
}
