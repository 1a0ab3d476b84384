// Sends a command to one access point or many: the form is made from what they declare, a dry run shows what would be
// decided, and afterwards one sees its result. Used on its own page and on that of an agent.
import './command-form.css';
import { interruptsService } from '@weft/contract/declared-commands';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, problemAt, toFailure, withProblemsMoved } from '../../../api/client.ts';
import { Button, type ButtonProps } from '../../../components/button.tsx';
import { Notice, useAction } from '../../../components/feedback.tsx';
import { Form, keepForm, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { useLookAheads } from '../../../components/look-ahead.tsx';
import { agentName } from '../../../data/agents.ts';
import { serverNow } from '../../../data/freshness.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatCount, typedNumber } from '../../../format.ts';
import { emulatorText } from '../../../text/pages.ts';
import { CommandFields, MoreOptions } from './command-fields.tsx';
import { CommandOutcome, ConfirmCommand, type Outcome } from './command-outcome.tsx';
import {
  commonCommands,
  readDeclaredCommands,
  toCommand,
  type WrittenCommand,
  wayBack,
  writeCommand,
} from './declared-commands.ts';
import { GuardFields, guardOf, guardValues, suggestGuard } from './guard-fields.tsx';

const notAllowedWords = (names: string[]) =>
  `You have not started or been granted ${names.length > 3 ? `these ${names.length}` : names.join(', ')}.`;

interface CommandTarget {
  ap_id: string;
  configuration: Record<string, unknown>;
  /** What the user may do with it; undefined while it is not known. */
  may?: readonly string[] | undefined;
  /** The newest values of its metrics, if they are known. */
  latest?: Readonly<Record<string, unknown>> | undefined;
}

interface CommandFormProps {
  targets: readonly CommandTarget[];
  /** Sent instead of the list of names: Weft finds the access points. */
  pattern?: string | undefined;
  /** What the fields hold at first. */
  initial?: WrittenCommand | undefined;
  /** What is done with that at once; what is sent has a guard, if there is one that fits. */
  atOnce?: 'what_if' | 'dry_run' | 'send' | undefined;
}

export function CommandForm({ targets, pattern, initial, atOnce }: CommandFormProps) {
  const isOne = pattern === undefined && targets.length === 1;
  const offered = isOne && initial && atOnce ? suggestGuard(initial.name, targets[0]!) : undefined;
  const form = useForm<Record<string, string>>({ ...initialValues(initial), ...guardValues(offered) });
  // A command that was only chosen is chosen again in a moment.
  useUnsavedForm(form, ['name', 'guard_comparison', 'guard_scope']);
  /** `dry_run`, `send`, or one of the ways to look ahead. */
  const way = useRef('send');
  const buttons = useRef<HTMLDivElement>(null);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [back, setBack] = useState<ReturnType<typeof wayBack>>([]);
  const lookAheads = useLookAheads();
  const emulated = targets.filter(({ configuration }) => configuration.emulated === true);
  const commands = useMemo(
    () => commonCommands(targets.map(({ configuration }) => readDeclaredCommands(configuration))),
    [targets],
  );
  const [asked, setAsked] = useState<{ name: string; answer: (isConfirmed: boolean) => void } | undefined>(undefined);
  const confirmed = async (name: string): Promise<boolean> => {
    if (way.current !== 'send' || !interruptsService(name)) return true;
    const isConfirmed = await new Promise<boolean>((answer) => setAsked({ name, answer }));
    setAsked(undefined);
    return isConfirmed;
  };
  const submit = async (values: Record<string, string>) => {
    setOutcome(undefined);
    setBack([]);
    if ((values.name ?? '').trim() === '') throw problemAt('name', 'Choose a command');
    const command = toCommand(commands, values);
    const lookAhead = lookAheads.find(({ name }) => name === way.current);
    if (lookAhead) {
      await lookAhead.ask(emulated.map(({ ap_id }) => ({ agent_id: ap_id, command: writeCommand(command) })));
      return;
    }
    if (!(await confirmed(command.name))) return;
    // As they are now: afterwards it is unknown what each had before.
    const before = way.current === 'send' ? wayBack(command, targets) : [];
    const isDryRun = way.current === 'dry_run';
    // Those that were named: a pattern might match others by now.
    const whom = interruptsService(command.name) ? targets.map(({ ap_id }) => ap_id) : undefined;
    try {
      setOutcome(
        isOne
          ? await sendToOne(targets[0]!.ap_id, command, values, isDryRun)
          : await sendToMany(whom ?? pattern ?? targets.map(({ ap_id }) => ap_id), command, values, isDryRun),
      );
    } catch (error) {
      const limit = (values.guard_limit ?? '').trim();
      throw withProblemsMoved(error, (path) => fieldAt(path, limit === '' || !Number.isFinite(Number(limit))));
    }
    if (isDryRun) return;
    setBack(before);
    keepForm(form);
    queries.refresh('list_commands');
  };
  const noCommon = commands?.length === 0 && targets.length > 0;
  const notAllowed = targets.filter(({ may }) => may !== undefined && !may.includes('command'));
  const cannotSend = noCommon || targets.length === 0 || notAllowed.length > 0;
  const problem = form.problems.value.agents;
  const goingBack = useAction();
  const goBack = () =>
    goingBack.act(async () => {
      for (const { command, ap_ids } of back) {
        if (ap_ids.length === 1) await call('send_command', { query: { agent_id: ap_ids[0]!, command } });
        else await call('command_batch', { json: { agents: ap_ids, command } });
      }
      setBack([]);
      queries.refresh('list_commands');
      return 'The values from before were sent';
    });
  const sendWords = targets.length > 1 ? `Send to ${formatCount(targets.length, 'access point')}` : 'Send';
  const ways: readonly (readonly [name: string, look: ButtonProps])[] = [
    ['dry_run', { words: 'Dry run' }],
    ...(emulated.length > 0 ? lookAheads : []).map(({ name, words }) => [name, { icon: 'emulator', words }] as const),
    ['send', { kind: 'primary', words: sendWords }],
  ];
  useEffect(() => {
    if (!atOnce || cannotSend || !ways.some(([name]) => name === atOnce)) return;
    way.current = atOnce;
    buttons.current?.closest('form')?.requestSubmit();
  }, []);
  return (
    <Form form={form} label="Send a command" onSubmit={submit}>
      {problem !== undefined && <Notice kind="warning" title={problem} />}
      {notAllowed.length > 0 && (
        <Notice title="You may not send commands to this choice.">
          {notAllowedWords(notAllowed.map(({ ap_id }) => agentName(ap_id)))}
        </Notice>
      )}
      {targets.length === 0 && <p class="soft">Select access points to see their commands.</p>}
      {noCommon ? (
        <Notice
          kind="warning"
          title="These access points have no command in common."
          words="Select fewer access points, or only one type."
        />
      ) : (
        targets.length > 0 && <CommandFields form={form} commands={commands} now={isOne ? targets[0] : undefined} />
      )}
      {isOne && <GuardFields form={form} target={targets[0]!} />}
      {!isOne && targets.length > 0 && (
        <p class="faint small">A guard works for one access point only. Select one to set it.</p>
      )}
      <MoreOptions form={form} />
      {emulated.length === 0 && targets.length > 0 && (
        <p class="faint small">
          {isOne
            ? 'On a real access point nothing can be predicted. A guard puts the old value back if a metric gets worse.'
            : emulatorText.whatIf.realMany}
        </p>
      )}
      <div class="cluster" ref={buttons}>
        {ways.map(([name, look]) => (
          <Button
            key={name}
            type="submit"
            isBusy={form.isBusy.value}
            disabled={cannotSend}
            onClick={() => {
              way.current = name;
            }}
            {...look}
          />
        ))}
      </div>
      {lookAheads.map(({ brief }) => brief)}
      {outcome && <CommandOutcome outcome={outcome} />}
      {outcome && back.length > 0 && (
        <div>
          <Button isBusy={goingBack.isBusy} onClick={goBack} words="Go back to the values from before" />
        </div>
      )}
      {asked && (
        <ConfirmCommand
          name={asked.name}
          ap_ids={targets.map(({ ap_id }) => ap_id)}
          onConfirm={async () => asked.answer(true)}
          onClose={() => asked.answer(false)}
        />
      )}
    </Form>
  );
}

async function sendToOne(
  ap_id: string,
  command: WrittenCommand,
  values: Record<string, string>,
  dry_run: boolean,
): Promise<Outcome> {
  const guard = guardOf(values);
  const isOffered = values.guard_offered === 'true';
  const query = {
    agent_id: ap_id,
    command: writeCommand(command),
    ...options(values),
    ...(guard && { guard }),
    dry_run,
  };
  try {
    const answer = await call('send_command', { query });
    const command_id = 'command_id' in answer ? answer.command_id : null;
    return { isDryRun: dry_run, batch_id: null, targets: [{ ...answer, ap_id, command_id }] };
  } catch (error) {
    const failure = toFailure(error);
    // One that nobody asked for must not stand in the way.
    if (failure.code === 'guard_cannot_roll_back' && isOffered) {
      return { ...(await sendToOne(ap_id, command, { ...values, guard_metric: '' }, dry_run)), isUnguarded: true };
    }
    if (failure.code !== 'command_conflict') throw failure;
    const { message: detail, retryAfterSeconds, conflict } = failure;
    return {
      isDryRun: false,
      batch_id: null,
      targets: [
        {
          ap_id,
          command_id: null,
          verdict: 'rejected',
          reason: conflict?.reason ?? 'held_by_other',
          detail,
          rival: conflict?.rival ?? null,
          hold_until: null,
        },
      ],
      ...(retryAfterSeconds !== undefined && { retryAt: serverNow() + retryAfterSeconds * 1000 }),
    };
  }
}

async function sendToMany(
  agents: string[] | string,
  command: WrittenCommand,
  values: Record<string, string>,
  dry_run: boolean,
): Promise<Outcome> {
  const json = { agents, command: writeCommand(command), ...options(values), dry_run };
  const { batch_id, targets } = await call('command_batch', { json });
  return { isDryRun: dry_run, batch_id, targets };
}

function options({ hold_seconds = '', expires_in = '' }: Record<string, string>) {
  return {
    ...(hold_seconds.trim() !== '' && { hold_seconds: typedNumber(hold_seconds) }),
    ...(expires_in.trim() !== '' && { expires_in: typedNumber(expires_in) }),
  };
}

function fieldAt(path: string, isLimitWrong: boolean): { field: string } | undefined {
  if (path === 'command' || path === 'command.name') return { field: 'name' };
  if (path.startsWith('command.')) return { field: `args.${path.slice('command.'.length)}` };
  if (path === 'guard') return { field: isLimitWrong ? 'guard_limit' : 'guard_metric' };
  return path === 'agent_id' || path.startsWith('agents') ? { field: 'agents' } : undefined;
}

function initialValues(initial: WrittenCommand | undefined): Record<string, string> {
  const args = Object.entries(initial?.args ?? {}).map(([arg, value]) => [
    `args.${arg}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    ...{
      agents: '',
      name: initial?.name ?? '',
      arguments: initial && args.length > 0 ? JSON.stringify(initial.args) : '',
    },
    ...{ hold_seconds: '', expires_in: '' },
    ...Object.fromEntries(args),
  };
}
