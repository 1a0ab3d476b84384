// Parses the output of `iw`: interfaces, stations, the survey of channels and the capabilities of the hardware.
import type { Radio, Station, Survey } from './radio.ts';

export interface WirelessInterface extends Radio {
  /** AP, managed, monitor and so on. */
  type: string;
}

/** Output of `iw dev`: interfaces grouped by hardware. */
export function parseInterfaces(text: string): WirelessInterface[] {
  const found: WirelessInterface[] = [];
  let phy: string | undefined;
  for (const line of text.split('\n')) {
    const hardware = /^phy#(\d+)/.exec(line);
    if (hardware) phy = `phy${hardware[1]}`;
    const name = /^\tInterface (\S+)$/.exec(line)?.[1];
    if (name !== undefined) found.push({ interface: name, phy, type: '', ...nothingKnown });
    const last = found.at(-1);
    const [, key, value = ''] = /^\t\t(type|addr|channel|txpower) (.+)$/.exec(line) ?? [];
    if (!last || key === undefined) continue;
    if (key === 'type') last.type = value.trim();
    if (key === 'addr') last.bssid = value.trim().toLowerCase();
    if (key === 'txpower') last.txPowerDbm = numberIn(value, /^(-?[\d.]+) dBm/);
    if (key !== 'channel') continue;
    last.channel = numberIn(value, /^(\d+) /);
    last.frequencyMhz = numberIn(value, /\((\d+)(?:\.\d+)? MHz\)/);
    last.widthMhz = numberIn(value, /width: (\d+) MHz/);
  }
  return found;
}

const nothingKnown = {
  bssid: undefined,
  channel: undefined,
  frequencyMhz: undefined,
  widthMhz: undefined,
  txPowerDbm: undefined,
};

/** Output of `iw dev X station dump`: authorised stations. */
export function parseStations(text: string): Station[] {
  return sections(text, /^Station (\S+) /).flatMap(({ title, fields }) => {
    if (fields.get('authorized') === 'no') return [];
    const number = (key: string, pattern = /^(-?\d+)/) => numberIn(fields.get(key), pattern);
    const rate = (key: string) => number(key, /^([\d.]+) MBit\/s/);
    return [
      {
        address: title,
        signalDbm: number('signal avg') ?? number('signal'),
        txRateMbps: rate('tx bitrate'),
        rxRateMbps: rate('rx bitrate'),
        connectedSeconds: number('connected time'),
        txPackets: number('tx packets'),
        txRetries: number('tx retries'),
        txFailed: number('tx failed'),
      },
    ];
  });
}

/** Output of `iw dev X survey dump`: the channel in use. */
export function parseSurvey(text: string): Survey | undefined {
  for (const { fields } of sections(text, /^Survey data from (\S+)/)) {
    const frequency = fields.get('frequency') ?? '';
    if (!frequency.includes('[in use]')) continue;
    const number = (key: string) => numberIn(fields.get(key), /^(-?\d+)/);
    return {
      frequencyMhz: numberIn(frequency, /^(\d+)/) ?? 0,
      noiseDbm: number('noise'),
      activeMs: number('channel active time'),
      busyMs: number('channel busy time'),
      transmitMs: number('channel transmit time'),
    };
  }
  return undefined;
}

export interface UsableChannel {
  channel: number;
  frequencyMhz: number;
  maxDbm: number;
}

/** Output of `iw phy X info`: the channels that need no radar detection. */
export function parseChannels(text: string): UsableChannel[] {
  return [...text.matchAll(/^\s*\* (\d+)(?:\.\d+)? MHz \[(\d+)\] \(([\d.]+) dBm\)(.*)$/gm)].flatMap(
    ([, frequency, channel, power, more = '']) =>
      /no IR|radar|disabled|passive/.test(more)
        ? []
        : [{ channel: Number(channel), frequencyMhz: Number(frequency), maxDbm: Number(power) }],
  );
}

interface Section {
  title: string;
  fields: Map<string, string>;
}

/** The first of equal keys is used: the links of a station repeat its keys. */
function sections(text: string, head: RegExp): Section[] {
  const found: Section[] = [];
  for (const line of text.split('\n')) {
    const title = head.exec(line)?.[1];
    if (title !== undefined) found.push({ title, fields: new Map() });
    const [, key, value] = /^\s+([^:]+):\s*(.*)$/.exec(line) ?? [];
    const fields = found.at(-1)?.fields;
    if (fields && key !== undefined && value !== undefined && !fields.has(key)) fields.set(key, value.trim());
  }
  return found;
}

function numberIn(text: string | undefined, pattern: RegExp): number | undefined {
  const found = text === undefined ? undefined : pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
