// Asks for the data of an agent over a span of time, which may end in the future.
import { call, Failure, problemAt } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { MomentField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { serverNow } from '../../../data/freshness.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { fromLocalMoment, toLocalMoment } from '../../../format.ts';
import { navigate } from '../../../router/location.ts';
import { jobsText } from '../../../text/pages.ts';

const minuteMs = 60_000;
const spans = [
  { label: 'Last hour', startMs: -60 * minuteMs, endMs: 0 },
  { label: 'Last 24 hours', startMs: -1440 * minuteMs, endMs: 0 },
  { label: 'Live, 10 minutes', startMs: -minuteMs, endMs: 10 * minuteMs },
];
// More would make the browser's list slow; typing narrows it anyway.
const maxOffered = 500;

export function AgentDataDialog({ onClose }: { onClose: () => void }) {
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
      throw error instanceof Failure && error.status === 404
        ? problemAt('agent_id', 'No access point has this name, or you do not have permission to see it')
        : error;
    });
    queries.refresh('list_jobs');
    // What was asked for travels with the address: the job itself does not tell it.
    navigate(`/jobs/${job_number}?${new URLSearchParams(query)}`);
  };
  return (
    <Dialog title={jobsText.data.title} onClose={onClose}>
      <p class="soft">
        You receive the stored data first. If the end time is in the future, new data follows until then.
      </p>
      <Form form={form} label={jobsText.data.title} onSubmit={ask}>
        <TextField
          {...form.at('agent_id')}
          label="Access point"
          hint="Its name, as in the list of access points"
          suggestions={(agents ?? []).slice(0, maxOffered).map(({ ap_id }) => ap_id)}
          hasFocus
        />
        <fieldset class="cluster plain-fieldset">
          <legend class="visually-hidden">Quick choice</legend>
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
        <MomentField {...form.at('start_time')} label="From" />
        <MomentField
          {...form.at('end_time')}
          label="Until"
          hint={isAhead ? 'The end time is in the future: new samples arrive as they are measured.' : ''}
        />
        <SubmitButton form={form}>Request data</SubmitButton>
      </Form>
    </Dialog>
  );
}
