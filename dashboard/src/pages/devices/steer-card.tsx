// Moves a device to another access point: only to one that it hears, only for those who may command the one that serves it. What
// came of it is what the network saw.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Failure, toFailure } from '../../api/failure.ts';
import type { DeviceDetails } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { agentName, selectorOf } from '../../data/agent-names.ts';
import { useAgents } from '../../data/lists/use-agents.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatValue } from '../../format/numbers.ts';
import { commandsText } from '../../text/commands.ts';
import { devicesText } from '../../text/devices.ts';
import { commandHref } from '../commands/command-link.tsx';
import { StatusDots } from '../commands/command-status-history.tsx';
import { decisionSentence } from '../commands/decision-words.ts';
import { withProblemsMoved } from '../commands/moved-problems.ts';
import { isEnded } from '../commands/status-steps.ts';
import { outcomeInWords, outcomeOf, type Steerers, steerCommand, steerersOf, steerTargets } from './steering.ts';

const text = devicesText.steer;

interface Sent {
  command_id: string;
  target: string;
}

export function SteerCard({ device }: { device: DeviceDetails }) {
  const ap_ids = device.links.map(({ ap_id }) => ap_id);
  const { data, failure } = useAgents(
    { selector: selectorOf(ap_ids), limit: Math.max(1, ap_ids.length), fields: ['configuration'] },
    { pages: 1, pollMs: () => 15_000, isWanted: ap_ids.length > 0 },
  );
  const [sent, setSent] = useState<Sent | undefined>(undefined);
  const steerers = steerersOf((data?.items ?? []).filter(({ ap_id }) => ap_ids.includes(ap_id)));
  const isWaiting = ap_ids.length > 0 && !data && !failure;
  // Who may command none of its access points is offered nothing; what was sent is still told.
  if (!isWaiting && steerers.able.length + steerers.unable.length === 0 && !sent) return null;
  return (
    <section class="card steer-card" aria-label={text.label}>
      <h2>{text.title}</h2>
      {isWaiting ? <SkeletonLines count={4} /> : <SteerForm device={device} steerers={steerers} onSent={setSent} />}
      {sent && <SteerOutcome key={sent.command_id} sent={sent} />}
    </section>
  );
}

interface SteerFormProps {
  device: DeviceDetails;
  steerers: Steerers;
  onSent: (sent: Sent | undefined) => void;
}

function SteerForm({ device, steerers: { able, unable }, onSent }: SteerFormProps) {
  const form = useForm({ from: '', target: '', timeout: '', force: '' });
  const targets = steerTargets(device);
  const [first] = able;
  // What was chosen may be gone: it has moved, or is not heard any more.
  const { from, target } = form.values.value;
  const isFromGone = first !== undefined && !able.some(({ ap_id }) => ap_id === from);
  const isTargetGone = target !== '' && !targets.some(({ ap_id }) => ap_id === target);
  useEffect(() => {
    if (isFromGone) form.set('from', first.ap_id);
    if (isTargetGone) form.set('target', '');
  }, [isFromGone, isTargetGone]);
  if (!first) return <p class="soft">{unable[0] ? text.cannot(agentName(unable[0].ap_id)) : text.notAttached}</p>;
  if (targets.length === 0) return <p class="soft">{text.hearsNone}</p>;
  const submit = async (values: typeof form.values.value) => {
    onSent(undefined);
    const { target } = values;
    if (!targets.some(({ ap_id }) => ap_id === target)) throw problemAt('target', text.noTarget);
    const agent_id = able.find(({ ap_id }) => ap_id === values.from)?.ap_id ?? first.ap_id;
    const query = { agent_id, command: steerCommand(device.device, values) };
    try {
      const answer = await call('send_command', { query });
      if ('command_id' in answer && answer.command_id !== null) onSent({ command_id: answer.command_id, target });
    } catch (error) {
      throw toWords(error, agent_id);
    }
    queries.refresh('list_commands');
  };
  return (
    <Form form={form} label={text.label} onSubmit={submit}>
      {able.length > 1 && (
        <SelectField
          form={form}
          name="from"
          label={text.from}
          options={able.map(({ ap_id }) => ({ value: ap_id, label: agentName(ap_id) }))}
        />
      )}
      <SelectField
        form={form}
        name="target"
        label={text.target}
        hint={text.hint}
        options={[
          { value: '', label: text.choose },
          ...targets.map(({ ap_id, rssi_dbm }) => ({
            value: ap_id,
            label: text.option(agentName(ap_id), rssi_dbm === null ? '' : formatValue(rssi_dbm, 'dBm')),
          })),
        ]}
      />
      <details class="more-options" open={form.problems.value.timeout !== undefined || undefined}>
        <summary>{text.more}</summary>
        <div class="stack">
          <TextField form={form} name="timeout" label={text.timeout} hint={text.timeoutHint} inputMode="numeric" />
          <SelectField
            form={form}
            name="force"
            label={text.force}
            options={[
              { value: '', label: text.forceNo },
              { value: 'true', label: text.forceYes },
            ]}
          />
        </div>
      </details>
      <div>
        <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
          {text.send}
        </Button>
      </div>
    </Form>
  );
}

function SteerOutcome({ sent: { command_id, target } }: { sent: Sent }) {
  const { data } = useOperation(
    'get_command',
    { path: { command_id } },
    { pollMs: (command) => (isEnded(command) ? 30_000 : 500) },
  );
  const hasEnded = data !== undefined && isEnded(data);
  useEffect(() => {
    if (hasEnded) queries.refresh('get_device');
  }, [hasEnded]);
  const name = agentName(target);
  const outcome = data && outcomeOf(data);
  const words = data && outcomeInWords(data, name);
  return (
    <div class="steer-outcome" aria-live="polite">
      <span class="spread">
        {data ? <StatusDots command={data} /> : <span />}
        <a class="small" href={commandHref(command_id)}>
          {text.details}
        </a>
      </span>
      {hasEnded ? (
        <Notice
          kind={outcome === 'moved' ? 'good' : 'warning'}
          title={words ?? text.ended(commandsText.states[data.state])}
        />
      ) : (
        <p class="soft">{text.waiting(name)}</p>
      )}
    </div>
  );
}

/** A conflict in words about who wants the device elsewhere; problems at the fields that they belong to. */
function toWords(error: unknown, ap_id: string): Failure {
  const failure = toFailure(error);
  if (failure.code === 'command_conflict') {
    const { reason = 'held_by_other', rival = null } = failure.conflict ?? {};
    const sentence = decisionSentence({ ap_id, verdict: 'rejected', reason, detail: failure.message, rival });
    const { retryAfterSeconds } = failure;
    return new Failure(failure.status, failure.code, sentence, { retryAfterSeconds });
  }
  return withProblemsMoved(failure, (path) => {
    if (path === 'command.timeout_seconds') return { field: 'timeout' };
    return path === 'command.target' || path === 'command.device' ? { field: 'target' } : undefined;
  });
}

function problemAt(field: string, msg: string): Failure {
  return new Failure(422, 'validation_error', msg, { problems: [{ loc: ['body', field], msg, type: 'value_error' }] });
}
