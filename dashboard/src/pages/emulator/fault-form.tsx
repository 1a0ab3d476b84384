// Makes something go wrong in a network that runs.

import { call } from '../../api/client.ts';
import type { EmulatorFaultKind } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { agentName } from '../../data/agent-names.ts';
import { emulatorText } from '../../text/emulator.ts';
import { FaultKindFields } from './fault-rows.tsx';

const text = emulatorText.fault;

export function FaultForm({ job_number, agents }: { job_number: string; agents: readonly string[] }) {
  const form = useForm<Record<string, string>>({
    agent_id: agents[0] ?? '',
    kind: 'crash',
    seconds: '60',
    amount: '',
  });
  const inject = async (values: Record<string, string>) => {
    const toNumber = (words: string) => (Number.isFinite(Number(words)) ? Number(words) : (words as unknown as number));
    const { agent_id = '', kind, seconds = '', amount = '' } = values;
    const hasAmount = amount.trim() !== '' && emulatorText.amounts[kind ?? ''] !== undefined;
    const answer = await call('emulator_fault', {
      path: { job_number },
      json: {
        agent_id,
        kind: kind as EmulatorFaultKind,
        seconds: toNumber(seconds.trim()),
        ...(hasAmount && { amount: toNumber(amount.trim()) }),
      },
    });
    showToast({ title: text.done, detail: `${agentName(agent_id)}: ${answer.detail}` });
  };
  return (
    <Form form={form} label={text.label} onSubmit={inject}>
      <SelectField
        form={form}
        name="agent_id"
        label={text.agent}
        options={agents.map((ap_id) => ({ value: ap_id, label: agentName(ap_id) }))}
      />
      <FaultKindFields form={form} prefix="" />
      <TextField form={form} name="seconds" label={text.seconds} hint={text.secondsHint} inputMode="numeric" />
      <div>
        <Button type="submit" isBusy={form.isBusy.value}>
          {text.submit}
        </Button>
      </div>
    </Form>
  );
}
