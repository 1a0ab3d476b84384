// Commands that change a radio: declared with the limits of the hardware; the value that was
// actually set is read back.

import type { Machine } from '../machine/machine.ts';
import { parseChannels, type UsableChannel } from '../readers/iw-output.ts';
import type { Radio } from '../readers/radio.ts';
import { askHostapd, findRadios } from '../readers/radios.ts';
import type { AllowableCommand } from './allowance.ts';
import type { CommandOffer } from './command-offer.ts';

/** The number of beacons that announce the change. */
const announcements = '5';

interface Hardware extends Radio {
  channels: UsableChannel[];
}

export async function offerWifiCommands(
  machine: Machine,
  allowed: ReadonlySet<AllowableCommand>,
): Promise<CommandOffer[]> {
  if (!allowed.has('set_tx_power') && !allowed.has('set_channel')) return [];
  const radios = await findRadios(machine).catch(() => []);
  const hardware = await Promise.all(radios.map((radio) => withChannels(machine, radio)));
  return [
    ...(allowed.has('set_tx_power') ? offerTxPower(machine, hardware) : []),
    ...(allowed.has('set_channel') ? offerChannel(machine, hardware) : []),
  ];
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

function offerChannel(machine: Machine, radios: Hardware[]): CommandOffer[] {
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
        await switchChannel(machine, radio.interface, target, width);
        return { applied: { ...args, channel: target.channel } };
      },
    },
  ];
}

/** With hostapd, which moves the devices too, if it answers; else with the kernel. */
async function switchChannel(
  machine: Machine,
  name: string,
  target: UsableChannel,
  widthMhz: number | undefined,
): Promise<void> {
  const isServed = await askHostapd(machine, name, 'ping').then(
    (text) => text.includes('PONG'),
    () => false,
  );
  if (!isServed) {
    await machine.run('iw', ['dev', name, 'set', 'channel', String(target.channel)]);
    return;
  }
  const words = ['chan_switch', announcements, String(target.frequencyMhz), ...channelShape(target, widthMhz)];
  const answer = await askHostapd(machine, name, ...words);
  if (!/^OK$/m.test(answer)) throw new Error(`hostapd rejects the channel: ${answer.trim().split('\n').at(-1)}`);
}

/** The channel width in the syntax of chan_switch; 5 GHz channels are grouped in fours and pairs from 36 and 149 on. */
export function channelShape({ channel, frequencyMhz }: UsableChannel, widthMhz: number | undefined): string[] {
  if (frequencyMhz < 5000 || widthMhz === undefined || widthMhz < 40) return ['bandwidth=20', 'ht'];
  const first = channel >= 149 ? 149 : 36;
  const place = (channel - first) / 4;
  const offset = `sec_channel_offset=${place % 2 === 0 ? 1 : -1}`;
  const middle = (bundle: number) =>
    frequencyMhz + (Math.floor(place / bundle) * bundle - place) * 20 + (bundle - 1) * 10;
  // The last 5 GHz channel has no pair.
  if (channel === 165) return ['bandwidth=20', 'ht'];
  if (widthMhz < 80) return [`center_freq1=${middle(2)}`, offset, 'bandwidth=40', 'ht'];
  return [`center_freq1=${middle(4)}`, offset, 'bandwidth=80', 'ht', 'vht'];
}

async function withChannels(machine: Machine, radio: Radio): Promise<Hardware> {
  const text = radio.phy ? await machine.run('iw', ['phy', radio.phy, 'info']).catch(() => '') : '';
  return { ...radio, channels: parseChannels(text) };
}

async function current(machine: Machine, { interface: name }: Radio): Promise<Radio | undefined> {
  const radios = await findRadios(machine).catch(() => []);
  return radios.find((radio) => radio.interface === name);
}

/** Only if there are several radios. */
function whichOf(radios: Radio[]): Record<string, unknown> {
  return radios.length > 1 ? { interface: { type: 'string', enum: radios.map((radio) => radio.interface) } } : {};
}

function chosen<Kind extends Radio>(radios: Kind[], { interface: name }: Record<string, unknown>): Kind {
  if (name === undefined && radios.length === 1) return radios[0]!;
  const radio = radios.find((each) => each.interface === name);
  if (!radio) throw new Error(`interface must be one of ${radios.map((each) => each.interface).join(', ')}`);
  return radio;
}

/** Weft has validated it, but this machine does not trust the server. */
export function requireNumber(args: Record<string, unknown>, name: string, minimum: number, maximum: number): number {
  const value = args[name];
  if (typeof value !== 'number' || !(value >= minimum && value <= maximum)) {
    throw new Error(`${name} must be a number from ${minimum} to ${maximum}`);
  }
  return value;
}

function isSameBand({ frequencyMhz }: UsableChannel, other: number | undefined): boolean {
  const band = (mhz: number) => (mhz < 3000 ? 2 : mhz < 5925 ? 5 : 6);
  return other !== undefined && band(frequencyMhz) === band(other) && band(other) !== 6;
}
