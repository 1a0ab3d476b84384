// A machine for tests: files of a kernel and answers of tools, as they were written down.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Machine } from '../../cli/src/access-point/machine/machine.ts';
import { ToolMissing } from '../../cli/src/access-point/machine/tool.ts';

type Answer = string | Error;

export class RecordedMachine implements Machine {
  readonly proc: string;
  readonly sys: string;
  readonly #root = mkdtempSync(join(tmpdir(), 'weft-machine-'));
  readonly #tools = new Map<string, Answer>();
  readonly #followers = new Map<string, Set<(line: string) => void>>();
  /** What was run, in order. */
  readonly ran: string[] = [];

  constructor() {
    this.proc = join(this.#root, 'proc');
    this.sys = join(this.#root, 'sys');
    onTestFinished(() => rmSync(this.#root, { recursive: true }));
  }

  /** `proc/stat` and the like. */
  file(path: string, text: string): this {
    mkdirSync(dirname(join(this.#root, path)), { recursive: true });
    writeFileSync(join(this.#root, path), text);
    return this;
  }

  /** A tool with these arguments prints this, or fails so. */
  tool(line: string, answer: Answer): this {
    this.#tools.set(line, answer);
    return this;
  }

  run = async (command: string, args: readonly string[]): Promise<string> => {
    const line = [command, ...args].join(' ');
    const isThere = [...this.#tools.keys()].some((known) => known.split(' ')[0] === command);
    if (!isThere) throw new ToolMissing(`there is no ${command}`);
    this.ran.push(line);
    const answer = this.#tools.get(line) ?? new Error(`${line}: not recorded`);
    if (answer instanceof Error) throw answer;
    return answer;
  };

  /** Followed tools go on until they are ended. */
  follow = async (
    command: string,
    args: readonly string[],
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> => {
    const line = [command, ...args].join(' ');
    const isThere = [...this.#tools.keys()].some((known) => known.split(' ')[0] === command);
    if (!isThere) throw new ToolMissing(`there is no ${command}`);
    const listening = this.#followers.get(line) ?? new Set();
    this.#followers.set(line, listening.add(onLine));
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    listening.delete(onLine);
  };

  /** A followed tool prints this line; false if nobody follows it. */
  says(tool: string, line: string): boolean {
    const listening = this.#followers.get(tool);
    for (const onLine of listening ?? []) onLine(line);
    return (listening?.size ?? 0) > 0;
  }
}
