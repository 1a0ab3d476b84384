// Designs a network: what there is, where, for how long, and what goes wrong; with the outcome in plain words beside it.
import './new-network-page.css';
import { useState } from 'preact/hooks';
import { withProblemsMoved } from '../../api/client.ts';
import { CodeBlock } from '../../components/copyable.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, type FormState, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { session } from '../../session/session.ts';
import { pageTitles } from '../../text/components.ts';
import { emulatorText } from '../../text/emulator.ts';
import { FaultRows } from './faults.tsx';
import { DemandFields, LinkPolicyFields, TechnologyRows } from './network-fields.tsx';
import { curlOf, fieldAt, initialNetwork, type NetworkValues, networkSentence, toRequest } from './network-form.ts';
import { PlacesField } from './places-field.tsx';
import { startNetwork } from './run-words.tsx';

const text = emulatorText.form;

export function NewNetworkPage() {
  const form = useForm<NetworkValues>({ ...initialNetwork, sites: session.peek()?.isAdmin ? 'on' : '' });
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
            <Card title={text.technologies}>
              <TechnologyRows form={form} />
            </Card>
            <Card title={text.demand}>
              <DemandFields form={form} />
            </Card>
            <Card title={text.links.title}>
              <LinkPolicyFields form={form} />
            </Card>
            <Card title={text.where}>
              <PlacesField form={form} />
            </Card>
            <Card title={text.time}>
              <TimeFields form={form} />
            </Card>
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
        <TextField {...form.at('duration')} label={text.duration} inputMode="decimal" />
        <SelectField
          {...form.at('duration_unit')}
          label={text.durationUnit}
          options={[
            ['60', text.units.minutes],
            ['3600', text.units.hours],
          ]}
        />
      </div>
      <TextField {...form.at('speed')} label={text.speed} hint={text.speedHint} inputMode="decimal" />
      <TextField
        {...form.at('report_interval_seconds')}
        label={text.interval}
        hint={text.intervalHint}
        inputMode="numeric"
      />
      <TextField {...form.at('seed')} label={text.seed} hint={text.seedHint} inputMode="numeric" />
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
      <SubmitButton form={form} size="large" icon="play" words={text.submit} />
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
