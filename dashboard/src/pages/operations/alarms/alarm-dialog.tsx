// One alarm as a line: how bad, what, where, since when, and what is known about it; and the dialog that acknowledges, shelves or
// clears one or many, with a note.
import type { ComponentChildren } from 'preact';
import { type Alarm, call, toFailure } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { SeverityChip } from '../../../components/glyph.tsx';
import { withAgentName } from '../../../data/agents.ts';
import { now } from '../../../data/freshness.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatExactly, formatMoment, formatNumber, formatSpan } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import { alarmsText } from '../../../text/pages.ts';

const shelfTimes = { 3600: '1 hour', 14400: '4 hours', 86400: '1 day', 604800: '7 days' };

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
    acknowledged_by !== null && `acknowledged by ${acknowledged_by}`,
    isShelved && `shelved until ${formatMoment(shelved_until)}`,
    silenced_by !== null && 'silenced',
    inhibited_by !== null && 'follows from another alarm',
    inhibits > 0 && `${formatNumber(inhibits)} follow from it`,
  ].filter((words) => words !== false);
  return (
    <div class="alarm-state small">
      <time dateTime={since} title={formatExactly(from)}>
        {cleared_at === null
          ? `for ${formatSpan(Math.max(1, (now.value - from) / 1000))}`
          : `${formatMoment(from)}, cleared after ${formatSpan((Date.parse(cleared_at) - from) / 1000, 2)}`}
      </time>
      {more.length > 0 ? (
        <span class="faint">{more.join(' · ')}</span>
      ) : (
        state === 'firing' && <strong>{alarmsText.states[state]}</strong>
      )}
    </div>
  );
}

export type AlarmAction = 'acknowledge' | 'shelve' | 'clear';

const maxListed = 5;
const words = {
  acknowledge: { verb: alarmsText.acknowledge, done: 'acknowledged', hint: '' },
  shelve: {
    verb: alarmsText.shelve,
    done: 'shelved',
    hint: 'Nobody is told about it until then. It comes back by itself.',
  },
  clear: { verb: alarmsText.clearAlarm, done: 'cleared', hint: 'It fires again if its condition still holds.' },
};

interface AlarmDialogProps {
  action: AlarmAction;
  alarms: readonly Alarm[];
  onClose: () => void;
  onDone: () => void;
}

export function AlarmDialog({ action, alarms, onClose, onDone }: AlarmDialogProps) {
  const form = useForm<{ note: string; seconds: string }>({ note: '', seconds: '14400' });
  const what = alarms.length === 1 ? 'this alarm' : alarmsText.alarms(formatNumber(alarms.length));
  const { verb, done, hint } = words[action];
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
      const title = `${formatNumber(failed.length)} of ${formatNumber(alarms.length)} failed`;
      showToast({ kind: 'failure', title, detail: first.message });
    } else showToast({ title: `${what.charAt(0).toUpperCase() + what.slice(1)} ${done}` });
    onDone();
    onClose();
  };
  return (
    <Dialog title={`${verb} ${what}`} onClose={onClose}>
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
        {action === 'shelve' && <SelectField {...form.at('seconds')} label="For how long" options={shelfTimes} />}
        <TextField
          {...form.at('note')}
          label="Note"
          hint="What is known or done about it. All users can read it."
          isOptional
        />
        <div class="cluster">
          <SubmitButton form={form}>{verb}</SubmitButton>
          <Button kind="quiet" onClick={onClose} words={componentText.cancel} />
        </div>
      </Form>
    </Dialog>
  );
}
