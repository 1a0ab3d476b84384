// Sends a command to one access point or many: the form is made from what they declare, a dry run shows what would be
// decided, and afterwards one sees its result. Used on its own page and on that of an agent.
import './command-form.css';
import { interruptsService } from '@weft/contract/declared-commands';
import { useMemo, useRef, useState } from 'preact/hooks';
import { call, problemAt, toFailure, withProblemsMoved } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, keepForm, useForm, useUnsavedForm } from '../../components/forms/form.tsx';
import { agentName } from '../../data/agents.ts';
import { serverNow } from '../../data/freshness.ts';
import { queries } from '../../data/use-operation.ts';
import { formatCount } from '../../format.ts';
import { commandsText } from '../../text/commands.ts';
import { CommandFields, type CommandFormState } from './command-fields.tsx';
import { CommandOutcome, ConfirmCommand, type Outcome } from './command-outcome.tsx';
import {
  commonCommands,
  readDeclaredCommands,
  toCommand,
  type WrittenCommand,
  writeCommand,
} from './declared-commands.ts';

const text = commandsText.form;

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
}

export function CommandForm({ targets, pattern, initial }: CommandFormProps) {
  const form = useForm<Record<string, string>>(initialValues(initial));
  // A command that was only chosen is chosen again in a moment.
  useUnsavedForm(form, ['name', 'guard_comparison']);
  const isDryRun = useRef(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const commands = useMemo(
    () => commonCommands(targets.map(({ configuration }) => readDeclaredCommands(configuration))),
    [targets],
  );
  const isOne = pattern === undefined && targets.length === 1;
  const [asked, setAsked] = useState<{ name: string; answer: (isConfirmed: boolean) => void } | undefined>(undefined);
  const confirmed = async (name: string): Promise<boolean> => {
    if (isDryRun.current || !interruptsService(name)) return true;
    const isConfirmed = await new Promise<boolean>((answer) => setAsked({ name, answer }));
    setAsked(undefined);
    return isConfirmed;
  };
  const submit = async (values: Record<string, string>) => {
    setOutcome(undefined);
    if ((values.name ?? '').trim() === '') throw problemAt('name', text.noName);
    const command = toCommand(commands, values);
    if (!(await confirmed(command.name))) return;
    // Those that were named: a pattern might match others by now.
    const whom = interruptsService(command.name) ? targets.map(({ ap_id }) => ap_id) : undefined;
    try {
      setOutcome(
        isOne
          ? await sendToOne(targets[0]!.ap_id, command, values, isDryRun.current)
          : await sendToMany(whom ?? pattern ?? targets.map(({ ap_id }) => ap_id), command, values, isDryRun.current),
      );
    } catch (error) {
      const limit = (values.guard_limit ?? '').trim();
      throw withProblemsMoved(error, (path) => fieldAt(path, limit === '' || !Number.isFinite(Number(limit))));
    }
    if (isDryRun.current) return;
    keepForm(form);
    queries.refresh('list_commands');
  };
  const noCommon = commands?.length === 0 && targets.length > 0;
  const notAllowed = targets.filter(({ may }) => may !== undefined && !may.includes('command'));
  const cannotSend = noCommon || targets.length === 0 || notAllowed.length > 0;
  const problem = form.problems.value.agents;
  return (
    <Form form={form} label={text.label} onSubmit={submit}>
      {problem !== undefined && <Notice kind="warning" title={problem} />}
      {notAllowed.length > 0 && (
        <Notice title={text.notAllowed}>{text.notAllowedWords(notAllowed.map(({ ap_id }) => agentName(ap_id)))}</Notice>
      )}
      {targets.length === 0 && <p class="soft">{text.chooseFirst}</p>}
      {noCommon ? (
        <Notice kind="warning" title={text.noCommon} words={text.noCommonWords} />
      ) : (
        targets.length > 0 && <CommandFields form={form} commands={commands} now={isOne ? targets[0] : undefined} />
      )}
      <MoreOptions form={form} isOne={isOne} />
      <div class="cluster">
        <Button
          type="submit"
          isBusy={form.isBusy.value}
          disabled={cannotSend}
          onClick={() => {
            isDryRun.current = true;
          }}
        >
          {text.dryRun}
        </Button>
        <Button
          type="submit"
          kind="primary"
          isBusy={form.isBusy.value}
          disabled={cannotSend}
          onClick={() => {
            isDryRun.current = false;
          }}
        >
          {targets.length > 1 ? text.sendMany(formatCount(targets.length, 'access point')) : text.send}
        </Button>
      </div>
      {outcome && <CommandOutcome outcome={outcome} />}
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

function MoreOptions({ form, isOne }: { form: CommandFormState; isOne: boolean }) {
  const isWrong = ['hold_seconds', 'expires_in', 'guard_metric', 'guard_limit'].some(
    (name) => form.problems.value[name] !== undefined,
  );
  return (
    <details class="more-options" open={isWrong || undefined}>
      <summary>{text.more}</summary>
      <div class="stack">
        <div class="command-fields">
          <TextField {...form.at('hold_seconds')} label={text.hold} hint={text.holdHint} inputMode="numeric" />
          <TextField {...form.at('expires_in')} label={text.expires} hint={text.expiresHint} inputMode="numeric" />
        </div>
        {isOne ? (
          <fieldset class="bare-fieldset stack">
            <legend class="visually-hidden">{text.guard}</legend>
            <p class="soft small">
              <strong>{text.guard}</strong> {text.guardWords}
            </p>
            <div class="guard-fields">
              <TextField {...form.at('guard_metric')} label={text.guardMetric} placeholder="rsrp_dbm" isMono />
              <SelectField
                {...form.at('guard_comparison')}
                label={text.guardComparison}
                options={{ '>': text.above, '<': text.below }}
              />
              <TextField {...form.at('guard_limit')} label={text.guardLimit} inputMode="decimal" />
            </div>
          </fieldset>
        ) : (
          <p class="faint small">{text.guardOne}</p>
        )}
      </div>
    </details>
  );
}

async function sendToOne(
  ap_id: string,
  command: WrittenCommand,
  values: Record<string, string>,
  dry_run: boolean,
): Promise<Outcome> {
  const guard = values.guard_metric?.trim()
    ? `${values.guard_metric.trim()}${values.guard_comparison}${(values.guard_limit ?? '').trim()}`
    : undefined;
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

/** What is not a number goes out as it was typed: the server has words for it. */
function options({ hold_seconds = '', expires_in = '' }: Record<string, string>) {
  const toNumber = (words: string) => (Number.isFinite(Number(words)) ? Number(words) : (words as unknown as number));
  return {
    ...(hold_seconds.trim() !== '' && { hold_seconds: toNumber(hold_seconds.trim()) }),
    ...(expires_in.trim() !== '' && { expires_in: toNumber(expires_in.trim()) }),
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
    ...{ hold_seconds: '', expires_in: '', guard_metric: '', guard_comparison: '>', guard_limit: '' },
    ...Object.fromEntries(args),
  };
}
