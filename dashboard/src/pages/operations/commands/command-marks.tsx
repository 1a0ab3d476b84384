// What lists and pages show of a command: a link for those who may see it, what was decided in one word, and its status history as
// a line of dots. Shapes say what colours say.
import './command-form.css';
import './command-status-history.css';
import type { Command, CommandState, Rival, VerdictWord } from '../../../api/client.ts';
import { MarkChip, marks } from '../../../components/glyph.tsx';
import { formatMoment, formatSpan } from '../../../format.ts';
import { session } from '../../../session/session.ts';
import { commandsText } from '../../../text/pages.ts';

const stepsText = { queued: 'Queued', sent: 'Sent', received: 'Received', ended: 'Finished' };

export type StepName = 'queued' | 'sent' | 'received' | 'ended';

export interface StatusStep {
  name: StepName;
  /** Milliseconds since 1970; undefined if it has not come to this, or never did. */
  at: number | undefined;
  /** `next` is what is waited for; `skipped` will not come any more. */
  mark: 'reached' | 'next' | 'ahead' | 'skipped' | 'good' | 'bad' | 'off';
}

type CommandTimes = Pick<Command, 'state' | 'created_at' | 'sent_at' | 'received_at' | 'ended_at'>;

const endMarks: Partial<Record<CommandState, StatusStep['mark']>> = {
  succeeded: 'good',
  failed: 'bad',
  rejected: 'bad',
  expired: 'bad',
  superseded: 'off',
  cancelled: 'off',
  rolled_back: 'bad',
  guard_broken: 'bad',
};

export function isEnded({ state }: Pick<Command, 'state'>): boolean {
  return endMarks[state] !== undefined;
}

/** Only what has not been acknowledged can be cancelled. */
export function isCancellable({ state }: Pick<Command, 'state'>): boolean {
  return state === 'queued' || state === 'sent';
}

export function statusSteps(command: CommandTimes): StatusStep[] {
  const end = endMarks[command.state];
  const times: [StepName, string | null][] = [
    ['queued', command.created_at],
    ['sent', command.sent_at],
    ['received', command.received_at],
  ];
  let hasNext = false;
  const unreached = (): StatusStep['mark'] => {
    if (end !== undefined) return 'skipped';
    if (hasNext) return 'ahead';
    hasNext = true;
    return 'next';
  };
  const steps = times.map(([name, time]): StatusStep => {
    const at = toMs(time);
    return { name, at, mark: at === undefined ? unreached() : 'reached' };
  });
  return [...steps, { name: 'ended', at: toMs(command.ended_at), mark: end ?? unreached() }];
}

/** From the request to the end, in seconds; undefined before the end. */
export function secondsTaken({ created_at, ended_at }: Pick<Command, 'created_at' | 'ended_at'>): number | undefined {
  return ended_at === null ? undefined : Math.max(0, Date.parse(ended_at) - Date.parse(created_at)) / 1000;
}

function toMs(time: string | null): number | undefined {
  return time === null ? undefined : Date.parse(time);
}

interface Sender {
  caller_kind: string | null;
  caller_name: string | null;
}

export function maySee({ caller_kind, caller_name }: Sender): boolean {
  const { isAdmin = false, username } = session.value ?? {};
  return isAdmin || (caller_kind === 'user' && caller_name === username);
}

export function commandHref(command_id: string): string {
  return `/commands/${encodeURIComponent(command_id)}`;
}

/** The command that was in the way; nothing for those who may not see it. */
export function RivalLink({ rival }: { rival: Rival | null }) {
  if (!rival || !maySee(rival)) return null;
  return <a href={commandHref(rival.command_id)}>{`Show command of ${rival.caller_name}`}</a>;
}

const shapes: Record<VerdictWord, string> = {
  accepted: marks.tick,
  accepted_modified: 'M1.5 4.2c2-2 3.5-2 4.5 0s2.5 2 4.5 0M1.5 8.4c2-2 3.5-2 4.5 0s2.5 2 4.5 0',
  queued: marks.clock,
  rejected: marks.cross,
};

export function VerdictChip({ verdict }: { verdict: VerdictWord }) {
  return <MarkChip class={`verdict-chip ${verdict}`} mark={shapes[verdict]} words={commandsText.verdicts[verdict]} />;
}

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
  return name === 'ended' && hasEnded ? commandsText.states[state] : stepsText[name];
}

function timeOf(command: CommandTimes, { name, at, mark }: StatusStep): string {
  if (at === undefined) return mark === 'skipped' ? 'skipped' : 'not yet';
  if (name !== 'ended') return preciseTime(at);
  const seconds = secondsTaken(command) ?? 0;
  return `${preciseTime(at)} · after ${spanOf(seconds)}`;
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
