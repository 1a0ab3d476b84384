// What came of sending, or would come of it: a verdict for each access point, and the status history of what was sent.

import { useEffect, useRef } from 'preact/hooks';
import type { BatchTarget, Command } from '../../api/operations.ts';
import { agentName } from '../../data/agent-names.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { commandsText } from '../../text/commands.ts';
import { RivalLink } from './command-link.tsx';
import { StatusDots } from './command-status-history.tsx';
import { argumentsInWords } from './command-words.ts';
import { decisionSentence, withFullStop } from './decision-words.ts';
import { isEnded } from './status-steps.ts';
import { VerdictChip } from './verdict-chip.tsx';

const text = commandsText.outcome;
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
  /** When to try again what was refused; milliseconds since 1970. */
  retryAt?: number | undefined;
}

export function CommandOutcome({ outcome }: { outcome: Outcome }) {
  const { isDryRun, batch_id, targets, retryAt } = outcome;
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
      <h3>{isDryRun ? text.dryRun : isRejected ? text.rejectedAll : text.sent}</h3>
      {targets.length > 1 && <p class="soft">{totalsInWords(targets)}</p>}
      <ul class="verdicts">
        {shown.map((target) => (
          <Verdict key={target.ap_id} target={target} command={known.get(target.command_id ?? '')} />
        ))}
      </ul>
      {retryAt !== undefined && <p class="soft">{text.tryAt(formatMoment(retryAt))}</p>}
      {targets.length > shown.length && (
        <p class="faint small">{text.more(formatCount(targets.length - shown.length, 'access point'))}</p>
      )}
    </section>
  );
}

function Verdict({ target, command }: { target: OutcomeTarget; command: Command | undefined }) {
  const { ap_id, verdict, hold_until, command_id, sent_args } = target;
  const words = [
    decisionSentence(target),
    sent_args && text.sendsInstead(argumentsInWords(sent_args)),
    hold_until && text.holdUntil(formatMoment(Date.parse(hold_until))),
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
  const counts = new Map<string, number>();
  for (const { verdict } of targets) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts]
    .map(([verdict, count]) => `${formatNumber(count)} ${(commandsText.verdicts[verdict] ?? verdict).toLowerCase()}`)
    .join(', ');
}
