// Commands that change a radio: declared with the limits of the hardware; the value that was
// actually set is read back.
import type { Hostapd, HostapdEvent } from '../hostapd/hostapd.ts';
import type { Machine } from '../machine/machine.ts';
import { parseChannels, type UsableChannel } from '../readers/iw-output.ts';
import type { RadioModes } from '../readers/operating-class.ts';
import type { Radio } from '../readers/radio.ts';
import { findRadios } from '../readers/radios.ts';
import { findServed, readServed, type ServedRadio } from '../readers/served-radio.ts';
import type { AllowableCommand } from './allowance.ts';
import { type CommandOffer, chosen, requireNumber, whichOf } from './command-offer.ts';
import { offerSteering } from './steer-command.ts';

/** The number of beacons that announce the change. */
export const announcements = '5';
const switchTimeoutMs = 5_000;

interface Hardware extends Radio {
  channels: UsableChannel[];
}

export async function offerWifiCommands(
  machine: Machine,
  hostapd: Hostapd,
  allowed: ReadonlySet<AllowableCommand>,
): Promise<CommandOffer[]> {
  if (!['set_tx_power', 'set_channel', 'sleep', 'wake', 'steer_device'].some((name) => allowed.has(name as never))) {
    return [];
  }
  const radios = await findRadios(machine).catch(() => []);
  const served = await findServed(machine);
  // One that sleeps is offered too: the agent may have been restarted meanwhile.
  const asleep = served.filter((one) => radios.every((radio) => radio.interface !== one.interface)).map(toRadio);
  const hardware = await Promise.all([...radios, ...asleep].map((radio) => withChannels(machine, radio)));
  const names = served.map((one) => one.interface);
  return [
    ...(allowed.has('set_tx_power') ? offerTxPower(machine, hardware) : []),
    ...(allowed.has('set_channel') ? offerChannel(machine, hostapd, hardware) : []),
    ...offerPower(hostapd, names, allowed),
    ...(allowed.has('steer_device') && names.length > 0 ? [offerSteering(hostapd)] : []),
  ];
}

function toRadio({ interface: name, phy, channel, frequencyMhz }: ServedRadio): Radio {
  return {
    interface: name,
    phy,
    bssid: undefined,
    channel,
    frequencyMhz,
    widthMhz: undefined,
    txPowerDbm: undefined,
  };
}

function offerTxPower(machine: Machine, radios: Hardware[]): CommandOffer[] {
  const able = radios.filter(({ channels }) => channels.length > 0);
  if (able.length === 0) return [];
  const maximum = Math.max(...able.flatMap(({ channels }) => channels.map(({ maxDbm }) => maxDbm)));
  const dbm = { type: 'number', minimum: 0, maximum, unit: 'dBm' };
  return [
    {
      declaration: { name: 'set_tx_power', parameter: 'tx_power', params: { dbm, ...whichOf(able) } },
      async run(args) {
        const radio = chosen(able, args);
        const wanted = requireNumber(args, 'dbm', 0, maximum);
        // In hundredths of a dBm.
        const power = String(Math.round(wanted * 100));
        await machine.run('iw', ['dev', radio.interface, 'set', 'txpower', 'fixed', power]);
        const now = await current(machine, radio);
        return now?.txPowerDbm === undefined ? undefined : { applied: { ...args, dbm: now.txPowerDbm } };
      },
    },
  ];
}

function offerChannel(machine: Machine, hostapd: Hostapd, radios: Hardware[]): CommandOffer[] {
  // A channel number means different frequencies in different bands, so a radio stays in its band.
  const able = radios
    .map((radio) => ({ ...radio, channels: radio.channels.filter((one) => isSameBand(one, radio.frequencyMhz)) }))
    .filter(({ channels }) => channels.length > 0);
  if (able.length === 0) return [];
  const numbers = [...new Set(able.flatMap(({ channels }) => channels.map(({ channel }) => channel)))];
  const channel = { type: 'integer', enum: numbers.sort((a, b) => a - b) };
  return [
    {
      declaration: { name: 'set_channel', parameter: 'channel', params: { channel, ...whichOf(able) } },
      async run(args) {
        const radio = chosen(able, args);
        const target = radio.channels.find((one) => one.channel === args.channel);
        if (!target) throw new Error(`${radio.interface} cannot use this channel`);
        const width = (await current(machine, radio))?.widthMhz ?? radio.widthMhz;
        await switchChannel(machine, hostapd, radio.interface, target, width);
        return { applied: { ...args, channel: target.channel } };
      },
    },
  ];
}

