// Asks for the data of an agent over a span of time, which may end in the future.
import { useId } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { MomentField } from '../../components/forms/moment-field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useFocus } from '../../components/overlays/use-focus.ts';
import { serverNow } from '../../data/server-clock.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { fromLocalMoment, toLocalMoment } from '../../format/local-moment.ts';
import { navigate } from '../../router/location.ts';
import { jobsText } from '../../text/jobs.ts';

const minuteMs = 60_000;
const spans = [
  { label: jobsText.data.lastHour, startMs: -60 * minuteMs, endMs: 0 },
  { label: jobsText.data.lastDay, startMs: -1440 * minuteMs, endMs: 0 },
  { label: jobsText.data.live, startMs: -minuteMs, endMs: 10 * minuteMs },
];
// More would make the browser's list slow; typing narrows it anyway.
const maxOffered = 500;

export function AgentDataDialog({ onClose }: { onClose: () => void }) {
  const text = jobsText.data;
  const { data: agents } = useOperation('metrics_agent_details', { query: { state: 'all' } });
  const listId = useId();
  const field = useFocus<HTMLInputElement>();
  const form = useForm({
    agent_id: '',
    start_time: toLocalMoment(serverNow() - 60 * minuteMs),
    end_time: toLocalMoment(serverNow()),
  });
  const isAhead = Date.parse(form.values.value.end_time) > serverNow() + 1000;
  const ask = async (values: { agent_id: string; start_time: string; end_time: string }) => {
    const query = {
      agent_id: values.agent_id.trim(),
      start_time: fromLocalMoment(values.start_time),
      end_time: fromLocalMoment(values.end_time),
    };
    const { job_number } = await call('request_agent_data', { query }).catch((error) => {
      if (!(error instanceof Failure) || error.status !== 404) throw error;
      const problem = { loc: ['query', 'agent_id'], msg: text.unknown, type: 'value_error' };
      throw new Failure(422, error.code, error.message, { problems: [problem] });
    });
    queries.refresh('list_jobs');
    // What was asked for travels with the address: the job itself does not tell it.
    navigate(`/jobs/${job_number}?${new URLSearchParams(query)}`);
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p class="soft">{text.words}</p>
      <Form form={form} label={text.title} onSubmit={ask}>
        <Field form={form} name="agent_id" label={text.agent} hint={text.agentHint}>
          {(attributes) => (
            <>
              <input
                ref={field}
                class="input"
                list={listId}
                autoComplete="off"
                spellcheck={false}
                value={form.values.value.agent_id}
                onInput={(event) => form.set('agent_id', event.currentTarget.value)}
                {...attributes}
              />
              <datalist id={listId}>
                {(agents ?? []).slice(0, maxOffered).map(({ ap_id }) => (
                  <option key={ap_id} value={ap_id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <fieldset class="cluster plain-fieldset">
          <legend class="visually-hidden">{text.spans}</legend>
          {spans.map(({ label, startMs, endMs }) => (
            <Button
              key={label}
              size="small"
              onClick={() => {
                form.set('start_time', toLocalMoment(serverNow() + startMs));
                form.set('end_time', toLocalMoment(serverNow() + endMs));
              }}
            >
              {label}
            </Button>
          ))}
        </fieldset>
        <MomentField form={form} name="start_time" label={text.start} />
        <MomentField form={form} name="end_time" label={text.end} hint={isAhead ? text.willBeLive : ''} />
        <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
          {text.submit}
        </Button>
      </Form>
    </Dialog>
  );
}
