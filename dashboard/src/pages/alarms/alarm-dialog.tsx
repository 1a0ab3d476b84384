// Acknowledges, shelves or clears one alarm or many, with a note.
import { call } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import type { Alarm } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { withAgentName } from '../../data/agent-names.ts';
import { queries } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { alarmsText as text } from '../../text/alarms.ts';
import { componentText } from '../../text/components.ts';

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
          <SelectField
            form={form}
            name="seconds"
            label={text.shelfTime}
            options={Object.entries(text.shelfTimes).map(([value, label]) => ({ value, label }))}
          />
        )}
        <TextField form={form} name="note" label={text.note} hint={text.noteHint} isOptional />
        <div class="cluster">
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {verb}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {componentText.cancel}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
