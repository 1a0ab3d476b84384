// Open commands as this node committed them last, so that the agent's answer need not read them from the database again.
// They are used only while no other connection has written to the database.
import type { CommandRecord } from './command-record.ts';

/** Beyond this the least recently used are dropped; they are read again. */
const maxCommands = 20_000;

export class OpenCommands {
  readonly #commands = new Map<string, CommandRecord>();
  #version: number | undefined;
  /** Counts changes that were made past this memory. */
  #changes = 0;

  get changes(): number {
    return this.#changes;
  }

  /** What is known of this version of the database: see CommandStore.version. */
  at(version: number | undefined): ReadonlyMap<string, CommandRecord> {
    if (version === undefined || version !== this.#version) this.#commands.clear();
    this.#version = version;
    return this.#commands;
  }

  /** These were read or written by a transaction that is committed now; `changes` is how many there were when it began. */
  keep(commands: Iterable<CommandRecord>, changes: number): void {
    if (this.#version === undefined || changes !== this.#changes) return;
    for (const command of commands) {
      this.#commands.delete(command.command_id);
      if (command.ended_at === null) this.#commands.set(command.command_id, command);
    }
    for (const oldest of this.#commands.keys()) {
      if (this.#commands.size <= maxCommands) break;
      this.#commands.delete(oldest);
    }
  }

  /** Another transaction of this process is changing some of them. */
  changedElsewhere(): void {
    this.#changes++;
    this.#commands.clear();
  }

  /** A transaction failed that may have changed them. */
  clear(): void {
    this.#commands.clear();
  }
}
