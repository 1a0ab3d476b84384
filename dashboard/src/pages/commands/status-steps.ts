// The status history of a command as steps: queued, sent, received, and how it ended. Pure.
import type { Command, CommandState } from '../../api/operations.ts';

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
