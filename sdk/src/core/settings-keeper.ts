// The settings of an access point, with a dead man's switch: the old ones are on disk before anything is touched, and come back
// unless Weft has confirmed the new ones over a new connection in time, whatever happens to this process or to the power.
import { join } from 'node:path';
import type { ConfigConfirmMessage, ConfigMessage, ConfigResultMessage, ConfigRunningMessage } from '@weft/contract';
import { folderOf } from '@weft/contract/ap-id';
import type { DeclaredSetting } from '@weft/contract/declared-settings';
import type { AgentOptions } from './agent-options.ts';
import { masked, plain, SettingsFolder, type SettingsStorage } from './settings-storage.ts';

export type Settings = Record<string, unknown>;

export interface SettingsOptions {
  /** What the access point can be set to, by leaf: `{ channel: { type: 'integer', enum: [36, 40], restart: 'radio' } }`. */
  declare: Record<string, Partial<DeclaredSetting>>;
  /**
   * Makes the access point run these settings, secrets in clear; leaves that are absent stay as they are. Must bear to be called
   * twice. Throws if it cannot: then the old settings are applied again, and Weft is told why. Resolves what runs instead, if
   * some leaves had to be replaced by others. With `isTrial` they may be gone again soon: what the access point starts with
   * is better left alone until `keep`.
   */
  apply: (settings: Settings, isTrial: boolean) => Promise<Settings | void> | Settings | void;
  /**
   * What the access point really runs now: it is given back to `apply` if the new settings fail. A secret that Weft does not
   * know is `{ secret: 'unknown', version: 0, value }`: its value stays here. `given`: the settings that it was given last.
   */
  running: (given: Settings) => Promise<Settings> | Settings;
  /** The settings are confirmed: the access point is to start with them. May be called twice. */
  keep?: ((settings: Settings) => Promise<void> | void) | undefined;
  /** Whether the access point has lost confirmed settings, for example by a restart: then they are applied again at the start. */
  isForgotten?: (() => Promise<boolean> | boolean) | undefined;
  /** Where old and new settings lie; default: files in `spoolDir`. */
  storage?: SettingsStorage | undefined;
}

/** How the word of the access point gets to Weft. */
export interface SettingsLine {
  send: (text: string) => void;
  /** Opens another connection, in place of the present one. */
  renew: () => void;
  onError: (error: Error) => void;
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

/** From one start of the access point to its end, over as many connections as there are. */
export class SettingsKeeper {
  readonly #parts: SettingsOptions;
  readonly #storage: SettingsStorage;
  #line: SettingsLine | undefined;
  #kept: Kept;
  #trial: Journal | undefined;
  /** What a process before this one has left to be done. */
  #left: 'trial' | 'keeping' | undefined;
  #said = '';
  #timer: NodeJS.Timeout | undefined;
  /** Said with the next report of what runs, until other settings come. */
  #reverted: { id: string; reason: string } | undefined;
  /** One thing after the other. */
  #work: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: SettingsOptions & { storage: SettingsStorage }) {
    this.#parts = parts;
    this.#storage = parts.storage;
    this.#kept = (this.#storage.read('settings.json') as Kept | undefined) ?? { id: null, hash: null, settings: {} };
    const journal = this.#storage.read('settings-trial.json') as Journal | undefined;
    if (!journal) return;
    // Confirmed, and ended before that was tidied up.
    this.#left = journal.id === this.#kept.id ? 'keeping' : 'trial';
    if (this.#left === 'trial') this.#trial = journal;
  }

  /** Of an agent. Throws Error if there is nowhere to keep them. */
  static of(options: SettingsOptions, { spoolDir, ap_id }: Pick<AgentOptions, 'spoolDir' | 'ap_id'>): SettingsKeeper {
    if (spoolDir === undefined && !options.storage)
      throw new Error('settings need spoolDir: the old ones lie there until the new ones are confirmed');
    const storage = options.storage ?? new SettingsFolder(join(spoolDir!, folderOf(ap_id)));
    return new SettingsKeeper({ ...options, storage });
  }

  get declare(): SettingsOptions['declare'] {
    return this.#parts.declare;
  }

