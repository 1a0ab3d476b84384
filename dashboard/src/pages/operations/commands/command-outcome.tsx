// Before and after a command is sent: the question before one that interrupts service (who is affected, by name and number; from two
// on the number is typed), and its result at each access point.
import './confirm-command.css';
import { useEffect, useRef } from 'preact/hooks';
import type { BatchTarget, Command } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { agentName } from '../../../data/agents.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber } from '../../../format.ts';
import { commandsText } from '../../../text/pages.ts';
import { isEnded, RivalLink, StatusDots, VerdictChip } from './command-marks.tsx';
import { argumentsInWords, decisionSentence, withFullStop } from './command-words.ts';

interface ConfirmCommandProps {
  name: string;
  ap_ids: readonly string[];
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

export function ConfirmCommand({ name, ap_ids, onConfirm, onClose }: ConfirmCommandProps) {
  const count = formatCount(ap_ids.length, 'access point');
  const typed =
    ap_ids.length > 1
      ? { label: `Type ${ap_ids.length} to confirm the number of access points`, name: String(ap_ids.length) }
      : undefined;
  return (
    <ConfirmDialog
      title={`Send ${name} to ${ap_ids.length === 1 ? agentName(ap_ids[0]!) : count}?`}
      action="Send the command"
      {...(typed && { typed })}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>This command interrupts the service of the devices that are connected there.</p>
      <ul class="confirm-names" aria-label="Affected access points">
        {ap_ids.map((ap_id) => (
          <li key={ap_id} title={ap_id}>
            {agentName(ap_id)}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

/** Nobody reads more; the list of commands has all of them. */
const maxShown = 60;

export interface OutcomeTarget extends Omit<BatchTarget, 'stage' | 'job_number'> {
  /** What goes out instead of what was asked for. */
  sent_args?: Record<string, unknown> | undefined;
}

export interface Outcome {
  isDryRun: boolean;
  batch_id: string | null;
  targets: OutcomeTarget[];
  /** It went without the guard that was offered. */
  isUnguarded?: boolean;
  /** When to try again what was refused; milliseconds since 1970. */
  retryAt?: number | undefined;
}

export function CommandOutcome({ outcome }: { outcome: Outcome }) {
  const { isDryRun, batch_id, targets, retryAt, isUnguarded } = outcome;
  const [only] = targets.length === 1 ? targets : [];
  const sentOne = only?.command_id ?? undefined;
  const one = useOperation(
    'get_command',
    { path: { command_id: sentOne ?? '' } },
    { isWanted: sentOne !== undefined, pollMs: (command) => (isEnded(command) ? 30_000 : 500) },
  );
  const many = useOperation(
    'list_commands',
    { query: { ...(batch_id !== null && { batch_id }), limit: 200 } },
    { isWanted: batch_id !== null, pollMs: (commands) => (commands.every(isEnded) ? 30_000 : 1000) },
  );
  const known = new Map<string, Command>(
    [...(many.data ?? []), ...(one.data ? [one.data] : [])].map((command) => [command.command_id, command]),
  );
  const isRejected = !isDryRun && targets.every(({ command_id }) => command_id === null);
  const shown = targets.slice(0, maxShown);
  const element = useRef<HTMLElement>(null);
  // On a phone it is below what can be seen.
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [outcome]);
  return (
    <section ref={element} class="outcome" aria-live="polite">
      <h3>{isDryRun ? 'Dry run: nothing was sent' : isRejected ? 'Nothing was sent' : 'Sent'}</h3>
      {targets.length > 1 && <p class="soft">{totalsInWords(targets)}</p>}
      <ul class="verdicts">
        {shown.map((target) => (
          <Verdict key={target.ap_id} target={target} command={known.get(target.command_id ?? '')} />
        ))}
      </ul>
      {isUnguarded && (
        <p class="soft small">
          Without a guard: what was set before was not set through Weft, so it could not go back by itself.
        </p>
      )}
      {retryAt !== undefined && <p class="soft">{`Try again at ${formatMoment(retryAt)}.`}</p>}
      {targets.length > shown.length && (
        <p class="faint small">{`and ${formatCount(targets.length - shown.length, 'access point')} more`}</p>
      )}
    </section>
  );
}

function Verdict({ target, command }: { target: OutcomeTarget; command: Command | undefined }) {
  const { ap_id, verdict, hold_until, command_id, sent_args } = target;
  const words = [
    decisionSentence(target),
    sent_args && `${argumentsInWords(sent_args)} is sent instead`,
    hold_until && `you will hold the lease until ${formatMoment(hold_until)}`,
  ].filter(Boolean);
  return (
    <li>
      <VerdictChip verdict={verdict} />
      {command_id === null ? (
        <span title={ap_id}>{agentName(ap_id)}</span>
      ) : (
        <a href={`/commands/${command_id}`} title={ap_id}>
          {agentName(ap_id)}
        </a>
      )}
      <span class="why soft">
        {command ? (
          <span class="cluster">
            <StatusDots command={command} />
            <span>{commandsText.states[command.state]}</span>
          </span>
        ) : (
          <>
            {withFullStop(words.join('; '))} <RivalLink rival={target.rival} />
          </>
        )}
      </span>
    </li>
  );
}

function totalsInWords(targets: readonly OutcomeTarget[]): string {
  return [...Map.groupBy(targets, ({ verdict }) => verdict)]
    .map(([verdict, own]) => `${formatNumber(own.length)} ${(commandsText.verdicts[verdict] ?? verdict).toLowerCase()}`)
    .join(', ');
}
