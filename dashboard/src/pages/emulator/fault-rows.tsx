// Faults that are planned before a network starts, one row each.
import { useRef } from 'preact/hooks';
import type { EmulatorFaultKind } from '../../api/operations.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { faultFields, type NetworkValues } from './network-form.ts';

const text = emulatorText.form;
export const faultKinds = Object.entries(emulatorText.faultKinds).map(([value, label]) => ({ value, label }));

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
        <div key={row} class="fault-row" role="group" aria-label={text.faultNumber(index + 1)}>
          <TextField form={form} name={`faults.${row}.access_point`} label={text.accessPoint} inputMode="numeric" />
          <FaultKindFields form={form} prefix={`faults.${row}.`} />
          <TextField
            form={form}
            name={`faults.${row}.after_seconds`}
            label={`${text.after} (${text.seconds})`}
            inputMode="numeric"
          />
          <TextField
            form={form}
            name={`faults.${row}.seconds`}
            label={`${text.forSeconds} (${text.seconds})`}
            inputMode="numeric"
          />
          <IconButton
            icon="close"
            label={text.removeFault(index + 1)}
            onClick={() => onChange(rows.filter((other) => other !== row))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={add}>
          {text.addFault}
        </Button>
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
        form={form}
        name={`${prefix}kind`}
        label={text.kind}
        options={faultKinds}
        hint={emulatorText.faultWords[kind]}
      />
      {amount && (
        <TextField form={form} name={`${prefix}amount`} label={amount.label} hint={amount.hint} inputMode="decimal" />
      )}
    </>
  );
}