  /** Speaks over this line from now on. */
  use(line: SettingsLine): void {
    this.#line = line;
  }

  /** To be called before anything is said to Weft: a trial that was interrupted has failed. */
  async begin(): Promise<void> {
    if (this.#left === 'trial') await this.#revert('the access point was restarted during the trial');
    else if (this.#left === 'keeping') await this.#keep();
    else if (this.#kept.id !== null) await this.#remind().catch((error) => this.#line?.onError(error));
    this.#left = undefined;
  }

  /** The channel is open. */
  opened(): void {
    this.#then(() => this.#say());
  }

  hear(message: ConfigMessage | ConfigConfirmMessage): void {
    this.#then(() => (message.type === 'config' ? this.#take(message) : this.#confirmed(message)));
  }

  /** Says what runs, if something else has changed it; not during a trial, where it could be taken for the word after the confirmation. */
  changed(): void {
    this.#then(() => (this.#trial ? Promise.resolve() : this.#say(true)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#isStopped ? undefined : work()))
      .catch((error) => this.#line?.onError(error));
  }

  async #take({ id, hash, settings, trial_seconds }: ConfigMessage): Promise<void> {
    // Said again because our word was lost, or is still on its way: what has failed is not tried twice.
    // Of a trial nothing: the new connection has said it, and to say it twice is wrong for the same reason as above.
    if (this.#trial?.id === id) return;
    if ([this.#kept.id, this.#reverted?.id].includes(id)) return this.#say();
    // All of it: one setting may bring others with it, as a channel does a limit of power.
    let old = this.#trial?.old;
    try {
      old ??= await this.#parts.running(this.#kept.settings);
    } catch (error) {
      // Without them there is no way back.
      const reason = `the present settings cannot be read: ${(error as Error).message}`;
      return this.#tell({ type: 'config_result', id, hash, state: 'refused', reason });
    }
    clearTimeout(this.#timer);
    this.#reverted = undefined;
    this.#trial = { id, hash, settings, old };
    this.#storage.write('settings-trial.json', this.#trial);
    try {
      const instead = await this.#parts.apply(plain(settings) as Settings, true);
      if (this.#isStopped) return;
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
    this.#line?.renew();
  }

  async #confirmed({ id }: ConfigConfirmMessage): Promise<void> {
    if (this.#trial?.id === id) {
      clearTimeout(this.#timer);
      const { hash, settings } = this.#trial;
      this.#kept = { id, hash, settings };
      this.#storage.write('settings.json', this.#kept);
      this.#trial = undefined;
      // Weft is told what runs all the same.
      await this.#keep().catch((error) => this.#line?.onError(error));
    }
    await this.#say();
  }

  /** If this is interrupted, the journal is still there, and the next start goes on. */
  async #keep(): Promise<void> {
    await this.#parts.keep?.(plain(this.#kept.settings) as Settings);
    this.#storage.write('settings-trial.json', undefined);
  }

  async #remind(): Promise<void> {
    if (await this.#parts.isForgotten?.()) await this.#parts.apply(plain(this.#kept.settings) as Settings, false);
  }

  async #revert(reason: string): Promise<void> {
    this.#reverted = { id: this.#trial!.id!, reason };
    await this.#putBack();
    await this.#say();
  }

  /** If this fails or is interrupted, the journal is still there, and the next start tries again. */
  async #putBack(): Promise<void> {
    await this.#parts.apply(plain(this.#trial!.old) as Settings, false);
    this.#storage.write('settings-trial.json', undefined);
    this.#trial = undefined;
  }

  async #say(isNewsOnly = false): Promise<void> {
    const { hash, settings } = this.#trial ?? this.#kept;
    const real = await this.#parts.running(settings);
    const message: ConfigRunningMessage = {
      type: 'config_running',
      hash,
      settings: masked(real, settings) as Settings,
      ...(this.#trial?.id && { trial: this.#trial.id }),
    };
    const text = JSON.stringify(this.#reverted ? { ...message, reverted: this.#reverted } : message);
    if (isNewsOnly && text === this.#said) return;
    this.#said = text;
    this.#line?.send(text);
  }

  #tell(message: ConfigResultMessage): void {
    this.#line?.send(JSON.stringify(message));
  }
}
