// Which commands an agent has begun and done, on disk, so that one that comes again after a restart is not done again.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppendLog, replaceFile, toLine } from './append-log.ts';

/** The file is rewritten without obsolete lines when it is larger than this and has doubled. */
const smallBytes = 1024 * 1024;

export interface RememberedCommand {
  command_id: string;
  /** What to say about it; undefined if it was begun and not ended. */
  answer?: string;
  /** Weft knows. */
  isHeard?: boolean;
}

export class CommandMemory {
  readonly #path: string;
  readonly #maxCommands: number;
  #log: AppendLog;
  #renewAtBytes: number;
  /** Oldest first. */
  readonly #commands = new Map<string, RememberedCommand>();

  /** Of commands that Weft knows all about, the newest `maxCommands` are kept. */
  constructor(path: string, maxCommands: number) {
    this.#path = path;
    this.#maxCommands = maxCommands;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#log = new AppendLog(path);
    for (const text of this.#log.found) if (text !== undefined) this.#apply(JSON.parse(text));
    this.#renewAtBytes = smallBytes;
  }

  /** Oldest first. */
  get commands(): RememberedCommand[] {
    return [...this.#commands.values()];
  }

  get bytes(): number {
    return this.#log.size;
  }

  /** Durable when it resolves. */
  async remember(command: RememberedCommand): Promise<void> {
    this.#apply(command);
    if (this.#log.size > this.#renewAtBytes) this.#renew();
    else await this.#log.append(JSON.stringify(command));
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  #apply(command: RememberedCommand): void {
    this.#commands.set(command.command_id, { ...this.#commands.get(command.command_id), ...command });
    if (this.#commands.size <= this.#maxCommands) return;
    for (const [oldest, { isHeard }] of this.#commands) {
      if (!isHeard) continue;
      this.#commands.delete(oldest);
      return;
    }
  }

  /** At once, so that nothing can be remembered in the old file only. */
  #renew(): void {
    replaceFile(this.#path, this.commands.map((command) => toLine(JSON.stringify(command))).join(''));
    void this.#log.close();
    this.#log = new AppendLog(this.#path);
    this.#renewAtBytes = Math.max(smallBytes, 2 * this.#log.size);
  }
}
