// The fields of a network: how many access points of each technology with how many devices, how much these ask for and what for,
// and how devices use several links.
import type { Technology } from '../../api/client.ts';
import { Field, SelectField, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { hasPrimary, linkModes, type NetworkValues, technologies, trafficClasses } from './network-form.ts';

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
      <CountField {...form.at(`${technology}.num_access_points`)} label={text.count} hint={text.noneHint} />
      <CountField {...form.at(`${technology}.num_devices`)} label={text.devices} />
      <SelectField
        {...form.at(`${technology}.profile`)}
        label={text.profile}
        options={[
          ['', text.default(text.profiles[usual])],
          ...Object.entries(text.profiles).filter(([name]) => name !== usual),
        ]}
      />
      {technology === '5G' && (
        <SelectField
          {...form.at('5G.scenario')}
          label={text.scenario}
          options={{ '': text.default(text.scenarios.UMi), UMa: text.scenarios.UMa, InH: text.scenarios.InH }}
        />
      )}
    </div>
  );
}

function CountField(props: { form: FormState<NetworkValues>; name: string; label: string; hint?: string }) {
  return <TextField {...props} inputMode="numeric" autoComplete="off" />;
}

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
            <TextField key={name} {...form.at(`mix.${name}`)} label={text.classes[name]} inputMode="decimal" />
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
    <Field {...form.at(name)} label={text.mbps} hint={text.mbpsHint}>
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

const linkText = emulatorText.form.links;

export function LinkPolicyFields({ form }: { form: FormState<NetworkValues> }) {
  const mode = form.values.value['link_policy.mode'] ?? '';
  return (
    <div class="stack">
      <div class="network-fields">
        <SelectField
          {...form.at('link_policy.mode')}
          label={linkText.mode}
          hint={mode === '' ? linkText.singleWords : linkText.words[mode as keyof typeof linkText.words]}
          options={[
            ['', emulatorText.form.default(linkText.single)],
            ...linkModes.map((value) => [value, linkText.modes[value]] as const),
          ]}
        />
        {hasPrimary(mode) && (
          <SelectField
            {...form.at('link_policy.primary')}
            label={linkText.primary}
            options={[['', linkText.usualPrimary], ...technologies.map((value) => [value, value] as const)]}
          />
        )}
        {mode !== '' && (
          <TextField
            {...form.at('link_policy.share')}
            label={linkText.share}
            hint={linkText.shareHint}
            inputMode="decimal"
          />
        )}
      </div>
      {mode === 'load_balancing' && (
        <div>
          <p class="soft small">{linkText.weights}</p>
          <div class="mix-fields" role="group" aria-label={linkText.weightsLabel}>
            {technologies.map((name) => (
              <TextField key={name} {...form.at(`link_policy.weights.${name}`)} label={name} inputMode="decimal" />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
