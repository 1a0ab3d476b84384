// Silences and maintenance windows: which access points, which rules, once or every week, and by whom; and the dialog that creates
// one.
import { useState } from 'preact/hooks';
import { call, type Silence, type SilenceInput } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, Loading, Notice, showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField, TicksField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { SelectorField } from '../../../components/forms/selector-input.tsx';
import { serverNow } from '../../../data/freshness.ts';
import { queries, useIsManager, useOperation } from '../../../data/use-operation.ts';
import { formatMoment, fromLocalMoment, partsOf, toLocalMoment } from '../../../format.ts';
import { alarmsText } from '../../../text/pages.ts';

const text = {
  kinds: { once: 'once', weekly: 'every week' },
  from: 'From',
  until: 'Until',
  dayNames: { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' },
  remove: 'End',
};

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const emptySilence = {
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
export type SilenceValues = Record<keyof typeof emptySilence, string>;

export function toSilence(values: SilenceValues): SilenceInput {
  const rules = partsOf(values.rules, '\n');
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
  if (!weekly) return `${momentWords(from)} to ${momentWords(until)} (${ownZone()})`;
  const names = weekdays.filter((day) => weekly.days.includes(day)).map((day) => text.dayNames[day]);
  const days = names.length === weekdays.length ? 'day' : names.join(', ');
  return `every ${days}, ${weekly.from} to ${weekly.until} (${time_zone === 'site' ? "each site's time zone" : time_zone})`;
}

/** The zone in which this browser shows times. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isOver({ active, next }: Silence): boolean {
  return !active && next === null;
}

function momentWords(moment: string | undefined): string {
  return moment === undefined ? '…' : formatMoment(moment);
}

const twoHoursMs = 7_200_000;

export function SilenceDialog({ onClose }: { onClose: () => void }) {
  const form = useForm<SilenceValues>({
    ...emptySilence,
    from: toLocalMoment(serverNow()).slice(0, 16),
    until: toLocalMoment(serverNow() + twoHoursMs).slice(0, 16),
  });
  const { kind } = form.values.value;
  const submit = async (values: SilenceValues) => {
    const problem = problemOf(values);
    if (problem) return form.refuse(problem);
    await call('create_silence', { json: toSilence(values) });
    queries.refresh('list_silences', 'list_alarms');
    showToast({ title: 'Silence created' });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title="New silence" width="wide" onSubmit={submit}>
      <SelectorField {...form.at('selector')} label="Which access points" />
      {form.values.value.selector.trim() === '' && (
        <Notice
          kind="warning"
          title="This silences every access point"
          words="Name a site, tags or names to silence only those."
        />
      )}
      <TextField
        {...form.at('rules')}
        label="Which rules"
        hint="Names, one a line; * stands for any characters."
        rows={2}
        isMono
      />
      <SelectField {...form.at('kind')} label="When" options={text.kinds} />
      {kind === 'once' ? (
        <>
          <div class="field-row">
            <TextField {...form.at('from')} label={text.from} type="datetime-local" />
            <TextField {...form.at('until')} label={text.until} type="datetime-local" />
          </div>
          <p class="soft small">{`In the time zone of this browser: ${ownZone()}.`}</p>
        </>
      ) : (
        <>
          <TicksField {...form.at('days')} label="Days" options={text.dayNames} />
          <div class="field-row">
            <TextField {...form.at('time_from')} label={text.from} type="time" />
            <TextField {...form.at('time_until')} label={text.until} type="time" />
            <TextField
              {...form.at('time_zone')}
              label="Time zone"
              hint="site: each site has its own. Else a name such as Europe/London."
            />
          </div>
        </>
      )}
      <TextField {...form.at('comment')} label="Comment" hint="Why, for those who wonder." isOptional />
      <div class="cluster">
        <SubmitButton form={form}>Create silence</SubmitButton>
      </div>
    </FormDialog>
  );
}

function problemOf({ kind, days, from, until }: SilenceValues): Record<string, string> | undefined {
  if (kind === 'weekly') return days.trim() === '' ? { days: 'Choose at least one day' } : undefined;
  return from === '' || until === ''
    ? { [from === '' ? 'from' : 'until']: 'Choose when it begins and when it ends' }
    : undefined;
}

export function SilenceList() {
  const { data, failure } = useOperation('list_silences', {}, { pollMs: 15_000 });
  const [isCreating, setCreating] = useState(false);
  const [ending, setEnding] = useState<Silence | undefined>(undefined);
  const isManager = useIsManager();
  const create = isManager && (
    <Button icon="plus" kind="primary" onClick={() => setCreating(true)} words="New silence" />
  );
  return (
    <>
      <div class="spread">
        <p class="soft">
          While a silence applies, no notifications are sent for its access points. Alarms are still recorded.
        </p>
        {data && data.items.length > 0 && create}
      </div>
      <Loading data={data} failure={failure} again="list_silences" lines={4} />
      {data?.items.length === 0 && (
        <EmptyState
          title="No silences"
          actions={create}
          words="Silence a site during maintenance, once or every week, in its own time zone."
        />
      )}
      {data && data.items.length > 0 && (
        <ul class="card rule-list">
          {data.items.map((silence) => (
            <li key={silence.id} class={`rule-row ${isOver(silence) ? 'is-off' : ''}`}>
              <span class={silence.active ? 'is-warning' : 'faint'}>{stateWords(silence)}</span>
              <div class="rule-words">
                <span>
                  <strong>{silence.selector ? <code>{silence.selector}</code> : alarmsText.rules.everywhere}</strong> ·{' '}
                  {whenWords(silence)}
                </span>
                <span class="soft small">
                  {rulesWords(silence)} · {`by ${silence.created_by}`}
                  {silence.comment && ` · ${silence.comment}`}
                  {!silence.active &&
                    silence.next &&
                    ` · next: ${formatMoment(silence.next.from)} to ${formatMoment(silence.next.until)}`}
                </span>
              </div>
              {isManager && <Button size="small" onClick={() => setEnding(silence)} words={text.remove} />}
            </li>
          ))}
        </ul>
      )}
      {isCreating && <SilenceDialog onClose={() => setCreating(false)} />}
      {ending && (
        <ConfirmDialog
          title="End this silence?"
          action={text.remove}
          onClose={() => setEnding(undefined)}
          onConfirm={() => call('remove_silence', { path: { silence_id: ending.id } })}
          changes={['list_silences']}
          done="Silence ended"
          words="Who wants to know is told again at once."
        />
      )}
    </>
  );
}

function stateWords(silence: Silence): string {
  if (silence.active) return 'applies now';
  return isOver(silence) ? 'over' : '';
}

function rulesWords({ rules = ['*'] }: Silence): string {
  return rules.includes('*') ? 'all rules' : rules.join(', ');
}
