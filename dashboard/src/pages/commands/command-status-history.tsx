// The status history of a command as a line of dots: small in a list, with words and times on its own page. Shapes say what
// colours say.
import type { Command } from '../../api/operations.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import { commandsText } from '../../text/commands.ts';
import './command-status-history.css';
import { type StatusStep, secondsTaken, statusSteps } from './status-steps.ts';

type CommandTimes = Pick<Command, 'state' | 'created_at' | 'sent_at' | 'received_at' | 'ended_at'>;

export function StatusDots({ command }: { command: CommandTimes }) {
  const steps = statusSteps(command);
  const words = statusWords(command, steps);
  return (
    <span class="status-dots" title={words}>
      {steps.map(({ name, mark }) => (
        <Dot key={name} mark={mark} />
      ))}
      <span class="visually-hidden">{words}</span>
    </span>
  );
}

export function StatusLine({ command }: { command: CommandTimes }) {
  const steps = statusSteps(command);
  return (
    <ol class="status-line">
      {steps.map((step) => (
        <li key={step.name} class={step.mark}>
          <Dot mark={step.mark} />
          <span class="step">{wordOf(command, step)}</span>
          <span class="faint small">{timeOf(command, step)}</span>
        </li>
      ))}
    </ol>
  );
}

function Dot({ mark }: { mark: StatusStep['mark'] }) {
  return (
    <svg class={`status-dot ${mark}`} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      {mark === 'skipped' ? <path d="M4.5 7h5" /> : <circle cx="7" cy="7" r="5" />}
      {mark === 'good' && <path class="sign" d="M4.4 7.2l1.9 1.9 3.4-3.9" />}
      {mark === 'bad' && <path class="sign" d="M5 5l4 4M9 5 5 9" />}
      {mark === 'off' && <path class="sign" d="M4.6 7h4.8" />}
    </svg>
  );
}

function wordOf({ state }: CommandTimes, { name }: StatusStep): string {
  const hasEnded = !['queued', 'sent', 'received'].includes(state);
  return name === 'ended' && hasEnded ? commandsText.states[state] : commandsText.steps[name];
}

function timeOf(command: CommandTimes, { name, at, mark }: StatusStep): string {
  if (at === undefined) return mark === 'skipped' ? commandsText.stepSkipped : commandsText.stepAhead;
  if (name !== 'ended') return preciseTime(at);
  const seconds = secondsTaken(command) ?? 0;
  return `${preciseTime(at)} · ${commandsText.took(spanOf(seconds))}`;
}

function statusWords(command: CommandTimes, steps: readonly StatusStep[]): string {
  const parts = steps
    .filter(({ at }) => at !== undefined)
    .map((step) => `${wordOf(command, step)} ${formatMoment(step.at!)}`);
  return parts.join(', ');
}

/** Commands are done within milliseconds: seconds alone would show nothing. */
function preciseTime(ms: number): string {
  return `${formatMoment(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`;
}

function spanOf(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(seconds < 1 ? 2 : 1)}\u2009s` : formatSpan(seconds, 2);
}
