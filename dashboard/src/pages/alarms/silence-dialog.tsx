// Creates a silence: which access points, which rules, once or every week.
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Field, SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, type FormState, useForm } from '../../components/forms/form.tsx';
import { SelectorField } from '../../components/forms/selector-field.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { serverNow } from '../../data/server-clock.ts';
import { queries } from '../../data/use-operation.ts';
import { toLocalMoment } from '../../format/local-moment.ts';
import { alarmsText } from '../../text/alarms.ts';
import { emptySilence, ownZone, type SilenceValues, toSilence, weekdays } from './silence-form.ts';

const text = alarmsText.silences;
const twoHoursMs = 7_200_000;

interface SilenceDialogProps {
  /** What it is about at first. */
  selector?: string;
  onClose: () => void;
}

export function SilenceDialog({ selector = '', onClose }: SilenceDialogProps) {
  const form = useForm<SilenceValues>({
    ...emptySilence,
    selector,
    from: toLocalMoment(serverNow()).slice(0, 16),
    until: toLocalMoment(serverNow() + twoHoursMs).slice(0, 16),
  });
  const close = useUnsavedDialog(form, onClose);
  const { kind, days } = form.values.value;
  const submit = async (values: SilenceValues) => {
    const problem = problemOf(values);
    if (problem) {
      form.problems.value = problem;
      return;
    }
    await call('create_silence', { json: toSilence(values) });
    queries.refresh('list_silences');
    queries.refresh('list_alarms');
    showToast({ title: text.saved });
    onClose();
  };
  return (
    <Dialog title={text.title} width="wide" onClose={close}>
      <Form form={form} label={text.title} onSubmit={submit}>
        <SelectorField form={form} name="selector" label={text.selector} />
        {form.values.value.selector.trim() === '' && (
          <Notice kind="warning" title={text.everything}>
            {text.everythingWords}
          </Notice>
        )}
        <TextField form={form} name="rules" label={text.rules} hint={text.rulesHint} rows={2} isMono />
        <SelectField
          form={form}
          name="kind"
          label={text.kind}
          options={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
        />
        {kind === 'once' ? (
          <>
            <div class="field-row">
              <TimeField form={form} name="from" label={text.from} type="datetime-local" />
              <TimeField form={form} name="until" label={text.until} type="datetime-local" />
            </div>
            <p class="soft small">{text.ownZone(ownZone())}</p>
          </>
        ) : (
          <>
            <fieldset class="day-choice">
              <legend>{text.days}</legend>
              {weekdays.map((day) => (
                <label key={day}>
                  <input
                    type="checkbox"
                    checked={days.split(' ').includes(day)}
                    onChange={({ currentTarget: { checked } }) => {
                      const others = days.split(' ').filter((other) => other !== day);
                      form.set('days', (checked ? [...others, day] : others).join(' '));
                    }}
                  />
                  {text.dayNames[day]}
                </label>
              ))}
              {form.problems.value.days && (
                <p class="is-warning" role="alert">
                  {form.problems.value.days}
                </p>
              )}
            </fieldset>
            <div class="field-row">
              <TimeField form={form} name="time_from" label={text.from} type="time" />
              <TimeField form={form} name="time_until" label={text.until} type="time" />
              <TextField form={form} name="time_zone" label={text.zone} hint={text.zoneHint} />
            </div>
          </>
        )}
        <TextField form={form} name="comment" label={text.comment} hint={text.commentHint} isOptional />
        <div class="cluster">
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function problemOf({ kind, days, from, until }: SilenceValues): Record<string, string> | undefined {
  if (kind === 'weekly') return days.trim() === '' ? { days: text.noDay } : undefined;
  return from === '' || until === '' ? { [from === '' ? 'from' : 'until']: text.noEnd } : undefined;
}

interface TimeFieldProps {
  form: FormState<SilenceValues>;
  name: keyof SilenceValues;
  label: string;
  type: 'time' | 'datetime-local';
}

function TimeField({ form, name, label, type }: TimeFieldProps) {
  return (
    <Field form={form} name={name} label={label}>
      {(attributes) => (
        <input
          class="input"
          type={type}
          value={form.values.value[name]}
          onInput={(event) => form.set(name, event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  );
}