/** With hostapd, which announces it so that the devices follow, if it answers; else with the kernel. */
async function switchChannel(
  machine: Machine,
  hostapd: Hostapd,
  name: string,
  target: UsableChannel,
  widthMhz: number | undefined,
): Promise<void> {
  const served = await readServed(machine, name);
  if (!served) {
    await machine.run('iw', ['dev', name, 'set', 'channel', String(target.channel)]);
    return;
  }
  if (served.frequencyMhz === target.frequencyMhz && !served.isAsleep) return;
  const frequency = String(target.frequencyMhz);
  const words = ['chan_switch', announcements, frequency, ...channelShape(target, widthMhz, served.modes)];
  const isHeard = hostapd.isHeard(name);
  const isDone = ({ interface: where, name: event }: HostapdEvent) => where === name && event === 'AP-CSA-FINISHED';
  const act = () => hostapd.order(name, 'the channel', ...words);
  const done = await hostapd.during(act, isDone, isHeard ? switchTimeoutMs : 0);
  const arrived = done?.fields.get('freq');
  if (arrived !== undefined && arrived !== frequency) throw new Error(`the radio went to ${arrived} MHz`);
  if (isHeard && !done) throw new Error(`hostapd did not finish the change within ${switchTimeoutMs / 1000} s`);
}

/** The channel width in the syntax of chan_switch; 5 GHz channels are grouped in fours and pairs from 36 and 149 on. */
export function channelShape(
  { channel, frequencyMhz }: UsableChannel,
  widthMhz: number | undefined,
  { vht, he }: RadioModes,
): string[] {
  const modes = ['ht', ...(vht ? ['vht'] : []), ...(he ? ['he'] : [])];
  // With VHT hostapd wants the middle of the channel even of a narrow one.
  const narrow = [...(vht && frequencyMhz > 5000 ? [`center_freq1=${frequencyMhz}`] : []), 'bandwidth=20', ...modes];
  if (frequencyMhz < 5000 || widthMhz === undefined || widthMhz < 40) return narrow;
  const first = channel >= 149 ? 149 : 36;
  const place = (channel - first) / 4;
  const offset = `sec_channel_offset=${place % 2 === 0 ? 1 : -1}`;
  const middle = (bundle: number) =>
    frequencyMhz + (Math.floor(place / bundle) * bundle - place) * 20 + (bundle - 1) * 10;
  // The last 5 GHz channel has no pair.
  if (channel === 165) return narrow;
  if (widthMhz < 80) return [`center_freq1=${middle(2)}`, offset, 'bandwidth=40', ...modes];
  return [`center_freq1=${middle(4)}`, offset, 'bandwidth=80', ...modes];
}

async function withChannels(machine: Machine, radio: Radio): Promise<Hardware> {
  const text = radio.phy ? await machine.run('iw', ['phy', radio.phy, 'info']).catch(() => '') : '';
  return { ...radio, channels: parseChannels(text) };
}

async function current(machine: Machine, { interface: name }: Radio): Promise<Radio | undefined> {
  const radios = await findRadios(machine).catch(() => []);
  return radios.find((radio) => radio.interface === name);
}

function isSameBand({ frequencyMhz }: UsableChannel, other: number | undefined): boolean {
  const band = (mhz: number) => (mhz < 3000 ? 2 : mhz < 5925 ? 5 : 6);
  return other !== undefined && band(frequencyMhz) === band(other) && band(other) !== 6;
}

// Switches radios off and on: hostapd disables and enables them. Devices on it are told to leave first.

/** The search for a free channel takes its time. */
const timeoutMs = 15_000;

const steps = {
  sleep: { word: 'disable', event: 'AP-DISABLED', state: 'DISABLED' },
  wake: { word: 'enable', event: 'AP-ENABLED', state: 'ENABLED' },
} as const;

export function offerPower(
  hostapd: Hostapd,
  names: readonly string[],
  allowed: ReadonlySet<AllowableCommand>,
): CommandOffer[] {
  if (names.length === 0) return [];
  const radios = names.map((name) => ({ interface: name }));
  return (['sleep', 'wake'] as const)
    .filter((name) => allowed.has(name))
    .map((name) => ({
      declaration: { name, parameter: 'power_state', params: whichOf(radios) },
      async run(args) {
        await set(hostapd, chosen(radios, args).interface, steps[name]);
        return { result: { power_state: name === 'sleep' ? 'asleep' : 'on' } };
      },
    }));
}

async function set(hostapd: Hostapd, name: string, { word, event, state }: (typeof steps)['sleep' | 'wake']) {
  const isSo = async () => (await hostapd.ask(name, 'status')).includes(`state=${state}\n`);
  // Asked twice it would be refused.
  if (await isSo()) return;
  const isDone = (told: HostapdEvent) => told.interface === name && told.name === event;
  const act = () => hostapd.order(name, `to ${word} the radio`, word);
  await hostapd.during(act, isDone, hostapd.isHeard(name) ? timeoutMs : 0);
  if (!(await isSo())) throw new Error(`the radio is not ${state.toLowerCase()} after ${timeoutMs / 1000} s`);
}
