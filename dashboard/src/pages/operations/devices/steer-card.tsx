// Moves a device to another access point: only to one that it hears, only for those who may command the one that serves it. What
// came of it is what the network saw.
import { isObject } from '@weft/contract/is-object';
import { useEffect, useState } from 'preact/hooks';
import {
  type AgentListItem,
  type Command,
  call,
  type Device,
  type DeviceDetails,
  Failure,
  problemAt,
  type SteeringAttempt,
  toFailure,
  withProblemsMoved,
} from '../../../api/client.ts';
import { Notice, SkeletonLines } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { LookAheadButtons, useLookAheads } from '../../../components/look-ahead.tsx';
import { agentName, selectorOf } from '../../../data/agents.ts';
import { useAgents } from '../../../data/lists/list-pages.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatValue, typedNumber } from '../../../format.ts';
import { commandsText, devicesText, emulatorText } from '../../../text/pages.ts';
import { commandHref, isEnded, StatusDots } from '../commands/command-marks.tsx';
import { decisionSentence } from '../commands/command-words.ts';
import { readDeclaredCommands } from '../commands/declared-commands.ts';

const text = {
  label: 'Steer this device',
  option: (name: string, signal: string) => (signal === '' ? name : `${name} (${signal})`),
  outcome: {
    moved: (target: string) => `It moved: ${target} reports the device.`,
    refused: (target: string, code: string) => `The device refused to move to ${target}${code}.`,
    code: (code: number) => ` (reason code ${code})`,
    unreachable: (target: string) =>
      `Not reachable: its access point does not serve it any more, or ${target} did not report in time.`,
    ignored: (target: string) => `It did not go: ${target} reported in time, without the device.`,
  },
};

export type SteeringOutcome = SteeringAttempt['outcome'];
export const steerDevice = 'steer_device';

export interface SteerTarget {
  ap_id: string;
  rssi_dbm: number | null;
}

/** Other access points that it hears, each once, strongest first. Radios that are no access point of the network cannot be a target. */
export function steerTargets({ links, heard }: Pick<Device, 'links' | 'heard'>): SteerTarget[] {
  const serving = new Set(links.map(({ ap_id }) => ap_id));
  const strongest = new Map<string, number | null>();
  for (const { ap_id, rssi_dbm } of heard) {
    if (ap_id === undefined || serving.has(ap_id)) continue;
    const known = strongest.get(ap_id);
    if (known === undefined || (rssi_dbm !== null && (known === null || rssi_dbm > known)))
      strongest.set(ap_id, rssi_dbm);
  }
  const level = ({ rssi_dbm }: SteerTarget) => rssi_dbm ?? Number.NEGATIVE_INFINITY;
  return [...strongest]
    .map(([ap_id, rssi_dbm]) => ({ ap_id, rssi_dbm }))
    .sort((a, b) => level(b) - level(a) || (a.ap_id < b.ap_id ? -1 : 1));
}

type Serving = Pick<AgentListItem, 'ap_id' | 'may' | 'configuration'>;

export interface Steerers {
  /** Access points of the device that the user may send the command to, and that know it. */
  able: Serving[];
  /** Those that the user may command, but that do not know it. */
  unable: Serving[];
}

/** Whoever lists no commands may know every one. */
export function steerersOf(serving: readonly Serving[]): Steerers {
  const allowed = serving.filter(({ may }) => may.includes('command'));
  const knows = ({ configuration = {} }: Serving) =>
    readDeclaredCommands(configuration)?.some(({ name }) => name === steerDevice) ?? true;
  return { able: allowed.filter(knows), unable: allowed.filter((each) => !knows(each)) };
}

/** As `send_command` wants it. Empty fields are left out; what is not a number goes as it was typed: the server has words for it. */
export function steerCommand(
  device: string,
  { target, timeout, force }: Record<'target' | 'timeout' | 'force', string>,
) {
  const seconds = timeout.trim();
  return JSON.stringify({
    name: steerDevice,
    device,
    target,
    ...(seconds !== '' && { timeout_seconds: typedNumber(seconds) }),
    ...(force === 'true' && { force: true }),
  });
}

/** What the network saw; undefined while it is unknown, and of commands that ended otherwise. */
export function outcomeOf({ result }: Pick<Command, 'result'>): SteeringOutcome | undefined {
  const outcome = isObject(result) ? result.outcome : undefined;
  return typeof outcome === 'string' && Object.hasOwn(devicesText.outcomes, outcome)
    ? (outcome as SteeringOutcome)
    : undefined;
}

export function outcomeInWords(command: Pick<Command, 'result'>, target: string): string | undefined {
  const outcome = outcomeOf(command);
  if (outcome === undefined) return undefined;
  if (outcome !== 'refused') return text.outcome[outcome](target);
  const code = isObject(command.result) ? command.result.status_code : undefined;
  return text.outcome.refused(target, typeof code === 'number' ? text.outcome.code(code) : '');
}

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
      <h2>Steer</h2>
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
  const lookAheads = useLookAheads();
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
  if (!first)
    return (
      <p class="soft">
        {unable[0]
          ? `${agentName(unable[0].ap_id)} cannot steer devices.`
          : 'It is attached to no access point that you may send commands to.'}
      </p>
    );
  if (targets.length === 0)
    return <p class="soft">It reports no other access point that it hears, so there is nowhere to steer it.</p>;
  const sender = able.find(({ ap_id }) => ap_id === from) ?? first;
  const isEmulated = sender.configuration?.emulated === true;
  const commands = () => [{ agent_id: sender.ap_id, command: steerCommand(device.device, form.values.peek()) }];
  const submit = async (values: typeof form.values.value) => {
    onSent(undefined);
    const { target } = values;
    if (!targets.some(({ ap_id }) => ap_id === target)) throw problemAt('target', 'Choose where it is to go');
    const agent_id = sender.ap_id;
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
          {...form.at('from')}
          label="From"
          options={able.map(({ ap_id }) => [ap_id, agentName(ap_id)] as const)}
        />
      )}
      <SelectField
        {...form.at('target')}
        label="To"
        hint="Only access points that it hears."
        options={[
          ['', 'Choose an access point'],
          ...targets.map(({ ap_id, rssi_dbm }) => {
            const level = rssi_dbm === null ? '' : formatValue(rssi_dbm, 'dBm');
            return [ap_id, text.option(agentName(ap_id), level)] as const;
          }),
        ]}
      />
      <details class="more-options" open={form.problems.value.timeout !== undefined || undefined}>
        <summary>More options</summary>
        <div class="stack">
          <TextField
            {...form.at('timeout')}
            label="Wait for it (seconds)"
            hint="Default: 30, at most 300"
            inputMode="numeric"
          />
          <SelectField
            {...form.at('force')}
            label="If it does not go"
            options={{ '': 'leave it where it is', true: 'disconnect it' }}
          />
        </div>
      </details>
      {!isEmulated && <p class="faint small">{emulatorText.whatIf.realMany}</p>}
      <div class="cluster">
        {isEmulated && <LookAheadButtons ways={lookAheads} disabled={target === ''} commands={commands} />}
        <SubmitButton form={form} words="Steer" />
      </div>
      {lookAheads.map(({ brief }) => brief)}
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
          Command
        </a>
      </span>
      {hasEnded ? (
        <Notice
          kind={outcome === 'moved' ? 'good' : 'warning'}
          title={words ?? `The command ended: ${commandsText.states[data.state].toLowerCase()}.`}
        />
      ) : (
        <p class="soft">{`Waiting until ${name} reports the device.`}</p>
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
