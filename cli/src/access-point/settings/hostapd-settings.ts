// The settings of the radios that hostapd serves: channel, width, power, networks and country. What is tried runs, but is not what hostapd
// starts with: its configuration file has the new text only while hostapd reads it, and for good once Weft has confirmed.
// What runs is read from hostapd and the kernel; a passphrase, which hostapd does not tell, from what it has read.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings, SettingsOptions } from '@weft/sdk';
import { announcements, channelShape } from '../commands/wifi-commands.ts';
import type { Hostapd } from '../hostapd/hostapd.ts';
import { type Machine, readKernelFile } from '../machine/machine.ts';
import { ToolMissing } from '../machine/tool.ts';
import { parseChannels, parseInterfaces, type UsableChannel } from '../readers/iw-output.ts';
import { findRadios } from '../readers/radios.ts';
import { parseServed, readServed } from '../readers/served-radio.ts';
import {
  countryIn,
  HostapdConf,
  isEqual,
  networksIn,
  putBack,
  requireNetworks,
  toWords,
  withConf,
  withSettings,
  wordsOf,
  writeConf,
} from './hostapd-conf.ts';

/** hostapd looks for other networks before it serves a wide channel. */
const patienceMs = 20_000;
const everyMs = 200;
const countryCode = /^[A-Z]{2}$/;

export interface HostapdSettingsOptions {
  machine: Machine;
  hostapd: Hostapd;
  /** hostapd's configuration files, one for each radio. */
  files: readonly string[];
  /** Has the name of the start of the machine in which settings were applied last. */
  bootFile: string;
  say: (text: string) => void;
}

/** Of this machine, not of the connection to Weft. */
class SettingsFailure extends Error {
  readonly code = 'settings';
}

interface ConfiguredRadio {
  file: string;
  interface: string;
  /** Usable ones of its band. */
  channels: UsableChannel[];
  /** Of the names of its settings, if there are several radios. */
  suffix: string;
}

export class HostapdSettings implements SettingsOptions {
  readonly #options: HostapdSettingsOptions;
  readonly #radios: ConfiguredRadio[];
  /** By file, what hostapd has read, and what the file had afterwards. */
  readonly #loaded = new Map<string, { disk: string; text: string }>();
  readonly declare: SettingsOptions['declare'];

  private constructor(options: HostapdSettingsOptions, radios: ConfiguredRadio[], declare: HostapdSettings['declare']) {
    this.#options = options;
    this.#radios = radios;
    this.declare = declare;
  }

  /** Undefined if none of the files can be used. */
  static async find(options: HostapdSettingsOptions): Promise<HostapdSettings | undefined> {
    const { machine, files, say } = options;
    const radios: ConfiguredRadio[] = [];
    const declare: HostapdSettings['declare'] = {};
    const interfaces = parseInterfaces(await patiently(() => machine.run('iw', ['dev'])));
    for (const file of files) {
      await putBack(file).catch(() => {});
      const conf = new HostapdConf(await readFile(file, 'utf8').catch((error) => `# ${error.message}`));
      const name = conf.get('interface');
      if (name === undefined) {
        say(`there are no settings of ${file}: it cannot be read, or is no configuration of hostapd`);
        continue;
      }
      const phy = interfaces.find((one) => one.interface === name)?.phy ?? 'phy0';
      const channels = parseChannels(await patiently(() => machine.run('iw', ['phy', phy, 'info'])));
      const isOfBand = ({ frequencyMhz: mhz }: UsableChannel) =>
        conf.get('hw_mode') === 'a' ? mhz > 5000 && mhz < 5925 : mhz < 3000;
      const suffix = files.length > 1 ? `_${name}` : '';
      const radio = { file, interface: name, channels: channels.filter(isOfBand), suffix };
      radios.push(radio);
      for (const [leaf, setting] of Object.entries(declarationOf(radio, conf))) declare[leaf + suffix] = setting;
    }
    return radios.length > 0 ? new HostapdSettings(options, radios, declare) : undefined;
  }

  readonly isForgotten = async (): Promise<boolean> => {
    // The machine was started since: hostapd runs what its file says.
    const { machine, bootFile } = this.#options;
    if ((await bootOf(machine)) === (await readFile(bootFile, 'utf8').catch(() => ''))) return false;
    for (const { file } of this.#radios) {
      const disk = await readFile(file, 'utf8');
      this.#loaded.set(file, { disk, text: disk });
    }
    return true;
  };

