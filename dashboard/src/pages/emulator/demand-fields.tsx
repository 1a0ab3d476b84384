// How much the devices of a network ask for, and what for.
import { Field, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { type NetworkValues, trafficClasses } from './network-form.ts';

const text = emulatorText.form;
const usualMbps = '0.8';
/** Beyond what is usual, it can be typed. */
const sliderMbps = 10;

export function DemandFields({ form }: { form: FormState<NetworkValues> }) {
  const hasMix = trafficClasses.some((name) => form.values.value[`mix.${name}`] || form.problems.value[`mix.${name}`]);
  return (
    <div class="stack demand-fields">
      <MbpsField form={form} />
      <details open={hasMix}>
        <summary class="soft">{text.mix}</summary>
        <p class="soft small">{text.mixWords}</p>
        <div class="mix-fields" role="group" aria-label={text.mix}>
          {trafficClasses.map((name) => (
            <TextField key={name} form={form} name={`mix.${name}`} label={text.classes[name]} inputMode="decimal" />
          ))}
        </div>
      </details>
    </div>
  );
}

function MbpsField({ form }: { form: FormState<NetworkValues> }) {
  const name = 'mbps_per_device';
  const typed = form.values.value[name] ?? '';
  const set = (event: Event) => form.set(name, (event.currentTarget as HTMLInputElement).value);
  return (
    <Field form={form} name={name} label={text.mbps} hint={text.mbpsHint}>
      {(attributes) => (
        <div class="mbps-field">
          <input
            class="input"
            inputMode="decimal"
            autoComplete="off"
            placeholder={usualMbps}
            value={typed}
            onInput={set}
            {...attributes}
          />
          <input
            type="range"
            min="0"
            max={sliderMbps}
            step="0.1"
            aria-label={text.mbpsSlider}
            value={typed === '' ? usualMbps : typed}
            onInput={set}
          />
        </div>
      )}
    </Field>
  );
}
