// `weft serve`: starts Weft, says where it is and what to do next, and sees to it that it ends in good order.
import type { Config } from '../config.ts';
import type { RunningWeft } from '../wire.ts';
import { parseCommandLine } from './command-line.ts';
import { openFileLimit } from './open-file-limit.ts';
import { readConfig } from './read-config.ts';
import { exitCode, type Surroundings, UsageError } from './surroundings.ts';

// A terminal sends Ctrl+C to every process in the foreground and npm passes it on once more: that is one wish to stop.
const sameKeystrokeMs = 1000;
// Beyond what stopping may take by itself: then something hangs.
const stopGraceMs = 5000;

export async function serveCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args);
  if (line.words.length > 0) throw new UsageError(`weft serve takes no ${line.words[0]}.`);
  const config = readConfig(line, around.env);
  const { warning: fileWarning } = openFileLimit(config.maxConnections);
  for (const warning of [...config.warnings, ...(fileWarning === undefined ? [] : [fileWarning])]) {
    around.stderr.write(`weft: warning: ${warning}\n`);
  }
  const ending = new Ending(config, around);
  const { serve } = await import('../wire.ts');
  const weft = await serve(config);
  ending.watch(weft);
  around.stdout.write(welcome(weft, config));
  return ending.code;
}

/** Turns signals and failures into one orderly stop. */
class Ending {
  readonly code: Promise<number>;
  readonly #config: Config;
  readonly #around: Surroundings;
  readonly #end: (code: number) => void;
  #weft: RunningWeft | undefined;
  #stopAskedAt: number | undefined;

  constructor(config: Config, around: Surroundings) {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.code = promise;
    // Handles that something forgot to close must not keep the process alive.
    promise.then((code) => process.exit(code));
    this.#end = resolve;
    this.#config = config;
    this.#around = around;
    process.on('SIGTERM', () => this.#onSignal(143));
    process.on('SIGINT', () => this.#onSignal(130));
    process.on('uncaughtException', (error) => this.#onFailure('uncaught exception', error));
    process.on('unhandledRejection', (reason) => this.#onFailure('unhandled rejection', reason));
  }

  watch(weft: RunningWeft): void {
    this.#weft = weft;
    const onFailed = (reason: unknown) => this.#onFailure('cannot go on', reason);
    weft.failed.then(onFailed, onFailed);
  }

  #onSignal(codeAtOnce: number): void {
    const now = performance.now();
    if (this.#weft === undefined) process.exit(codeAtOnce);
    if (this.#stopAskedAt === undefined) {
      this.#stopAskedAt = now;
      this.#around.stderr.write('weft: stopping; requests under way may finish. Once more to stop at once.\n');
      void this.#stop(exitCode.ok);
    } else if (now - this.#stopAskedAt > sameKeystrokeMs) {
      process.exit(codeAtOnce);
    }
  }

  #onFailure(msg: string, reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const err = { type: error.name, message: error.message, stack: error.stack };
    this.#around.stderr.write(`${JSON.stringify({ level: 60, time: Date.now(), msg, err })}\n`);
    if (this.#stopAskedAt !== undefined) return;
    this.#stopAskedAt = performance.now();
    void this.#stop(exitCode.failure);
  }

  async #stop(code: number): Promise<void> {
    const deadline = setTimeout(
      () => {
        this.#around.stderr.write('weft: stopping took too long; ending without it.\n');
        process.exit(exitCode.failure);
      },
      this.#config.shutdownSeconds * 1000 + stopGraceMs,
    );
    deadline.unref();
    try {
      await this.#weft?.stop();
      this.#end(code);
    } catch (error) {
      this.#around.stderr.write(`weft: stopping failed: ${(error as Error).message}\n`);
      this.#end(exitCode.failure);
    }
  }
}

export function welcome(weft: RunningWeft, config: Config): string {
  const url = config.publicUrl ?? weft.url;
  const state = weft.firstAdminNeeded === undefined ? 'not ready yet' : 'ready';
  const lines = [`Weft is ${state}: ${url}${url === weft.url ? '' : ` (listening on ${weft.url})`}`, ''];
  if (weft.firstAdminNeeded === undefined) {
    lines.push('  Next   The database does not answer; Weft goes on trying. weft doctor says what is wrong.');
  } else if (weft.firstAdminNeeded) {
    lines.push(`  Next   Open ${url} and create the administrator: the first visitor does.`);
  } else {
    lines.push(`  Next   Open ${url} and sign in.`);
  }
  if (weft.setupCode !== undefined && weft.firstAdminNeeded !== false) {
    lines.push(`  Code   ${weft.setupCode} (the first administrator is created with it)`);
  }
  lines.push(`  API    ${url}/docs`);
  lines.push(`  Data   ${config.dataDir}${config.databaseUrl === undefined ? '' : ', accounts in PostgreSQL'}`);
  lines.push('  Stop   Ctrl+C', '');
  return `${lines.join('\n')}\n`;
}
