// How a change set is rolled out: waves, what stops it, and when.
import { call } from '../../api/client.ts';
import { TextField } from '../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { useMetricNames } from '../../data/metrics.ts';
import { queries } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import { configurationText } from '../../text/configuration.ts';
import { emptyPlan, type PlanValues, toPlan } from './draft-form.ts';

const text = configurationText.plan;

interface RolloutDialogProps {
  id: string;
  title: string;
  /** How many access points it changes. */
  count: string;
  onClose: () => void;
}

export function RolloutDialog({ id, title, count, onClose }: RolloutDialogProps) {
  const form = useForm<PlanValues>(emptyPlan);
  const metrics = useMetricNames().map(([name]) => name);
  const submit = async (values: PlanValues) => {
    const rollout = await call('roll_out_change_set', { path: { id }, json: toPlan(values) });
    for (const name of ['list_change_sets', 'get_change_set', 'list_rollouts']) queries.refresh(name);
    // What was typed is done: nobody is asked whether it may be lost.
    navigate(`/configuration/rollouts/${rollout.id}`, { isReplacing: true });
  };
  return (
    <FormDialog {...{ form, onClose }} title={text.title(title)} width="wide" onSubmit={submit}>
      <TextField {...form.at('waves')} label={text.waves} hint={text.wavesHint} rows={3} isMono />
      <div class="field-row">
        <TextField {...form.at('metric')} label={text.metric} hint={text.metricHint} suggestions={metrics} />
        <TextField {...form.at('worse_by')} label={text.worse} hint={text.worseHint} inputMode="decimal" />
        <TextField {...form.at('over_seconds')} label={text.over} inputMode="numeric" />
        <TextField {...form.at('failures')} label={text.failures} hint={text.failuresHint} inputMode="numeric" />
      </div>
      <TextField {...form.at('rest')} label={text.rest} hint={text.restHint} rows={3} isMono />
      <SubmitRow form={form} words={text.start(count)} />
    </FormDialog>
  );
}
