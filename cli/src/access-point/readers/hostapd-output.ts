// Parses the output of `hostapd_cli`, for machines without `iw`.
import type { ObservedRadio, Station } from './radio.ts';

/** Output of `status`: undefined if the interface is not active. */
export function parseStatus(name: string, text: string): ObservedRadio | undefined {
  const fields = toFields(text.split('\n'));
  if (fields.get('state') !== 'ENABLED') return undefined;
  const number = (key: string) => toNumber(fields.get(key));
  const share = number('chan_util_avg');
  return {
    interface: name,
    phy: fields.get('phy'),
    bssid: fields.get('bssid[0]'),
    channel: number('channel'),
    frequencyMhz: number('freq'),
    widthMhz: undefined,
    // hostapd knows the maximum power, not the actual one.
    txPowerDbm: undefined,
    stations: [],
    survey: undefined,
    // As in a beacon: 255 is 100 %.
    utilisationPct: share === undefined ? undefined : (100 * share) / 255,
  };
}

/** Output of `all_sta`: an address on a separate line, followed by its values. */
export function parseAllStations(text: string): Station[] {
  const lines = text.split('\n');
  const heads = lines.flatMap((line, index) => (/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(line.trim()) ? [index] : []));
  return heads.flatMap((head, index) => {
    const fields = toFields(lines.slice(head + 1, heads[index + 1]));
    if (fields.get('flags')?.includes('[AUTHORIZED]') === false) return [];
    // In units of 100 kbit/s, followed by details.
    const rate = (key: string) => {
      const steps = toNumber(fields.get(key)?.split(' ')[0]);
      return steps === undefined || steps === 0 ? undefined : steps / 10;
    };
    const signal = toNumber(fields.get('signal'));
    return [
      {
        address: lines[head]!.trim(),
        signalDbm: signal === 0 ? undefined : signal,
        txRateMbps: rate('tx_rate_info'),
        rxRateMbps: rate('rx_rate_info'),
        connectedSeconds: toNumber(fields.get('connected_time')),
        txPackets: undefined,
        txRetries: undefined,
        txFailed: undefined,
      },
    ];
  });
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', e: '\x1b' };

/** A text as hostapd prints it: bytes that are no printable ASCII as `\xc3`. */
export function fromPrintable(text: string): string {
  const byte = (_: string, hex: string | undefined, other: string) =>
    hex === undefined ? (escapes[other] ?? other) : String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/\\(?:x([0-9a-f]{2})|(.))/gi, byte),
    'latin1',
  ).toString('utf8');
}

/** Lines `key=value`. */
export function toFields(lines: string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf('=');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  return fields;
}

function toNumber(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
