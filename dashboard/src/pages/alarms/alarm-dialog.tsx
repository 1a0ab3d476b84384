// One alarm as a line: how bad, what, where, since when, and what is known about it; and the dialog that acknowledges, shelves or
// clears one or many, with a note.
import type { ComponentChildren } from 'preact';
import { type Alarm, call, toFailure } from '../../api/client.ts';
import { AgentLink } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { showToast } from '../../components/feedback.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { SeverityChip } from '../../components/glyph.tsx';
import { withAgentName } from '../../data/agents.ts';
import { now } from '../../data/freshness.ts';
import { queries } from '../../data/use-operation.ts';
import { formatExactly, formatMoment, formatNumber, formatSpan } from '../../format.ts';
import { alarmsText as text } from '../../text/alarms.ts';
import { componentText } from '../../text/components.ts';

export function AlarmWords({ alarm, children }: { alarm: Alarm; children?: ComponentChildren }) {
  const { severity, message, ap_id, site, subject, rule, note } = alarm;
  return (
    <>
      <SeverityChip severity={severity} />
      <div class="alarm-words">
        <span class="alarm-message">{withAgentName(message, ap_id)}</span>
        <span class="soft small">
          {ap_id === null ? <strong>{subject}</strong> : <AgentLink ap_id={ap_id} />}
          {site && site !== subject && ` · ${site}`} · {rule}
        </span>
        {note && <q class="small">{note}</q>}
        {children}
      </div>
      <AlarmState alarm={alarm} />
    </>
  );
}

function AlarmState({ alarm }: { alarm: Alarm }) {
  const { state, since, cleared_at, acknowledged_by, shelved_until, silenced_by, inhibited_by, inhibits } = alarm;
  const from = Date.parse(since);
  const isShelved = shelved_until !== null && Date.parse(shelved_until) > now.value;
  const more = [
    acknowledged_by !== null && text.acknowledgedBy(acknowledged_by),
    isShelved && text.shelvedUntil(formatMoment(shelved_until)),
    silenced_by !== null && text.silenced,
    inhibited_by !== null && text.inhibited,
    inhibits > 0 && text.inhibits(formatNumber(inhibits)),
  ].filter((words) => words !== false);
  return (
    <div class="alarm-state small">
      <time dateTime={since} title={formatExactly(from)}>
        {cleared_at === null
          ? text.since(formatSpan(Math.max(1, (now.value - from) / 1000)))
          : `${formatMoment(from)}, ${text.clearedAfter(formatSpan((Date.parse(cleared_at) - from) / 1000, 2))}`}
      </time>
      {more.length > 0 ? (
        <span class="faint">{more.join(' · ')}</span>
      ) : (
        state === 'firing' && <strong>{text.states[state]}</strong>
      )}
    </div>
  );
}

export type AlarmAction = 'acknowledge' | 'shelve' | 'clear';

const maxListed = 5;
const words = {
  acknowledge: { title: text.acknowledgeTitle, action: text.acknowledge, done: text.acknowledged, hint: '' },
  shelve: { title: text.shelveTitle, action: text.shelve, done: text.shelved, hint: text.shelveWords },
  clear: { title: text.clearTitle, action: text.clearAlarm, done: text.cleared, hint: text.clearWords },
};

interface AlarmDialogProps {
  action: AlarmAction;
  alarms: readonly Alarm[];
  onClose: () => void;
  onDone: () => void;
}

export function AlarmDialog({ action, alarms, onClose, onDone }: AlarmDialogProps) {
  const form = useForm<{ note: string; seconds: string }>({ note: '', seconds: '14400' });
  const what = alarms.length === 1 ? text.alarm : text.alarms(formatNumber(alarms.length));
  const { title, action: verb, done, hint } = words[action];
  const submit = async ({ note, seconds }: { note: string; seconds: string }) => {
    const told = note.trim() === '' ? {} : { note: note.trim() };
    const results = await Promise.allSettled(
      alarms.map(async ({ id }) => {
        const path = { alarm_id: id };
        if (action === 'acknowledge') return await call('acknowledge_alarm', { path, json: told });
        if (action === 'clear') return await call('clear_alarm', { path, json: told });
        return await call('shelve_alarm', { path, json: { ...told, seconds: Number(seconds) } });
      }),
    );
    queries.refresh('list_alarms');
    const failed = results.filter((result) => result.status === 'rejected');
    if (failed.length === alarms.length) throw failed[0]!.reason;
    if (failed.length > 0) {
      const first = toFailure(failed[0]!.reason);
      const title = text.someFailed(formatNumber(failed.length), formatNumber(alarms.length));
      showToast({ kind: 'failure', title, detail: first.message });
    } else showToast({ title: done(what.charAt(0).toUpperCase() + what.slice(1)) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={title(what)} onClose={onClose}>
      <ul class="alarm-named">
        {alarms.slice(0, maxListed).map(({ id, message, ap_id }) => (
          <li key={id}>{withAgentName(message, ap_id)}</li>
        ))}
        {alarms.length > maxListed && (
          <li class="soft">{componentText.more(formatNumber(alarms.length - maxListed))}</li>
        )}
      </ul>
      {hint && <p class="soft">{hint}</p>}
      <Form form={form} label={verb} onSubmit={submit}>
        {action === 'shelve' && (
          <SelectField {...form.at('seconds')} label={text.shelfTime} options={text.shelfTimes} />
        )}
        <TextField {...form.at('note')} label={text.note} hint={text.noteHint} isOptional />
        <div class="cluster">
          <SubmitButton form={form}>{verb}</SubmitButton>
          <Button kind="quiet" onClick={onClose} words={componentText.cancel} />
        </div>
      </Form>
    </Dialog>
  );
}
