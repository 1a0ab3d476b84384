// Designs a network: what there is, where, for how long, and what goes wrong; with the outcome in plain words beside it.
import './new-network-page.css';
import { useState } from 'preact/hooks';
import { withProblemsMoved } from '../../../api/client.ts';
import { CodeBlock } from '../../../components/copyable.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, type FormState, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { Card, Page } from '../../../components/page.tsx';
import type { PageProps } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { FaultRows } from './faults.tsx';
import { DemandFields, LinkPolicyFields, TechnologyRows } from './network-fields.tsx';
import { curlOf, fieldAt, initialNetwork, type NetworkValues, networkSentence, toRequest } from './network-form.ts';
import { PlacesField } from './places-field.tsx';
import { startNetwork } from './run-words.tsx';

const curlText = 'Show as curl command';

export function NewNetworkPage({ title }: PageProps) {
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
    <Page title={title} beside={<a href="/emulator">All networks</a>}>
      <Form form={form} label="New network" onSubmit={submit}>
        <div class="network-grid">
          <div class="stack">
            <Card title="Access points">
              <TechnologyRows form={form} />
            </Card>
            <Card title="Demand">
              <DemandFields form={form} />
            </Card>
            <Card title="Links of the devices">
              <LinkPolicyFields form={form} />
            </Card>
            <Card title="Locations">
              <PlacesField form={form} />
            </Card>
            <Card title="Time">
              <TimeFields form={form} />
            </Card>
            <section class="card stack">
              <div>
                <h2>Faults</h2>
                <p class="soft">Faults to inject while the network runs.</p>
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
        <TextField {...form.at('duration')} label="Duration" inputMode="decimal" />
        <SelectField
          {...form.at('duration_unit')}
          label="Unit of the duration"
          options={[
            ['60', 'minutes'],
            ['3600', 'hours'],
          ]}
        />
      </div>
      <TextField {...form.at('speed')} label="Speed" hint="1 is real time; maximum: 3600" inputMode="decimal" />
      <TextField
        {...form.at('report_interval_seconds')}
        label="Report interval"
        hint="seconds; default: 1"
        inputMode="numeric"
      />
      <TextField
        {...form.at('seed')}
        label="Seed"
        hint="the same seed gives the same network; default: random"
        inputMode="numeric"
      />
    </div>
  );
}

function Summary({ form, faults }: { form: FormState<NetworkValues>; faults: readonly number[] }) {
  const request = toRequest(form.values.value, faults);
  const sentence = networkSentence(request);
  return (
    <aside class="card stack network-summary">
      <h2>Summary</h2>
      <p class={sentence === undefined ? 'soft' : 'network-sentence'} aria-live="polite">
        {sentence ?? 'Some fields are missing or invalid.'}
      </p>
      <SubmitButton form={form} size="large" icon="play" words="Start network" />
      <details>
        <summary class="soft">{curlText}</summary>
        <div class="stack">
          <CodeBlock text={curlOf(location.origin, request)} label={curlText} />
          <p class="faint small">First set $TOKEN to an access token.</p>
        </div>
      </details>
    </aside>
  );
}
