// hostapd as the agent uses it: requests by `hostapd_cli`, and its events by one `hostapd_cli -a` for each interface, a
// child that is started again whenever it ends, for example because hostapd was restarted. hostapd's control interface is a
// datagram socket, which Node's core does not speak.
import { BackOff } from '@weft/contract/back-off';
import { pauseUnless } from '@weft/contract/pause';
import type { Machine } from '../machine/machine.ts';
import { ToolMissing } from '../machine/tool.ts';

/** Run by hostapd_cli for each event, without a shell: its output is that of hostapd_cli. */
const printer = '/bin/echo';
/** How soon hostapd_cli notices that hostapd is gone. */
const pingSeconds = '1';
const retry = { firstMs: 250, longestMs: 5_000 };
/** One that ran this long was connected, so that the next failure is a new one. */
const connectedAfterMs = 3_000;
const defaultAttachMs = 500;

export interface HostapdOptions {
  machine: Machine;
  /** Ends all children. */
  signal: AbortSignal;
  say: (text: string) => void;
  /** How long hostapd_cli takes to begin; default: 500. */
  attachMs?: number;
}

export class Hostapd {
  readonly #options: HostapdOptions;
  readonly #listeners = new Set<(event: HostapdEvent) => void>();
  /** When the child of each followed interface was started; undefined while there is none. */
  readonly #followed = new Map<string, number | undefined>();
  #hasComplained = false;
  #isMissing = false;

  constructor(options: HostapdOptions) {
    this.#options = options;
  }

  /** The interfaces that hostapd served at any time since the agent was started. */
  get interfaces(): string[] {
    return [...this.#followed.keys()];
  }

  /** Throws ToolMissing, ToolFailure. */
  ask(name: string, ...words: string[]): Promise<string> {
    return askHostapd(this.#options.machine, name, ...words);
  }

  /** Throws an Error with what hostapd says if that is not OK. */
  async order(name: string, what: string, ...words: string[]): Promise<void> {
    const answer = await this.ask(name, ...words);
    if (!/^OK$/m.test(answer)) throw new Error(`hostapd rejects ${what}: ${answer.trim().split('\n').at(-1)}`);
  }

  /** Its events are told from now on. Called again, nothing changes. */
  follow(name: string): void {
    if (this.#followed.has(name) || this.#isMissing) return;
    this.#followed.set(name, undefined);
    void this.#supervise(name);
  }

  /** Whether events of this interface arrive now. */
  isHeard(name: string): boolean {
    const startedAt = this.#followed.get(name);
    return startedAt !== undefined && performance.now() - startedAt >= (this.#options.attachMs ?? defaultAttachMs);
  }

  /** Returns how to end it. */
  onEvent(listener: (event: HostapdEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first event that passes the test while `act` runs and up to `timeoutMs` later. Throws what `act` throws. */
  async during(
    act: () => Promise<void>,
    test: (event: HostapdEvent) => boolean,
    timeoutMs: number,
  ): Promise<HostapdEvent | undefined> {
    const enough = new AbortController();
    let found: HostapdEvent | undefined;
    const stop = this.onEvent((event) => {
      if (found !== undefined || !test(event)) return;
      found = event;
      enough.abort();
    });
    try {
      await act();
      await pauseUnless(AbortSignal.any([enough.signal, this.#options.signal]), timeoutMs);
      return found;
    } finally {
      stop();
    }
  }

  async #supervise(name: string): Promise<void> {
    const { machine, signal, say } = this.#options;
    const backOff = new BackOff(retry);
    const place = machine.runtimeDir ? ['-s', machine.runtimeDir] : [];
    const args = [...place, '-i', name, '-G', pingSeconds, '-a', printer];
    while (!signal.aborted) {
      const startedAt = performance.now();
      this.#followed.set(name, startedAt);
      try {
        await machine.follow('hostapd_cli', args, (line) => this.#hear(name, line), signal);
      } catch (error) {
        if (error instanceof ToolMissing) {
          this.#isMissing = true;
          this.#followed.set(name, undefined);
          return;
        }
        if (!this.#hasComplained) say(`events of hostapd do not arrive: ${(error as Error).message}. Retrying.`);
        this.#hasComplained = true;
      }
      this.#followed.set(name, undefined);
      if (performance.now() - startedAt > connectedAfterMs) {
        backOff.reset();
        this.#hasComplained = false;
      }
      await backOff.pause(signal);
    }
  }

  #hear(name: string, line: string): void {
    const event = parseEvent(name, line);
    if (event) for (const listener of [...this.#listeners]) listener(event);
  }
}

/** By default hostapd_cli creates its socket in a folder that hostapd cannot see from a sandboxed service. */
export function askHostapd(machine: Machine, name: string, ...words: string[]): Promise<string> {
  const place = machine.runtimeDir ? ['-s', machine.runtimeDir] : [];
  return machine.run('hostapd_cli', [...place, '-i', name, ...words]);
}

/**
 * What hostapd tells by itself, as `hostapd_cli -a /bin/echo` prints it: the interface, the name of the event, then words
 * and values.
 */
export interface HostapdEvent {
  interface: string;
  /** Such as AP-STA-CONNECTED. */
  name: string;
  /** Of the device that it is about, in lower case. */
  address: string | undefined;
  /** `status_code=0` and the like. */
  fields: ReadonlyMap<string, string>;
}

const address = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** Undefined if the line is no event of this interface. */
export function parseEvent(name: string, line: string): HostapdEvent | undefined {
  const [where, event = '', ...words] = line.trim().split(/\s+/);
  if (where !== name || !/^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$/.test(event)) return undefined;
  const fields = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at > 0) fields.set(word.slice(0, at), word.slice(at + 1));
  }
  const first = words.find((word) => address.test(word));
  return { interface: name, name: event, address: first?.toLowerCase(), fields };
}

/** After these the list of devices or of radios is another one. */
const changing = new Set([
  'AP-STA-CONNECTED',
  'AP-STA-DISCONNECTED',
  'AP-CSA-FINISHED',
  'AP-ENABLED',
  'AP-DISABLED',
  'INTERFACE-ENABLED',
  'INTERFACE-DISABLED',
]);

export function changesDevices({ name }: HostapdEvent): boolean {
  return changing.has(name);
}
