// Whether devices hold several links at once, and how their traffic uses them.
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { hasPrimary, linkModes, type NetworkValues, technologies } from './network-form.ts';

const text = emulatorText.form.links;

export function LinkPolicyFields({ form }: { form: FormState<NetworkValues> }) {
  const mode = form.values.value['link_policy.mode'] ?? '';
  return (
    <div class="stack">
      <div class="network-fields">
        <SelectField
          form={form}
          name="link_policy.mode"
          label={text.mode}
          hint={mode === '' ? text.singleWords : text.words[mode as keyof typeof text.words]}
          options={[
            { value: '', label: emulatorText.form.default(text.single) },
            ...linkModes.map((value) => ({ value, label: text.modes[value] })),
          ]}
        />
        {hasPrimary(mode) && (
          <SelectField
            form={form}
            name="link_policy.primary"
            label={text.primary}
            options={[
              { value: '', label: text.usualPrimary },
              ...technologies.map((value) => ({ value, label: value })),
            ]}
          />
        )}
        {mode !== '' && (
          <TextField
            form={form}
            name="link_policy.share"
            label={text.share}
            hint={text.shareHint}
            inputMode="decimal"
          />
        )}
      </div>
      {mode === 'load_balancing' && (
        <div>
          <p class="soft small">{text.weights}</p>
          <div class="mix-fields" role="group" aria-label={text.weightsLabel}>
            {technologies.map((name) => (
              <TextField key={name} form={form} name={`link_policy.weights.${name}`} label={name} inputMode="decimal" />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
