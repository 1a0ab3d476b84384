// Asks a device to move to another access point, by a BSS transition management request (802.11v), and tells what the device
// said. Whether it moved is for Weft to see: the target reports it.
import { isObject } from '@weft/contract/is-object';
import { CommandFailed } from '@weft/sdk';
import type { Hostapd, HostapdEvent } from '../hostapd/hostapd.ts';
import { operatingClass } from '../readers/operating-class.ts';
import { type CommandOffer, requireNumber, requireText } from './command-offer.ts';

const defaultTimeoutSeconds = 30;
const maxTimeoutSeconds = 300;
/** Devices look around first and answer within seconds, or not at all. */
const answerTimeoutMs = 10_000;
/** The disassociation timer counts beacons, about ten a second; it has 16 bits. */
const beaconsPerSecond = 10;
/** More would not fit into one frame. */
const maxTargetRadios = 8;
const highThroughput = 7;
const hardwareAddress = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** What the access point saw of the device. */
export interface SteeringAnswer {
  answer: 'accepted' | 'refused' | 'no_answer' | 'not_here' | 'sent';
  status_code?: number;
  detail?: string;
}

export function offerSteering(hostapd: Hostapd): CommandOffer {
  return {
    declaration: {
      name: 'steer_device',
      parameter: 'steering',
      params: {
        device: { type: 'string' },
        target: { type: 'string' },
        timeout_seconds: { type: 'integer', minimum: 1, maximum: maxTimeoutSeconds, unit: 's', optional: true },
        force: { type: 'boolean', optional: true },
      },
    },
    async run(args) {
      const device = requireText(args, 'device').toLowerCase();
      if (!hardwareAddress.test(device)) throw new Error('device must be a hardware address');
      const timeoutSeconds =
        args.timeout_seconds === undefined
          ? defaultTimeoutSeconds
          : requireNumber(args, 'timeout_seconds', 1, maxTimeoutSeconds);
      const neighbours = toNeighbours(args.target_radios);
      if (neighbours.length === 0)
        throw new Error(`the radios of ${requireText(args, 'target')} are unknown or asleep`);
      const name = await interfaceOf(hostapd, device);
      if (name === undefined) throw failed({ answer: 'not_here' });
      const words = requestWords(neighbours, timeoutSeconds, args.force === true);
      return { result: await request(hostapd, name, device, words, timeoutSeconds) };
    },
  };
}

/** `neighbor=` of each radio: its address, what is known of it, where it is. Throws an Error at what is no radio. */
export function toNeighbours(radios: unknown): string[] {
  if (!Array.isArray(radios)) return [];
  return radios.slice(0, maxTargetRadios).map((radio) => {
    if (!isObject(radio)) throw new Error('target_radios must be objects');
    const bssid = requireText(radio, 'bssid').toLowerCase();
    if (!hardwareAddress.test(bssid)) throw new Error('bssid must be a hardware address');
    const channel = requireNumber(radio, 'channel', 1, 233);
    const frequency = requireNumber(radio, 'frequency_mhz', 2400, 7200);
    const width = radio.width_mhz === undefined ? 20 : requireNumber(radio, 'width_mhz', 5, 320);
    const known = radio.op_class === undefined ? undefined : requireNumber(radio, 'op_class', 1, 255);
    const opClass = known ?? operatingClass(frequency, channel, width);
    if (opClass === undefined) throw new Error('the target uses an unknown band');
    const phy = radio.phy_type === undefined ? highThroughput : requireNumber(radio, 'phy_type', 1, 255);
    // Subelement 3 is the preference, here the highest.
    return `neighbor=${bssid},0x0000,${Math.round(opClass)},${Math.round(channel)},${Math.round(phy)},0301ff`;
  });
}

/** With `force` the access point ends the connection when the time is over; devices that know that leave earlier. */
export function requestWords(neighbours: readonly string[], timeoutSeconds: number, isForced: boolean): string[] {
  const timer = Math.min(65_535, Math.round(timeoutSeconds * beaconsPerSecond));
  return [
    ...neighbours,
    'pref=1',
    'abridged=1',
    ...(isForced ? ['disassoc_imminent=1', `disassoc_timer=${timer}`] : []),
  ];
}

async function interfaceOf(hostapd: Hostapd, device: string): Promise<string | undefined> {
  for (const name of hostapd.interfaces) {
    const text = await hostapd.ask(name, 'sta', device).catch(() => '');
    if (/^flags=.*\[AUTHORIZED\]/m.test(text)) return name;
  }
  return undefined;
}

async function request(
  hostapd: Hostapd,
  name: string,
  device: string,
  words: string[],
  timeoutSeconds: number,
): Promise<SteeringAnswer> {
  const isHeard = hostapd.isHeard(name);
  const isAnswer = ({ interface: where, name: event, address }: HostapdEvent) =>
    where === name && address === device && (event === 'BSS-TM-RESP' || event === 'AP-STA-DISCONNECTED');
  const act = () => hostapd.order(name, 'the request', 'bss_tm_req', device, ...words);
  const timeoutMs = isHeard ? Math.min(answerTimeoutMs, timeoutSeconds * 1000) : 0;
  const event = await hostapd.during(act, isAnswer, timeoutMs);
  if (!isHeard) return { answer: 'sent', detail: 'events of hostapd do not arrive' };
  if (!event) throw failed({ answer: 'no_answer' });
  // It may have gone without a word; where it went is what the target tells.
  if (event.name === 'AP-STA-DISCONNECTED') return { answer: 'sent', detail: 'the device left without an answer' };
  const status = Number(event.fields.get('status_code'));
  if (status === 0) return { answer: 'accepted', status_code: 0 };
  throw failed({ answer: 'refused', status_code: status, detail: reasons[status] ?? 'unknown reason' });
}

/** The status codes of a BSS transition management response. */
const reasons: Record<number, string> = {
  1: 'no reason given',
  2: 'it does not hear the target well enough',
  3: 'the target has no capacity',
  4: 'the connection must not end',
  5: 'the connection must not end yet',
  6: 'it wants another access point',
  7: 'no suitable access point',
  8: 'it leaves the network',
};

function failed(answer: SteeringAnswer): CommandFailed {
  return new CommandFailed(answer.detail ?? answer.answer, answer);
}
