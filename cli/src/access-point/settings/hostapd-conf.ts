// hostapd's configuration file: what it says is read and changed line by line, everything else in it stays as it is. Written whole or not
// at all, flushed, and for its owner alone, because passphrases are in it.
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '@weft/contract/is-object';
import type { Settings } from '@weft/sdk';
import { channelShape } from '../commands/wifi-commands.ts';
import type { UsableChannel } from '../readers/iw-output.ts';

/** Names of the radio are valid wherever they stand, others for the network whose part of the file they are in. */
const radio = undefined;

export class HostapdConf {
  readonly #lines: string[];

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** How many networks it has: the one of `interface=`, and one for each `bss=`. */
  get networks(): number {
    return this.#lines.filter((line) => line.startsWith('bss=')).length + 1;
  }

  get(name: string, network: number | undefined = radio): string | undefined {
    const [at] = this.#find(name, network).slice(-1);
    return at === undefined ? undefined : this.#lines[at]!.slice(name.length + 1);
  }

  /** Undefined: removes it. */
  set(name: string, value: string | undefined, network: number | undefined = radio): void {
    const found = this.#find(name, network);
    const [, end] = this.#range(network ?? 0);
    const at = found.at(-1) ?? end;
    if (value !== undefined) this.#lines.splice(at, found.length > 0 ? 1 : 0, `${name}=${value}`);
    for (const each of (value === undefined ? found : found.slice(0, -1)).reverse()) this.#lines.splice(each, 1);
  }

  /** The places of the lines with this name, in order. */
  #find(name: string, network: number | undefined): number[] {
    const [begin, end] = network === undefined ? [0, this.#lines.length] : this.#range(network);
    return this.#lines.flatMap((line, at) => (at >= begin && at < end && line.startsWith(`${name}=`) ? [at] : []));
  }

  #range(network: number): [begin: number, end: number] {
    const starts = this.#lines.flatMap((line, at) => (line.startsWith('bss=') ? [at] : []));
    // Before the empty line at the end.
    const last = this.#lines.at(-1) === '' ? this.#lines.length - 1 : this.#lines.length;
    return [network === 0 ? 0 : starts[network - 1]!, starts[network] ?? last];
  }
}

interface WifiNetwork {
  ssid: string;
  security: 'open' | 'wpa2' | 'wpa3';
  passphrase: string | undefined;
}

/** Undefined if one of them has keys that are no passphrase: it cannot be changed and put back in these words. */
export function networksIn(conf: HostapdConf): WifiNetwork[] | undefined {
  const networks: WifiNetwork[] = [];
  for (let at = 0; at < conf.networks; at++) {
    const [ssid, wpa, passphrase, keys = ''] = ['ssid', 'wpa', 'wpa_passphrase', 'wpa_key_mgmt'].map((name) =>
      conf.get(name, at),
    );
    const isOpen = wpa === undefined || wpa === '0';
    const others = ['wpa_psk', 'wpa_psk_file', 'sae_password', 'ieee8021x', 'wep_key0'];
    if (ssid === undefined || others.some((name) => conf.get(name, at) !== undefined)) return undefined;
    if (!isOpen && passphrase === undefined) return undefined;
    const security = isOpen ? 'open' : /\bWPA-PSK\b/.test(keys || 'WPA-PSK') ? 'wpa2' : 'wpa3';
    networks.push({ ssid, security, passphrase: isOpen ? undefined : passphrase });
  }
  return networks;
}

export const countryIn = (text: string) => new HostapdConf(text).get('country_code');
/** What hostapd reads again when it is told to. */
export const wordsOf = (text: string) => JSON.stringify([countryIn(text), networksIn(new HostapdConf(text))]);

/** In the words of settings, with the keys that they were given with. */
export function toWords({ security, passphrase }: WifiNetwork, ssid: string | undefined, shape: unknown) {
  return {
    ssid,
    ...(isObject(shape) && 'security' in shape && { security }),
    ...(passphrase !== undefined && { passphrase: { secret: 'unknown', version: 0, value: passphrase } }),
  };
}

