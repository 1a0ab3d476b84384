// What a command sees of the process it runs in, and the exit codes it may end with.
import type { ReadStream } from 'node:tty';

export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  /** For what was asked for. */
  stdout: Output;
  /** For everything said beside it. */
  stderr: Output;
  /** Aborted when somebody wants the command to end (Ctrl+C, SIGTERM); until it is asked for, they end it at once. */
  interruption?: () => AbortSignal;
}

export interface Output {
  write(text: string | Uint8Array): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  once?(event: 'drain', listener: () => void): unknown;
}

/** No faster than whoever reads takes it. */
export async function writeAll(output: Output, piece: string | Uint8Array): Promise<void> {
  if (output.write(piece) !== false || !output.once) return;
  await new Promise<void>((resolve) => output.once?.('drain', resolve));
}

/** `conflict`: Weft decided against a command, because somebody else holds what it would change. */
export const exitCode = { ok: 0, failure: 1, usage: 2, conflict: 3, configuration: 78 } as const;

/** The command was typed in a way that cannot be followed: exit code 2, and where to read more. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** What was asked for cannot be done; the message says what to do about it. Exit code 1. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
}

/** Whether escape codes for colour belong into this output. */
export function hasColor(output: Output, env: Surroundings['env']): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function interruptionOf({ interruption }: Surroundings): AbortSignal {
  return interruption?.() ?? new AbortController().signal;
}
