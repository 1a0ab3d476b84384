// Faults: those that are planned before a network starts, one row each, and the form that makes something go wrong in one that runs.
import { useRef } from 'preact/hooks';
import { call, type EmulatorFaultKind, type EmulatorRun } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, type FormState, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { agentName } from '../../../data/agents.ts';
import { formatMoment, typedNumber } from '../../../format.ts';
import { emulatorText } from '../../../text/pages.ts';
import { faultFields, type NetworkValues } from './network-form.ts';
import { activeFaults } from './run-words.tsx';

const text = {
  seconds: 's',
  faultKinds: {
    crash: 'Crash',
    backhaul_cut: 'Backhaul cut',
    clock_skew: 'Clock skew',
    duplicate_samples: 'Duplicate samples',
    late_samples: 'Late samples',
    jammed_channel: 'Jammed channel',
    command_ignored: 'Commands ignored',
  },
};

interface FaultRowsProps {
  form: FormState<NetworkValues>;
  /** The numbers of the rows; a row keeps its number while others come and go. */
  rows: readonly number[];
  onChange: (rows: readonly number[]) => void;
}

export function FaultRows({ form, rows, onChange }: FaultRowsProps) {
  const next = useRef(0);
  const add = () => {
    const row = next.current++;
    const initial = { access_point: '1', kind: 'crash', after_seconds: '60', seconds: '60', amount: '' };
    for (const field of faultFields) form.set(`faults.${row}.${field}`, initial[field]);
    onChange([...rows, row]);
  };
  return (
    <>
      {rows.map((row, index) => (
        <div key={row} class="fault-row" role="group" aria-label={`Fault ${index + 1}`}>
          <TextField {...form.at(`faults.${row}.access_point`)} label="Access point" inputMode="numeric" />
          <FaultKindFields form={form} prefix={`faults.${row}.`} />
          <TextField
            {...form.at(`faults.${row}.after_seconds`)}
            label={`Start after (${text.seconds})`}
            inputMode="numeric"
          />
          <TextField {...form.at(`faults.${row}.seconds`)} label={`Duration (${text.seconds})`} inputMode="numeric" />
          <IconButton
            icon="close"
            label={`Remove fault ${index + 1}`}
            onClick={() => onChange(rows.filter((other) => other !== row))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={add} words="Add a fault" />
      </div>
    </>
  );
}

/** What kind of fault, and how bad where that can be said. */
export function FaultKindFields({ form, prefix }: { form: FormState<Record<string, string>>; prefix: string }) {
  const kind = form.values.value[`${prefix}kind`] as EmulatorFaultKind;
  const amount = emulatorText.amounts[kind];
  return (
    <>
      <SelectField
        {...form.at(`${prefix}kind`)}
        label="Type"
        options={text.faultKinds}
        hint={emulatorText.faultWords[kind]}
      />
      {amount && (
        <TextField {...form.at(`${prefix}amount`)} label={amount.label} hint={amount.hint} inputMode="decimal" />
      )}
    </>
  );
}

const faultTitle = (kind: string, ap_id: string) =>
  `${text.faultKinds[kind as EmulatorFaultKind] ?? kind} at ${agentName(ap_id)}`;

export function ActiveFaults({ run }: { run: EmulatorRun }) {
  const faults = activeFaults(run);
  if (faults.length === 0) return null;
  return (
    <ul class="small active-faults" aria-label="Active faults">
      {faults.map(({ agent_id, kind, until }) => (
        <li key={`${agent_id} ${kind}`}>
          {faultTitle(kind, agent_id)} <span class="soft">{`until ${formatMoment(until)} (model time)`}</span>
        </li>
      ))}
    </ul>
  );
}

export function FaultForm({ job_number, agents }: { job_number: string; agents: readonly { ap_id: string }[] }) {
  const form = useForm<Record<string, string>>({
    agent_id: agents[0]?.ap_id ?? '',
    kind: 'crash',
    seconds: '60',
    amount: '',
  });
  const inject = async (values: Record<string, string>) => {
    const { agent_id = '', kind, seconds = '', amount = '' } = values;
    const hasAmount = amount.trim() !== '' && emulatorText.amounts[kind ?? ''] !== undefined;
    await call('emulator_fault', {
      path: { job_number },
      json: {
        agent_id,
        kind: kind as EmulatorFaultKind,
        seconds: typedNumber(seconds),
        ...(hasAmount && { amount: typedNumber(amount) }),
      },
    });
    showToast({ title: faultTitle(kind!, agent_id), detail: `For ${seconds.trim()} seconds of model time` });
  };
  return (
    <Form form={form} label="Fault" onSubmit={inject}>
      <SelectField
        {...form.at('agent_id')}
        label="Access point"
        options={agents.map(({ ap_id }) => [ap_id, agentName(ap_id)] as const)}
      />
      <FaultKindFields form={form} prefix="" />
      <TextField {...form.at('seconds')} label="Duration" hint="seconds of model time" inputMode="numeric" />
      <SubmitRow form={form} kind="plain" words="Inject fault" />
    </Form>
  );
}
