// How a change set is rolled out: waves, what stops it, and when.
import { call } from '../../../api/client.ts';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { useMetricNames } from '../../../data/metrics.ts';
import { queries } from '../../../data/use-operation.ts';
import { navigate } from '../../../router/location.ts';
import { emptyPlan, type PlanValues, toPlan } from './draft-form.ts';

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
    queries.refresh('list_change_sets', 'get_change_set', 'list_rollouts');
    // What was typed is done: nobody is asked whether it may be lost.
    navigate(`/configuration/rollouts/${rollout.id}`, { isReplacing: true });
  };
  return (
    <FormDialog {...{ form, onClose }} title={`Roll out ${title}`} width="wide" onSubmit={submit}>
      <TextField
        {...form.at('waves')}
        label="Waves"
        hint="One a line: a selector such as tag:canary, or a share of all so far, such as 10 %. The last is 100 %."
        rows={3}
        isMono
      />
      <div class="field-row">
        <TextField
          {...form.at('metric')}
          label="Stop by this metric"
          hint="Compared with access points that have not been changed."
          suggestions={metrics}
        />
        <TextField {...form.at('worse_by')} label="If worse by" hint="Below 0: lower is worse." inputMode="decimal" />
        <TextField {...form.at('over_seconds')} label="Within seconds" inputMode="numeric" />
        <TextField {...form.at('failures')} label="Failures to accept" hint="More stop it." inputMode="numeric" />
      </div>
      <TextField
        {...form.at('rest')}
        label="More gates, hours and limits"
        hint={
          'JSON: "gates": [{"alarms": 0}, {"devices_back": 0.8}], "window": {"days": ["sun"], "from": "02:00", "until": "05:00"}, "at_once_per_site": 1, "trial_seconds": 120.'
        }
        rows={3}
        isMono
      />
      <SubmitRow form={form} words={`Roll out to ${count}`} />
    </FormDialog>
  );
}
