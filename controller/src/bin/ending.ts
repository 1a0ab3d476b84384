// The shutdown of a serving process: signals and failures become one graceful stop.
import { exitCode, type Surroundings } from '@weft/cli';
import type { Config } from '../core/base/config.ts';
import { chooseLogFormat, toReadableLine } from '../core/http/request/log-text.ts';
import type { RunningWeft } from '../serve.ts';

// A terminal sends Ctrl+C to every process in the foreground and npm forwards it: both signals are one request.
const sameKeystrokeMs = 1000;
// Added to the shutdown time; after that, something hangs.
const stopGraceMs = 5000;

/** Turns signals and failures into one graceful stop. */
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
    // Handles that were not closed must not keep the process alive.
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
    const onFailed = (reason: unknown) => this.#onFailure('cannot continue', reason);
    weft.failed.then(onFailed, onFailed);
  }

  #onSignal(codeAtOnce: number): void {
    const now = performance.now();
    if (this.#weft === undefined) process.exit(codeAtOnce);
    if (this.#stopAskedAt === undefined) {
      this.#stopAskedAt = now;
      this.#around.stderr.write('weft: stopping after the requests in progress. Press Ctrl+C again to stop at once.\n');
      void this.#stop(exitCode.ok);
    } else if (now - this.#stopAskedAt > sameKeystrokeMs) {
      process.exit(codeAtOnce);
    }
  }

  #onFailure(msg: string, reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const { name, message, stack } = error;
    const line = `${JSON.stringify({ level: 'fatal', time: new Date(), err: { name, message, stack }, msg })}\n`;
    const format = chooseLogFormat(this.#config.logFormat, this.#around.stderr.isTTY === true);
    this.#around.stderr.write(format === 'text' ? toReadableLine(line) : line);
    if (this.#stopAskedAt !== undefined) return;
    this.#stopAskedAt = performance.now();
    void this.#stop(exitCode.failure);
  }

  async #stop(code: number): Promise<void> {
    const deadline = setTimeout(
      () => {
        this.#around.stderr.write('weft: stopping took too long; exiting now.\n');
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
