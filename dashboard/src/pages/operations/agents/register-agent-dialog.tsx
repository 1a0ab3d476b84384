// Registering access points: one by hand, or a line to run on many that then register themselves, with the enrolment tokens that
// are still open.
import { readCoordinates, technologyChoices } from '../../../data/agents.ts';
import './register-agent-dialog.css';
import { type InstallChecksums, enrolmentLine as lineFor } from '@weft/contract/enrolment-line';
import { useEffect, useState } from 'preact/hooks';
import { call, type EnrolmentToken } from '../../../api/client.ts';
import { readChecksums } from '../../../api/service.ts';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/copyable.tsx';
import { ConfirmDialog, Dialog } from '../../../components/dialog.tsx';
import { FailureNotice, Notice, showToast } from '../../../components/feedback.tsx';
import { Choice, SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber } from '../../../format.ts';
import { agentsText, overviewText } from '../../../text/pages.ts';
import { listOf } from './labels-dialog.tsx';

const text = {
  revoke: 'Revoke',
  ways: { one: 'One access point', many: 'Several access points' },
  site: 'Site',
  usesWords: (count: string) => `${count} access point${count === '1' ? '' : 's'}`,
};

interface Enrolment {
  token?: string;
  ap_id_pattern: string;
}

/** A line for the shell of an access point with Linux: fetches Weft's own agent, registers it and starts it as a service. */
export function installLine(
  url: string,
  { token = '', ap_id_pattern }: Enrolment,
  checksums: InstallChecksums,
): string {
  return lineFor({ url, ap_id: fittingName(ap_id_pattern), token, checksums });
}

/** A command line that registers one access point whose agent is somebody's own. */
export function enrolmentLine(origin: string, { token = '', ap_id_pattern }: Enrolment): string {
  const ap_id = fittingName(ap_id_pattern);
  const body = JSON.stringify({ ap_id, password: 'choose one for each', configuration: { access_point_type: 'WiFi' } });
  return [
    `curl -s ${origin}/api/v1/agents/public \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(body)}`,
  ].join('\n');
}