  readonly running = async (given: Settings): Promise<Settings> => {
    const { machine } = this.#options;
    const found: Settings = {};
    const known = await findRadios(machine).catch(() => findRadios(machine));
    for (const { interface: name, file, suffix } of this.#radios) {
      // A busy machine may not answer at once; what is not known is not told, and not changed.
      const served = parseServed(name, await patiently(() => this.#options.hostapd.ask(name, 'status')));
      const radio = known.find((one) => one.interface === name);
      if (!served) throw new SettingsFailure(`hostapd does not answer for ${name}`);
      if (served.isAsleep) continue;
      const disk = await readFile(file, 'utf8').catch(() => '');
      const loaded = this.#loaded.get(file);
      const networks = networksIn(new HostapdConf(loaded?.disk === disk ? loaded.text : disk));
      const shape = given[`networks${suffix}`];
      const values = {
        channel: served.channel,
        channel_width_mhz: radio?.widthMhz,
        tx_power_dbm: radio?.txPowerDbm,
        networks: networks?.map((network, at) => toWords(network, served.ssids[at], Array.isArray(shape) && shape[at])),
        country: await this.#country(),
      };
      for (const [leaf, value] of Object.entries(values)) {
        if (value !== undefined && Object.hasOwn(this.declare, leaf + suffix)) found[leaf + suffix] = value;
      }
    }
    return found;
  };

  readonly apply = async (settings: Settings, isTrial: boolean): Promise<Settings | undefined> => {
    for (const leaf of Object.keys(settings)) {
      if (!Object.hasOwn(this.declare, leaf)) throw new SettingsFailure(`${leaf} cannot be set here`);
    }
    const now = await this.running(settings);
    // What runs already need not be possible: the old settings come back whatever they are.
    const others = Object.fromEntries(Object.entries(settings).filter(([leaf, value]) => !isEqual(now[leaf], value)));
    const plans = this.#radios.map((radio) => ({ radio, ...planOf(radio, others) }));
    for (const { radio, target, widthMhz } of plans) {
      await putBack(radio.file);
      const disk = await readFile(radio.file, 'utf8');
      const text = withSettings(disk, radio, settings);
      if (target !== undefined || widthMhz !== undefined) await this.#switch(radio, target, widthMhz);
      await this.#load(radio, disk, text, isTrial);
      // Last: a radio that begins again has the power of its own choice.
      await this.#setPower(radio, settings[`tx_power_dbm${radio.suffix}`]);
    }
    await writeFile(this.#options.bootFile, await bootOf(this.#options.machine), { mode: 0o600 });
    const real = await this.running(settings);
    const wrong = Object.keys(settings).filter((leaf) => !isEqual(real[leaf], settings[leaf]));
    // The hardware has steps of power of its own; everything else is as it was asked for, or has failed.
    const failed = wrong.filter((leaf) => !leaf.startsWith('tx_power_dbm'));
    if (failed.length > 0) throw new SettingsFailure(`hostapd does not run ${failed.join(', ')} as asked for`);
    return wrong.length > 0 ? real : undefined;
  };

  readonly keep = async (settings: Settings): Promise<void> => {
    await this.apply(settings, false);
  };

  async #setPower({ interface: name }: ConfiguredRadio, dbm: unknown): Promise<void> {
    const { machine } = this.#options;
    const now = (await findRadios(machine)).find((one) => one.interface === name)?.txPowerDbm;
    if (typeof dbm !== 'number' || dbm === now) return;
    await machine.run('iw', ['dev', name, 'set', 'txpower', 'fixed', String(Math.round(dbm * 100))]);
  }

  async #switch({ interface: name, channels }: ConfiguredRadio, target: UsableChannel | undefined, width?: number) {
    const { machine, hostapd } = this.#options;
    const current = async () => (await findRadios(machine)).find((one) => one.interface === name);
    const served = await readServed(machine, name);
    const before = await current();
    const channel = target ?? channels.find((one) => one.channel === before?.channel);
    if (!served || served.isAsleep || !channel) throw new SettingsFailure(`hostapd does not serve ${name} now`);
    const shape = channelShape(channel, width ?? before?.widthMhz, served.modes);
    await hostapd.order(name, 'the channel', 'chan_switch', announcements, String(channel.frequencyMhz), ...shape);
    await until(`${name} does not go to channel ${channel.channel}`, async () => {
      const now = await current();
      return now?.channel === channel.channel && (width === undefined || now.widthMhz === width);
    });
  }

  /** hostapd reads the text, if that says something else about networks and country than what it has read before. */
  async #load(radio: ConfiguredRadio, disk: string, text: string, isTrial: boolean): Promise<void> {
    const { file } = radio;
    const before = this.#loaded.get(file);
    const known = before?.disk === disk ? before.text : isTrial ? disk : undefined;
    // After an interrupted trial it is unknown what it has read.
    const isOther = known === undefined || wordsOf(known) !== wordsOf(text);
    const isElsewhere = known === undefined || countryIn(known) !== countryIn(text);
    const read = () => (isOther ? this.#read(radio, text, isElsewhere) : Promise.resolve());
    if (isTrial) {
      if (isOther) await withConf(file, text, read);
    } else {
      if (text !== disk) await writeConf(file, text);
      await read();
    }
    this.#loaded.set(file, { disk: isTrial ? disk : text, text });
  }

  async #read({ file, interface: name }: ConfiguredRadio, text: string, isElsewhere: boolean): Promise<void> {
    const { machine, hostapd } = this.#options;
    const pid = await pidOf(machine, file);
    if (pid === undefined) throw new SettingsFailure(`no hostapd runs with ${file}`);
    process.kill(pid, 'SIGHUP');
    // It answers after it has read its file: signals come first.
    await hostapd.ask(name, 'status');
    // The rules of a country are asked for when a radio begins.
    if (isElsewhere && countryIn(text) !== (await this.#country())) {
      await hostapd.order(name, 'to stop', 'disable');
      await hostapd.order(name, 'to begin', 'enable');
    }
    const wanted = JSON.stringify(networksIn(new HostapdConf(text))?.map(({ ssid }) => ssid));
    await until(`${name} does not serve the networks of ${file}`, async () => {
      const served = await readServed(machine, name);
      return served?.isServing === true && (wanted === undefined || JSON.stringify(served.ssids) === wanted);
    });
  }

  async #country(): Promise<string | undefined> {
    const text = await this.#options.machine.run('iw', ['reg', 'get']).catch(() => '');
    return /^global\ncountry ([A-Z]{2}):/m.exec(text)?.[1];
  }
}

