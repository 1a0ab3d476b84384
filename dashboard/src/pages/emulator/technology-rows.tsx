// How many access points of each technology, with how many devices each and what these want.
import type { Technology } from '../../api/operations.ts';
import { Field, SelectField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { type NetworkValues, technologies } from './network-form.ts';

const text = emulatorText.form;
const defaultProfile: Record<Technology, keyof typeof text.profiles> = { '5G': 'city', WiFi: 'office', LiFi: 'office' };

export function TechnologyRows({ form }: { form: FormState<NetworkValues> }) {
  return (
    <div class="technology-rows">
      {technologies.map((technology) => (
        <TechnologyRow key={technology} form={form} technology={technology} />
      ))}
    </div>
  );
}

function TechnologyRow({ form, technology }: { form: FormState<NetworkValues>; technology: Technology }) {
  const usual = defaultProfile[technology];
  return (
    <div class="technology-row" role="group" aria-label={technology}>
      <span class="chip">
        <Glyph technology={technology} size={16} />
        <strong>{technology}</strong>
      </span>
      <CountField form={form} name={`${technology}.num_access_points`} label={text.count} hint={text.noneHint} />
      <CountField form={form} name={`${technology}.num_devices`} label={text.devices} />
      <SelectField
        form={form}
        name={`${technology}.profile`}
        label={text.profile}
        options={[
          { value: '', label: text.default(text.profiles[usual]) },
          ...Object.entries(text.profiles).flatMap(([value, label]) => (value === usual ? [] : [{ value, label }])),
        ]}
      />
      {technology === '5G' && (
        <SelectField
          form={form}
          name="5G.scenario"
          label={text.scenario}
          options={[
            { value: '', label: text.default(text.scenarios.UMi) },
            { value: 'UMa', label: text.scenarios.UMa },
            { value: 'InH', label: text.scenarios.InH },
          ]}
        />
      )}
    </div>
  );
}

interface CountFieldProps {
  form: FormState<NetworkValues>;
  name: string;
  label: string;
  hint?: string;
}

function CountField({ form, name, ...rest }: CountFieldProps) {
  return (
    <Field form={form} name={name} {...rest}>
      {(attributes) => (
        <input
          class="input"
          inputMode="numeric"
          autoComplete="off"
          value={form.values.value[name] ?? ''}
          onInput={(event) => form.set(name, event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  );
}
