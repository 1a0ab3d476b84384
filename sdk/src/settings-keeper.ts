// The settings of an access point, with a dead man's switch: the old ones are on disk before anything is touched, and come back
// unless Weft has confirmed the new ones over a new connection in time, whatever happens to this process or to the power.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigConfirmMessage, ConfigMessage, ConfigResultMessage, ConfigRunningMessage } from '@weft/contract';
import type { DeclaredSetting } from '@weft/contract/declared-settings';
import { isObject } from '@weft/contract/is-object';

export type Settings = Record<string, unknown>;

export interface SettingsOptions {
  /** What the access point can be set to, by leaf: `{ channel: { type: 'integer', enum: [36, 40], restart: 'radio' } }`. */
  declare: Record<string, Partial<DeclaredSetting>>;
  /**
   * Makes the access point run these settings, secrets in clear; leaves that are absent stay as they are. Must bear to be called
   * twice. Throws if it cannot: then the old settings are applied again, and Weft is told why. Resolves what runs instead, if
   * some leaves had to be replaced by others.
   */
  apply: (settings: Settings) => Promise<Settings | void> | Settings | void;
  /** What the access point really runs now: it is given back to `apply` if the new settings fail. */
  running: () => Promise<Settings> | Settings;
}

/** What is durable of given settings. */
interface Kept {
  id: string | null;
  hash: string | null;
  /** As Weft gave them: a secret has its value. */
  settings: Settings;
}

/** Exists from before settings are touched until they are confirmed or gone. */
interface Journal extends Kept {
  /** What ran before, in clear. */
  old: Settings;
}

export interface SettingsKeeperParts extends SettingsOptions {
  folder: string;
  send: (text: string) => void;
  /** Opens another connection, in place of the present one. */
  renew: () => void;
  onError: (error: Error) => void;
}

export class SettingsKeeper {
  readonly #parts: SettingsKeeperParts;
  #kept: Kept;
  #trial: Journal | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Said with the next report of what runs, until other settings come. */
  #reverted: { id: string; reason: string } | undefined;
  /** One thing after the other. */
  #work: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: SettingsKeeperParts) {
    this.#parts = parts;
    mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
    this.#kept = this.#read<Kept>('settings.json') ?? { id: null, hash: null, settings: {} };
    const journal = this.#read<Journal>('settings-trial.json');
    // Confirmed, and ended before that was tidied up.
    if (journal && journal.id === this.#kept.id) this.#write('settings-trial.json', undefined);
    else this.#trial = journal;
  }

  /** To be called before anything is said to Weft: a trial that was interrupted has failed. */
  async begin(): Promise<void> {
    if (this.#trial) await this.#revert('the access point was restarted during the trial');
  }

  /** The channel is open. */
  opened(): void {
    this.#then(() => this.#say());
  }

  hear(message: ConfigMessage | ConfigConfirmMessage): void {
    this.#then(() => (message.type === 'config' ? this.#take(message) : this.#confirmed(message)));
  }

  /** Says again what runs, after something else may have changed it. */
  changed(): void {
    this.#then(() => this.#say());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#isStopped ? undefined : work()))
      .catch((error) => this.#parts.onError(error));
  }

  async #take({ id, hash, settings, trial_seconds }: ConfigMessage): Promise<void> {
    // Said again because our word was lost.
    if (id === this.#trial?.id || id === this.#kept.id) return this.#say();
    const old = this.#trial?.old ?? (await this.#runningOf(settings));
    clearTimeout(this.#timer);
    this.#reverted = undefined;
    this.#trial = { id, hash, settings, old };
    this.#write('settings-trial.json', this.#trial);
    try {
      const instead = await this.#parts.apply(plain(settings) as Settings);
      const result = { type: 'config_result', id, hash, state: instead ? 'substituted' : 'applied' } as const;
      this.#tell({ ...result, ...(instead && { settings: masked(instead, settings) as Settings }) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await this.#putBack();
      this.#tell({ type: 'config_result', id, hash, state: 'refused', reason });
      return this.#say();
    }
    this.#timer = setTimeout(() => {
      const reason = `no confirmation within ${trial_seconds} s`;
      this.#then(() => (this.#trial?.id === id ? this.#revert(reason) : Promise.resolve()));
    }, trial_seconds * 1000);
    this.#parts.renew();
  }

  async #confirmed({ id }: ConfigConfirmMessage): Promise<void> {
    if (this.#trial?.id === id) {
      clearTimeout(this.#timer);
      const { hash, settings } = this.#trial;
      this.#kept = { id, hash, settings };
      this.#write('settings.json', this.#kept);
      this.#write('settings-trial.json', undefined);
      this.#trial = undefined;
    }
    await this.#say();
  }

  async #revert(reason: string): Promise<void> {
    this.#reverted = { id: this.#trial!.id!, reason };
    await this.#putBack();
    await this.#say();
  }

  /** If this fails or is interrupted, the journal is still there, and the next start tries again. */
  async #putBack(): Promise<void> {
    await this.#parts.apply(this.#trial!.old);
    this.#write('settings-trial.json', undefined);
    this.#trial = undefined;
  }

  async #say(): Promise<void> {
    const { hash, settings } = this.#trial ?? this.#kept;
    const real = await this.#parts.running();
    const message: ConfigRunningMessage = {
      type: 'config_running',
      hash,
      settings: masked(real, settings) as Settings,
    };
    this.#tell(this.#reverted ? { ...message, reverted: this.#reverted } : message);
  }

  /** Of the settings that are to change, and of those that Weft has given before. */
  async #runningOf(next: Settings): Promise<Settings> {
    const names = { ...this.#kept.settings, ...next };
    return Object.fromEntries(
      Object.entries(await this.#parts.running()).filter(([name]) => Object.hasOwn(names, name)),
    );
  }

  #tell(message: ConfigResultMessage | ConfigRunningMessage): void {
    this.#parts.send(JSON.stringify(message));
  }

  #read<Found>(name: string): Found | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#parts.folder, name), 'utf8')) as Found;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Durable when it returns, whole or not at all; for its owner alone, because secrets are in it. */
  #write(name: string, value: Kept | undefined): void {
    const { folder } = this.#parts;
    const path = join(folder, name);
    if (value === undefined) rmSync(path, { force: true });
    else {
      const file = openSync(`${path}.new`, 'w', 0o600);
      writeSync(file, JSON.stringify(value));
      fsyncSync(file);
      closeSync(file);
      renameSync(`${path}.new`, path);
    }
    const directory = openSync(folder, 'r');
    fsyncSync(directory);
    closeSync(directory);
  }
}

/** With secrets in clear. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (isSecret(value)) return value.value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** What runs, without the secrets that were given: a secret is said by its name, and one that is not ours by version 0. */
function masked(real: unknown, given: unknown): unknown {
  if (isObject(given) && isSecret(given)) {
    const { secret, version, value } = given;
    return { secret, version: isObject(real) ? (real.version ?? 0) : real === value ? version : 0 };
  }
  if (Array.isArray(real))
    return real.map((item, index) => masked(item, Array.isArray(given) ? given[index] : undefined));
  if (!isObject(real)) return real;
  const known = isObject(given) ? given : {};
  return Object.fromEntries(Object.entries(real).map(([key, item]) => [key, masked(item, known[key])]));
}

function isSecret(value: Record<string, unknown>): value is { secret: string; version: number; value: string } {
  return typeof value.secret === 'string' && typeof value.version === 'number';
}