function declarationOf({ channels }: ConfiguredRadio, conf: HostapdConf): SettingsOptions['declare'] {
  const numbers = channels.map(({ channel }) => channel);
  // One that it could not go back to is not left: a channel with radar detection, or one that hostapd chose.
  const isFree = numbers.includes(Number(conf.get('channel')));
  const isOn = (name: string) => conf.get(name) === '1';
  const widths = [20, 40, ...(isOn('ieee80211ac') || isOn('ieee80211ax') ? [80] : [])];
  const isWide = conf.get('hw_mode') === 'a' && isOn('ieee80211n');
  const maximum = Math.max(0, ...channels.map(({ maxDbm }) => maxDbm));
  return {
    ...(isFree && { channel: { type: 'integer', enum: numbers, restart: 'radio' } }),
    ...(isFree && isWide && { channel_width_mhz: { type: 'integer', enum: widths, restart: 'radio' } }),
    ...(maximum > 0 && { tx_power_dbm: { type: 'number', minimum: 0, maximum, parameter: 'tx_power' } }),
    ...(networksIn(conf) && { networks: { type: 'array', restart: 'radio' } }),
    ...(countryIn(conf.text) && { country: { type: 'string', restart: 'radio' } }),
  } as SettingsOptions['declare'];
}

/** Weft has validated them, but this machine does not trust the server. Throws Error with the reason. */
function planOf({ channels, suffix, interface: name }: ConfiguredRadio, settings: Settings) {
  const of = (leaf: string) => settings[leaf + suffix];
  const target = channels.find(({ channel }) => channel === of('channel'));
  if (of('channel') !== undefined && !target) throw new SettingsFailure(`${name} cannot use this channel`);
  const [width, dbm, networks, country] = ['channel_width_mhz', 'tx_power_dbm', 'networks', 'country'].map(of);
  if (width !== undefined && ![20, 40, 80].includes(width as number))
    throw new SettingsFailure('widths are 20, 40 and 80 MHz');
  const maximum = Math.max(0, ...channels.map(({ maxDbm }) => maxDbm));
  if (dbm !== undefined && !(typeof dbm === 'number' && dbm >= 0 && dbm <= maximum)) {
    throw new SettingsFailure(`power is 0 to ${maximum} dBm`);
  }
  if (country !== undefined && !countryCode.test(String(country)))
    throw new SettingsFailure('a country has two capital letters');
  if (networks !== undefined) requireNetworks(networks);
  return { target, widthMhz: width as number | undefined };
}

async function until(complaint: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new SettingsFailure(`${complaint} within ${patienceMs / 1000} s`);
    await pause(everyMs);
  }
}

/** A machine that has just started may be too slow to answer at once, and what it can do is asked only now. */
async function patiently(ask: () => Promise<string>): Promise<string> {
  for (let left = 3; left > 0; left--) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ToolMissing) break;
    }
  }
  return '';
}

async function bootOf({ proc }: Machine): Promise<string> {
  return (await readKernelFile(proc, 'sys/kernel/random/boot_id'))?.trim() ?? '';
}

/** The hostapd that was started with this file. */
async function pidOf({ proc }: Machine, file: string): Promise<number | undefined> {
  for (const pid of (await readdir(proc)).filter((name) => /^\d+$/.test(name))) {
    const [program = '', ...args] = ((await readKernelFile(proc, pid, 'cmdline')) ?? '').split('\0');
    if (/(^|\/)hostapd$/.test(program) && args.includes(file)) return Number(pid);
  }
  return undefined;
}
