// The files of a run, in case its process ends: the last saved state of the network, and the entries that came after it.
// One process uses a folder at a time.
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { modelVersion } from '@weft/contract/emulated-model';
import type { RunEntry, RunState } from './emulated-run.ts';

/** Version of the saved state; to be increased when its contents change. Other versions are not read. */
const stateVersion = 3;
const crcBytes = 4;
const forgottenAfterMs = 7 * 86_400_000;
const ownFile = /\.(world|commands)(\.new)?$/;

export class RunFiles {
  readonly #folder: string;
  readonly #world: string;
  readonly #commands: string;
  /** Those that are not in the saved state, as far as this process knows. */
  #entries: RunEntry[] = [];
  #journal: number | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string, job_number: string) {
    this.#folder = folder;
    this.#world = join(folder, `${job_number}.world`);
    this.#commands = join(folder, `${job_number}.commands`);
  }

  /** Undefined if there is no valid state. Throws OtherModel for one that this version cannot continue. */
  async load(): Promise<{ state: RunState; entries: RunEntry[] } | undefined> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const bytes = await readFile(this.#world).catch(() => undefined);
    const state = bytes && readState(bytes);
    if (!state) return undefined;
    const text = await readFile(this.#commands, 'utf8').catch(() => '');
    this.#entries = readEntries(text).filter(({ number }) => number > state.lastEntry);
    return { state, entries: [...this.#entries] };
  }

  /** The entry survives the end of the process when this returns. */
  append(entry: RunEntry): void {
    this.#entries.push(entry);
    this.#journal ??= openSync(this.#commands, 'a', 0o600);
    writeSync(this.#journal, toLine(entry));
  }

  /** Resolves once the state is on the disk, in place of the one before, with the entries that came after it. */
  save(state: RunState): Promise<void> {
    const body = serialize({ stateVersion, model: modelVersion, state } satisfies SavedState);
    const { lastEntry } = state;
    this.#saving = this.#saving.catch(() => {}).then(() => this.#write(body, lastEntry));
    return this.#saving;
  }

  async #write(body: Buffer, lastEntry: number): Promise<void> {
    const crc = Buffer.alloc(crcBytes);
    crc.writeUInt32BE(crc32(body));
    const file = await open(`${this.#world}.new`, 'w', 0o600);
    try {
      await file.writev([crc, body]);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#world}.new`, this.#world);
    this.#entries = this.#entries.filter(({ number }) => number > lastEntry);
    this.#shorten();
  }

  /** Synchronous: an entry that came in between would be lost. */
  #shorten(): void {
    this.close();
    writeFileSync(`${this.#commands}.new`, this.#entries.map(toLine).join(''), { mode: 0o600 });
    renameSync(`${this.#commands}.new`, this.#commands);
  }

  close(): void {
    if (this.#journal !== undefined) closeSync(this.#journal);
    this.#journal = undefined;
  }

  /** Removes all files of the run. */
  async remove(): Promise<void> {
    this.close();
    const names = [this.#world, this.#commands, `${this.#world}.new`, `${this.#commands}.new`];
    await Promise.all(names.map((name) => rm(name, { force: true })));
  }
}

/** Removes the files of runs that nobody has resumed for days before the newest of them: a clock may be wrong. */
export async function sweepFiles(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((each) => ownFile.test(each));
  const times = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const newestMs = Math.max(...times.map((file) => file?.mtimeMs ?? 0));
  for (const [index, name] of names.entries()) {
    const { mtimeMs } = times[index] ?? { mtimeMs: newestMs };
    if (mtimeMs < newestMs - forgottenAfterMs) await rm(join(folder, name), { force: true });
  }
}

interface SavedState {
  stateVersion: number;
  /** Absent in those of model 1. */
  model?: number;
  state: RunState;
}

function readState(bytes: Buffer): RunState | undefined {
  const kept = readSaved(bytes);
  if (!kept) return undefined;
  requireModel(kept.model);
  return kept.stateVersion === stateVersion ? kept.state : undefined;
}

function readSaved(bytes: Buffer): SavedState | undefined {
  try {
    const body = bytes.subarray(crcBytes);
    return bytes.readUInt32BE() === crc32(body) ? (deserialize(body) as SavedState) : undefined;
  } catch {
    return undefined;
  }
}

/** Up to the first line that was not written to its end. */
function readEntries(text: string): RunEntry[] {
  const entries: RunEntry[] = [];
  try {
    for (const line of text.split('\n')) if (line !== '') entries.push(JSON.parse(line));
  } catch {
    // The process ended in the middle of it.
  }
  return entries;
}

function toLine(entry: RunEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

// A run belongs to the version of the model that it was begun with: with another one its values would jump, and its saved
// state would be read wrongly.

/** The run cannot go on here; the message is for its owner. */
export class OtherModel extends RangeError {}

/** `model` is absent in what was stored before there were versions. Throws OtherModel. */
export function requireModel(model = 1): void {
  if (model === modelVersion) return;
  throw new OtherModel(
    `it was created with model ${model} of the emulator, and this version of Weft has model ${modelVersion}; create the network again`,
  );
}
