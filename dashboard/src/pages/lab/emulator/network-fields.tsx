// The fields of a network: how many access points of each technology with how many devices, how much these ask for and what for,
// and how devices use several links.

import { type EmulatedTechnology, emulatedTechnologies, trafficClasses } from '@weft/contract/emulated-model';
import { Field, SelectField, TextField } from '../../../components/forms/fields.tsx';
import type { FormState } from '../../../components/forms/form.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { hasPrimary, linkModes, type NetworkValues } from './network-form.ts';

const text = {
  mix: 'What devices do',
  classes: { voice: 'Voice', video: 'Video', gaming: 'Gaming', web: 'Web', bulk: 'Downloads', sensor: 'Sensors' },
  modes: {
    active_standby: 'several: active and standby',
    priority: 'several: by priority',
    load_balancing: 'several: load balancing',
    smallest_delay: 'several: smallest delay',
    redundant: 'several: redundant',
  },
  words: {
    active_standby: 'One link carries everything; another takes over when it fails.',
    priority: 'The first link carries what it can; the others carry the rest.',
    load_balancing: 'Traffic is spread over all links.',
    smallest_delay: 'The link with the smallest delay carries everything.',
    redundant: 'Every packet is sent over all links.',
  },
  default: (name: string) => `${name} (default)`,
  profiles: { office: 'office', home: 'home', city: 'city', stadium: 'stadium', always: 'always busy' },
};

const defaultProfile: Record<EmulatedTechnology, keyof typeof text.profiles> = {
  '5G': 'city',
  WiFi: 'office',
  LiFi: 'office',
};

export function TechnologyRows({ form }: { form: FormState<NetworkValues> }) {
  return (
    <div class="technology-rows">
      {emulatedTechnologies.map((technology) => (
        <TechnologyRow key={technology} form={form} technology={technology} />
      ))}
    </div>
  );
}

function TechnologyRow({ form, technology }: { form: FormState<NetworkValues>; technology: EmulatedTechnology }) {
  const usual = defaultProfile[technology];
  return (
    <div class="technology-row" role="group" aria-label={technology}>
      <span class="chip">
        <Glyph technology={technology} size={16} />
        <strong>{technology}</strong>
      </span>
      <CountField {...form.at(`${technology}.num_access_points`)} label="Number" hint="0 for none" />
      <CountField {...form.at(`${technology}.num_devices`)} label="Devices each" />
      <SelectField
        {...form.at(`${technology}.profile`)}
        label="Traffic"
        options={[
          ['', text.default(text.profiles[usual])],
          ...Object.entries(text.profiles).filter(([name]) => name !== usual),
        ]}
      />
      {technology === '5G' && (
        <SelectField
          {...form.at('5G.scenario')}
          label="Cell placement"
          options={{ '': text.default('street'), UMa: 'rooftop', InH: 'indoor' }}
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
        <p class="soft small">Shares of the devices, such as 3 and 1 or 75 and 25. Without any, the model chooses.</p>
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
    <Field {...form.at(name)} label="Mb/s of one device" hint="mean over the busiest hour; default: 0.8">
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
            aria-label="Mb/s of one device, as a slider"
            value={typed === '' ? usualMbps : typed}
            onInput={set}
          />
        </div>
      )}
    </Field>
  );
}

export function LinkPolicyFields({ form }: { form: FormState<NetworkValues> }) {
  const mode = form.values.value['link_policy.mode'] ?? '';
  return (
    <div class="stack">
      <div class="network-fields">
        <SelectField
          {...form.at('link_policy.mode')}
          label="Links at once"
          hint={
            mode === ''
              ? 'The best technology first; a change of technology interrupts the traffic.'
              : text.words[mode as keyof typeof text.words]
          }
          options={[['', text.default('one')], ...linkModes.map((value) => [value, text.modes[value]] as const)]}
        />
        {hasPrimary(mode) && (
          <SelectField
            {...form.at('link_policy.primary')}
            label="First link"
            options={[
              ['', 'LiFi, then WiFi, then 5G (default)'],
              ...emulatedTechnologies.map((value) => [value, value] as const),
            ]}
          />
        )}
        {mode !== '' && (
          <TextField
            {...form.at('link_policy.share')}
            label="Share of the devices"
            hint="0 to 1; default: 1, all of them. The others have one link."
            inputMode="decimal"
          />
        )}
      </div>
      {mode === 'load_balancing' && (
        <div>
          <p class="soft small">
            Weights, such as 3 and 1. Without any, traffic is spread by what each link can carry.
          </p>
          <div class="mix-fields" role="group" aria-label="Weights of the links">
            {emulatedTechnologies.map((name) => (
              <TextField key={name} {...form.at(`link_policy.weights.${name}`)} label={name} inputMode="decimal" />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
