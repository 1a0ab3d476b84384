// Designs a network: what there is, where, for how long, and what goes wrong; with the outcome in plain words beside it.
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, type FormState, useForm } from '../../components/forms/form.tsx';
import { Page } from '../../components/layout/page.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { pageTitles } from '../../text/pages.ts';
import { withProblemsMoved } from '../commands/moved-problems.ts';
import { DemandFields } from './demand-fields.tsx';
import { FaultRows } from './fault-rows.tsx';
import { LinkPolicyFields } from './link-policy-fields.tsx';
import { curlOf, fieldAt, initialNetwork, type NetworkValues, networkSentence, toRequest } from './network-form.ts';
import { startNetwork } from './new-network.ts';
import './new-network-page.css';
import { PlacesField } from './places-field.tsx';
import { TechnologyRows } from './technology-rows.tsx';

const text = emulatorText.form;

export function NewNetworkPage() {
  const form = useForm<NetworkValues>(initialNetwork);
  const [faults, setFaults] = useState<readonly number[]>([]);
  const submit = async (values: NetworkValues) => {
    try {
      await startNetwork(toRequest(values, faults));
    } catch (error) {
      throw withProblemsMoved(error, (path) => fieldAt(path, values, faults));
    }
  };
  return (
    <Page title={pageTitles.newNetwork} beside={<a href="/emulator">{text.back}</a>}>
      <Form form={form} label={text.label} onSubmit={submit}>
        <div class="network-grid">
          <div class="stack">
            <section class="card stack">
              <h2>{text.technologies}</h2>
              <TechnologyRows form={form} />
            </section>
            <section class="card stack">
              <h2>{text.demand}</h2>
              <DemandFields form={form} />
            </section>
            <section class="card stack">
              <h2>{text.links.title}</h2>
              <LinkPolicyFields form={form} />
            </section>
            <section class="card stack">
              <h2>{text.where}</h2>
              <PlacesField form={form} />
            </section>
            <section class="card stack">
              <h2>{text.time}</h2>
              <TimeFields form={form} />
            </section>
            <section class="card stack">
              <div>
                <h2>{text.faults}</h2>
                <p class="soft">{text.faultsWords}</p>
              </div>
              <FaultRows form={form} rows={faults} onChange={setFaults} />
            </section>
          </div>
          <Summary form={form} faults={faults} />
        </div>
      </Form>
    </Page>
  );
}

function TimeFields({ form }: { form: FormState<NetworkValues> }) {
  return (
    <div class="network-fields">
      <div class="duration-field">
        <TextField form={form} name="duration" label={text.duration} inputMode="decimal" />
        <SelectField
          form={form}
          name="duration_unit"
          label={text.durationUnit}
          options={[
            { value: '60', label: text.units.minutes },
            { value: '3600', label: text.units.hours },
          ]}
        />
      </div>
      <TextField form={form} name="speed" label={text.speed} hint={text.speedHint} inputMode="decimal" />
      <TextField
        form={form}
        name="report_interval_seconds"
        label={text.interval}
        hint={text.intervalHint}
        inputMode="numeric"
      />
      <TextField form={form} name="seed" label={text.seed} hint={text.seedHint} inputMode="numeric" />
    </div>
  );
}

function Summary({ form, faults }: { form: FormState<NetworkValues>; faults: readonly number[] }) {
  const request = toRequest(form.values.value, faults);
  const sentence = networkSentence(request);
  return (
    <aside class="card stack network-summary">
      <h2>{text.summary}</h2>
      <p class={sentence === undefined ? 'soft' : 'network-sentence'} aria-live="polite">
        {sentence ?? text.incomplete}
      </p>
      <Button type="submit" kind="primary" size="large" icon="play" isBusy={form.isBusy.value}>
        {text.submit}
      </Button>
      <details>
        <summary class="soft">{text.curl}</summary>
        <div class="stack">
          <CodeBlock text={curlOf(location.origin, request)} label={text.curl} />
          <p class="faint small">{text.token}</p>
        </div>
      </details>
    </aside>
  );
}
