// Registering access points: one by hand, or a line to run on many that then register themselves.
import type { InstallChecksums } from '@weft/contract/enrolment-line';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { EnrolmentToken } from '../../api/operations.ts';
import { readChecksums } from '../../api/service.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Choice } from '../../components/forms/choice.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { agentsText } from '../../text/agents.ts';
import { overviewText } from '../../text/overview.ts';
import { EnrolmentTokens } from './enrolment-tokens.tsx';
import { listOf } from './labels-form.ts';
import './register-agent-dialog.css';
import { addressesFor, enrolmentLine, installLine, isLoopbackUrl, parsePlace } from './registration.ts';

const text = overviewText.register;

export function RegisterAgentDialog({ onClose }: { onClose: () => void }) {
  const [method, setMethod] = useState<'one' | 'many'>('one');
  const [token, setToken] = useState<EnrolmentToken | undefined>(undefined);
  return (
    <Dialog title={text.title} {...(token === undefined && { onClose })}>
      {token === undefined && (
        <div class="segments" role="radiogroup" aria-label={text.methods}>
          {(['one', 'many'] as const).map((name) => (
            <button
              key={name}
              type="button"
              role="radio"
              aria-checked={method === name}
              onClick={() => setMethod(name)}
            >
              {text[name]}
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
    const geolocation = parsePlace(place);
    if (place.trim() !== '' && !geolocation) {
      form.problems.value = { place: text.locationWrong };
      return;
    }
    const configuration = {
      access_point_type,
      ...(geolocation && { geolocation }),
      ...(site.trim() && { site: site.trim() }),
    };
    await call('create_agent', { json: { ap_id, password, configuration } });
    queries.refresh('metrics_');
    showToast({ title: text.done(ap_id), detail: text.doneWords });
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} label={text.one}>
      <TextField form={form} name="ap_id" label={text.ap_id} hint={text.nameHint} hasFocus isMono />
      <PasswordField form={form} name="password" label={text.password} isNew own={[form.values.value.ap_id]} />
      <SelectField
        form={form}
        name="access_point_type"
        label={text.type}
        options={['5G', 'WiFi', 'LiFi'].map((name) => ({ value: name, label: name }))}
      />
      <TextField form={form} name="place" label={text.location} hint={text.locationHint} isOptional />
      <TextField form={form} name="site" label={text.site} isOptional />
      <Button kind="primary" type="submit" isBusy={form.isBusy.value}>
        {text.submit}
      </Button>
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
    <Form form={form} onSubmit={submit} label={text.many}>
      <TextField form={form} name="ap_id_pattern" label={text.pattern} hint={text.patternHint} hasFocus isMono />
      <TextField form={form} name="max_uses" label={text.uses} type="number" inputMode="numeric" />
      <TextField form={form} name="site" label={text.site} hint={text.labelsHint} isMono isOptional />
      <TextField form={form} name="tags" label={agentsText.manage.tags} hint={agentsText.manage.tagsHint} isOptional />
      <Button kind="primary" type="submit" isBusy={form.isBusy.value}>
        {text.make}
      </Button>
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
      <p>{text.tokenWords}</p>
      {isLoopbackUrl(url) && (
        <Notice kind="warning" title={text.loopback(new URL(url).hostname)}>
          {addresses.length > 1 ? text.loopbackWords : text.loopbackOnly}
        </Notice>
      )}
      {addresses.length > 1 && (
        <Choice
          label={text.address}
          value={url}
          onChange={setUrl}
          options={addresses.map((each): [string, string] => [each, each])}
        />
      )}
      {checksums && (
        <>
          <h3>{text.linux}</h3>
          <CodeBlock text={installLine(url, token, checksums)} label={text.installLabel} />
        </>
      )}
      <h3>{text.other}</h3>
      <CodeBlock text={enrolmentLine(url, token)} label={text.lineLabel} />
      <p class="soft small">
        {text.until(formatMoment(Date.parse(token.expires_at)), text.usesWords(formatNumber(token.max_uses)))}
      </p>
      <Button kind="primary" onClick={onClose}>
        {text.finish}
      </Button>
    </>
  );
}