/** Of what runs, and of what was asked for, in which secrets are in clear. */
export function isEqual(real: unknown, asked: unknown): boolean {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (!isObject(value)) return value;
    if (typeof value.secret === 'string') return value.value;
    return Object.entries(value)
      .map(([key, item]) => [key, sorted(item)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  };
  return JSON.stringify(sorted(real)) === JSON.stringify(sorted(asked));
}

/** Throws Error with the reason. */
export function requireNetworks(networks: unknown): void {
  for (const network of Array.isArray(networks) ? networks : [undefined]) {
    if (!isObject(network)) throw new Error('networks are a list of objects');
    const { ssid, security: _, passphrase, ...more } = network;
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw new Error(`networks have no ${unknown} here`);
    const isName = typeof ssid === 'string' && ssid.trim() === ssid && !/\p{Cc}/u.test(ssid);
    const bytes = isName ? Buffer.byteLength(ssid) : 0;
    if (bytes < 1 || bytes > 32) throw new Error('an ssid has 1 to 32 bytes, and no space at its ends');
    if (passphrase !== undefined && !/^[ -~]{8,63}$/.test(String(passphrase))) {
      throw new Error('a passphrase has 8 to 63 printable ASCII characters');
    }
  }
}

/** The text of the file with these settings. Throws Error if they do not fit to it. */
export function withSettings(text: string, radio: { channels: UsableChannel[]; suffix: string }, settings: Settings) {
  const { channels, suffix } = radio;
  const conf = new HostapdConf(text);
  const channel = Number(settings[`channel${suffix}`] ?? conf.get('channel'));
  const width = settings[`channel_width_mhz${suffix}`];
  const target = channels.find((one) => one.channel === channel);
  if (target && (settings[`channel${suffix}`] !== undefined || width !== undefined)) setChannel(conf, target, width);
  const country = settings[`country${suffix}`];
  if (country !== undefined) conf.set('country_code', String(country));
  const networks = settings[`networks${suffix}`] as Partial<WifiNetwork>[] | undefined;
  if (!networks) return conf.text;
  const present = networksIn(conf) ?? [];
  if (networks.length !== present.length) throw new Error(`hostapd serves ${present.length} networks here`);
  for (const [at, { ssid, security, passphrase }] of networks.entries()) {
    const is = present[at]!.security;
    const isKept = (security ?? is) === is && (passphrase === undefined) === (is === 'open');
    if (!isKept) throw new Error(`${ssid}: the security of this network is ${is}, which settings do not change`);
    conf.set('ssid', ssid, at);
    if (passphrase !== undefined) conf.set('wpa_passphrase', passphrase, at);
  }
  return conf.text;
}

/** The lines of a channel must fit each other: else hostapd does not start with them. */
function setChannel(conf: HostapdConf, target: UsableChannel, given: unknown): void {
  const isOn = (name: string) => conf.get(name) === '1';
  const modes = { ht: isOn('ieee80211n'), vht: isOn('ieee80211ac'), he: isOn('ieee80211ax') };
  const capabilities = conf.get('ht_capab') ?? '';
  const isDouble = conf.get('vht_oper_chwidth') === '1' || conf.get('he_oper_chwidth') === '1';
  const shape = channelShape(
    target,
    Number(given ?? (isDouble ? 80 : capabilities.includes('[HT40') ? 40 : 20)),
    modes,
  );
  const part = (name: string) => shape.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const offset = part('sec_channel_offset');
  const middle = part('center_freq1');
  conf.set('channel', String(target.channel));
  const wide = offset === undefined ? '' : offset === '1' ? '[HT40+]' : '[HT40-]';
  const words = capabilities.replaceAll(/\[HT40[+-]\]/g, '') + wide;
  if (modes.ht) conf.set('ht_capab', words === '' ? undefined : words);
  for (const mode of [...(modes.vht ? ['vht'] : []), ...(modes.he ? ['he'] : [])]) {
    conf.set(`${mode}_oper_chwidth`, part('bandwidth') === '80' ? '1' : '0');
    const index = middle === undefined ? undefined : String((Number(middle) - 5000) / 5);
    conf.set(`${mode}_oper_centr_freq_seg0_idx`, offset === undefined ? undefined : index);
  }
}

/** The file as it was, while hostapd reads another text. */
const asideOf = (file: string) => `${file}.weft-before`;
const unfinishedOf = (file: string) => `${file}.weft-new`;

/** For good. */
export async function writeConf(file: string, text: string): Promise<void> {
  const unfinished = unfinishedOf(file);
  await rm(unfinished, { force: true });
  const written = await open(unfinished, 'wx', 0o600);
  try {
    await written.writeFile(text);
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(unfinished, file);
  await flushFolder(file);
}

/** The file has this text while `act` runs, and its own one afterwards; after a power cut meanwhile once `putBack` is called. */
export async function withConf(file: string, text: string, act: () => Promise<void>): Promise<void> {
  await link(file, asideOf(file));
  try {
    await writeConf(file, text);
    await act();
  } finally {
    await putBack(file);
  }
}

/** The text that was put aside, if there is one. */
export async function putBack(file: string): Promise<void> {
  await rename(asideOf(file), file).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  // Two names of one file stay two names when one is to replace the other.
  for (const left of [asideOf(file), unfinishedOf(file)]) await rm(left, { force: true });
  await flushFolder(file);
}

async function flushFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}
