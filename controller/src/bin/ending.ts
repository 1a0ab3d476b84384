// How a process that serves comes to its end: signals and failures become one orderly stop.
import { exitCode, type Surroundings } from '@weft/cli';
import type { Config } from '../config.ts';
import type { RunningWeft } from '../serve.ts';

// A terminal sends Ctrl+C to every process in the foreground and npm passes it on once more: that is one wish to stop.
const sameKeystrokeMs = 1000;
// Beyond what stopping may take by itself: then something hangs.
const stopGraceMs = 5000;

/** Turns signals and failures into one orderly stop. */
export class Ending {
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
