// Asks for the data of an agent over a span of time, which may end in the future.
import { call, Failure, problemAt } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { MomentField, TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { serverNow } from '../../data/freshness.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { fromLocalMoment, toLocalMoment } from '../../format.ts';
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
      throw error instanceof Failure && error.status === 404 ? problemAt('agent_id', text.unknown) : error;
    });
    queries.refresh('list_jobs');
    // What was asked for travels with the address: the job itself does not tell it.
    navigate(`/jobs/${job_number}?${new URLSearchParams(query)}`);
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p class="soft">{text.words}</p>
      <Form form={form} label={text.title} onSubmit={ask}>
        <TextField
          {...form.at('agent_id')}
          label={text.agent}
          hint={text.agentHint}
          suggestions={(agents ?? []).slice(0, maxOffered).map(({ ap_id }) => ap_id)}
          hasFocus
        />
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
        <MomentField {...form.at('start_time')} label={text.start} />
        <MomentField {...form.at('end_time')} label={text.end} hint={isAhead ? text.willBeLive : ''} />
        <SubmitButton form={form}>{text.submit}</SubmitButton>
      </Form>
    </Dialog>
  );
}
