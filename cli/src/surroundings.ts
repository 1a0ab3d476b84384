// The environment of a command (variables, streams, interruption), and its exit codes.
import type { ReadStream } from 'node:tty';

export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  /** For results. */
  stdout: Output;
  /** For messages. */
  stderr: Output;
  /** Aborted on Ctrl+C and SIGTERM. Until the first call, they end the process at once. */
  interruption?: () => AbortSignal;
}

export interface Output {
  write(text: string | Uint8Array): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  once?(event: 'drain', listener: () => void): unknown;
}

/** On a terminal only the codes that Weft itself writes count (colours, redrawing): names and errors come from others. */
export function terminalOf(output: Output): Output {
  if (output.isTTY !== true) return output;
  const others = /(\x1b\[[0-9;]*[AJKm])|(?![\r\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
  const shown = (text: string) => text.replaceAll(others, (_, own?: string) => own ?? '\ufffd');
  const write = (text: string | Uint8Array) => output.write(typeof text === 'string' ? shown(text) : text);
  // Its size changes.
  return Object.create(output, { write: { value: write }, once: { value: output.once?.bind(output) } });
}

/** Writes with back-pressure. */
export async function writeAll(output: Output, piece: string | Uint8Array): Promise<void> {
  if (output.write(piece) !== false || !output.once) return;
  await new Promise<void>((resolve) => output.once?.('drain', resolve));
}

/** `conflict`: Weft rejected a command, because another caller holds the lease. */
export const exitCode = { ok: 0, failure: 1, usage: 2, conflict: 3, configuration: 78 } as const;

/** The command or its options are invalid: exit code 2, with a hint to the help. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command failed; the message says what to do. Exit code 1. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
}

/** Every command takes --no-color, which means the same as the variable NO_COLOR. */
export function readColorFlag(
  args: readonly string[],
  env: Surroundings['env'],
): { rest: string[]; env: Surroundings['env'] } {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const rest = args.filter((arg, index) => arg !== '--no-color' || index > end);
  return { rest, env: rest.length < args.length ? { ...env, NO_COLOR: '1' } : env };
}

/** Whether to write escape codes for colour. */
export function hasColor(output: Output, env: Surroundings['env']): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function interruptionOf({ interruption }: Surroundings): AbortSignal {
  return interruption?.() ?? new AbortController().signal;
}

/** Up to `limit` of a stream, which ends with the command. Throws once it is interrupted. */
export async function firstOf<Item>(
  open: (signal: AbortSignal) => AsyncIterable<Item>,
  limit: number,
  around: Surroundings,
): Promise<Item[]> {
  const signal = interruptionOf(around);
  const found: Item[] = [];
  for await (const item of open(signal)) if (found.push(item) >= limit) break;
  signal.throwIfAborted();
  return found;
}