/** An example that fits the pattern. */
function fittingName(ap_id_pattern: string): string {
  return ap_id_pattern.replaceAll('*', '1').replaceAll('?', '1');
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether only this machine reaches it. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The addresses to choose from, the best first: the one in use if other machines reach it, then those that Weft offers. */
export function addressesFor(origin: string, offered: readonly string[]): string[] {
  const all = isLoopbackUrl(origin) ? [...offered, origin] : [origin, ...offered];
  return [...new Set(all)];
}

export function EnrolmentTokens() {
  const { data = [], failure } = useOperation('list_enrolment_tokens', {}, { pollMs: 15_000 });
  const [asked, setAsked] = useState<EnrolmentToken | undefined>(undefined);
  if (failure) return <FailureNotice failure={failure} />;
  if (data.length === 0) return null;
  return (
    <section class="enrolment-tokens" aria-labelledby="enrolment-tokens">
      <h3 id="enrolment-tokens">Open enrolment tokens</h3>
      <ul>
        {data.map((token) => (
          <li key={token.id}>
            <div>
              <strong class="mono">{token.ap_id_pattern}</strong>
              <p class="soft small">{wordsOf(token).join(' · ')}</p>
            </div>
            <Button
              size="small"
              aria-label={`Revoke the token for ${token.ap_id_pattern}`}
              onClick={() => setAsked(token)}
            >
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
      {asked && (
        <ConfirmDialog
          title={`Revoke the token for ${asked.ap_id_pattern}?`}
          action={text.revoke}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call('remove_enrolment_token', { path: { id: asked.id } })}
          changes={['list_enrolment_tokens']}
          done={`Token for ${asked.ap_id_pattern} revoked`}
          words="Nobody can register an access point with it any more. Access points that it registered stay."
        />
      )}
    </section>
  );
}

function wordsOf({ max_uses, uses, expires_at, created_by }: EnrolmentToken): string[] {
  const left = max_uses - uses;
  return [
    left > 0 ? `${formatNumber(left)} of ${formatNumber(max_uses)} left` : 'used up',
    `until ${formatMoment(expires_at)}`,
    `created by ${created_by}`,
  ];
}

export function RegisterAgentDialog({ onClose }: { onClose: () => void }) {
  const [method, setMethod] = useState<'one' | 'many'>('one');
  const [token, setToken] = useState<EnrolmentToken | undefined>(undefined);
  return (
    <Dialog title="Register an access point" {...(token === undefined && { onClose })}>
      {token === undefined && (
        <div class="segments" role="radiogroup" aria-label="Registration method">
          {(['one', 'many'] as const).map((name) => (
            <button
              key={name}
              type="button"
              role="radio"
              aria-checked={method === name}
              onClick={() => setMethod(name)}
            >
              {text.ways[name]}
            </button>
          ))}
        </div>
      )}
      {token ? (
        <Enrolment token={token} onClose={onClose} />
      ) : method === 'one' ? (
        <OneByHand onClose={onClose} />
      ) : (
        <>
          <ManyByToken onToken={setToken} />
          <EnrolmentTokens />
        </>
      )}
    </Dialog>
  );
}

function OneByHand({ onClose }: { onClose: () => void }) {
  const form = useForm({ ap_id: '', password: '', access_point_type: 'WiFi', place: '', site: '' });
  const submit = async ({ ap_id, password, access_point_type, place, site }: typeof form.values.value) => {
    const geolocation = readCoordinates(place);
    if (place.trim() !== '' && !geolocation) return form.refuse({ place: overviewText.register.locationWrong });
    const configuration = {
      access_point_type,
      ...(geolocation && { geolocation }),
      ...(site.trim() && { site: site.trim() }),
    };
    await call('create_agent', { json: { ap_id, password, configuration } });
    queries.refresh('metrics_');
    showToast({ title: `${ap_id} registered`, detail: 'It has no state until its agent logs in and sends a report.' });
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} label={text.ways.one}>
      <TextField
        {...form.at('ap_id')}
        label="Name"
        hint="Unique; letters and digits of any script, . _ : @ + - and spaces."
        hasFocus
        isMono
      />
      <PasswordField {...form.at('password')} label="Password of the agent" isNew own={[form.values.value.ap_id]} />
      <SelectField {...form.at('access_point_type')} label="Type" options={technologyChoices} />
      <TextField {...form.at('place')} label="Location" hint={overviewText.register.locationHint} isOptional />
      <TextField {...form.at('site')} label={text.site} isOptional />
      <SubmitButton form={form}>Register</SubmitButton>
    </Form>
  );
}

function ManyByToken({ onToken }: { onToken: (token: EnrolmentToken) => void }) {
  const form = useForm({ ap_id_pattern: 'ap-*', max_uses: '10', site: '', tags: '' });
  const submit = async ({ ap_id_pattern, max_uses, site, tags }: typeof form.values.value) => {
    const labels = listOf(tags);
    const json = {
      ap_id_pattern,
      max_uses: Number(max_uses),
      ...(site.trim() !== '' && { site: site.trim() }),
      ...(labels.length > 0 && { tags: labels }),
    };
    onToken(await call('create_enrolment_token', { json }));
  };
  return (
    <Form form={form} onSubmit={submit} label={text.ways.many}>
      <TextField
        {...form.at('ap_id_pattern')}
        label="Allowed names"
        hint="* matches any text: ap-hall-*"
        hasFocus
        isMono
      />
      <TextField {...form.at('max_uses')} label="Maximum number of access points" type="number" inputMode="numeric" />
      <TextField
        {...form.at('site')}
        label={text.site}
        hint="What it registers stands there, as far as you manage it."
        isMono
        isOptional
      />
      <TextField {...form.at('tags')} label={agentsText.manage.tags} hint={agentsText.manage.tagsHint} isOptional />
      <SubmitButton form={form}>Create enrolment command</SubmitButton>
    </Form>
  );
}

function Enrolment({ token, onClose }: { token: EnrolmentToken; onClose: () => void }) {
  const [checksums, setChecksums] = useState<InstallChecksums | undefined>(undefined);
  const addresses = addressesFor(location.origin, token.urls ?? []);
  const [url, setUrl] = useState(addresses[0]!);
  useEffect(() => {
    // Without them there is no such line: the other line works all the same.
    readChecksums().then(setChecksums, () => {});
  }, []);
  return (
    <>
      <p>
        Run one of these commands on each access point, with a different name each time. The token is shown only once.
      </p>
      {isLoopbackUrl(url) && (
        <Notice
          kind="warning"
          title={`Other machines cannot reach ${new URL(url).hostname}`}
          words={
            addresses.length > 1
              ? 'Choose an address that the access points can reach.'
              : 'Weft listens on this machine only. To connect other machines, set WEFT_HOST and a certificate, or WEFT_PUBLIC_URL, and restart Weft. On this machine the commands work.'
          }
        />
      )}
      {addresses.length > 1 && (
        <Choice
          label="Address of Weft"
          value={url}
          onChange={setUrl}
          options={addresses.map((each): [string, string] => [each, each])}
        />
      )}
      {checksums && (
        <>
          <h3>Linux: install the Weft agent as a service</h3>
          <CodeBlock text={installLine(url, token, checksums)} label="Install command for Linux" />
        </>
      )}
      <h3>Other systems: enrol your agent with curl</h3>
      <CodeBlock text={enrolmentLine(url, token)} label="Enrolment command" />
      <p class="soft small">
        {`Valid for ${text.usesWords(formatNumber(token.max_uses))} until ${formatMoment(token.expires_at)}.`}
      </p>
      <Button kind="primary" onClick={onClose} words="Done" />
    </>
  );
}
