// What a command sees of the process it runs in, and the exit codes it may end with.
import type { ReadStream } from 'node:tty';

export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  /** For what was asked for. */
  stdout: Output;
  /** For everything said beside it. */
  stderr: Output;
}

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

export const exitCode = { ok: 0, failure: 1, usage: 2, configuration: 78 } as const;

/** The command was typed in a way that cannot be followed: exit code 2, and where to read more. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Whether escape codes for colour belong into this output. */
export function hasColor(output: Output, env: Surroundings['env']): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
