// `weft devices`: what is attached where, and moving one.
import type { Device, DeviceDetails } from '@weft/sdk';
import { displayNames, type NameOf } from '../access-point-names.ts';
import { type Command, type CommandLine, countOf } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { toMoment } from '../moments.ts';
import { exitCode, firstOf, interruptionOf, type Surroundings } from '../surroundings.ts';
import { type Look, lookOf, printList, toTable } from '../table.ts';

export const devicesCommand: Command = {
  summary: 'list devices, show one, move one to another access point',
  usage: [
    'devices [--select SELECTOR] [--search TEXT] [--limit N] [--wide] [--iso]',
    'devices DEVICE [--wide] [--iso]',
    'devices steer DEVICE TARGET [--from AP] [--timeout SECONDS] [--force]',
  ],
  ask: 'Give one device; to steer, give a device and the access point that it should go to. weft devices lists devices.',
  about: `A DEVICE is its pseudonym (dev-...), as the list shows it. steer waits for what the network sees, and exits with 0 only if the device moved.
${identityHelp}`,
  options: {
    select: { value: 'SELECTOR', about: "only at these access points, such as 'site:uk/bristol/** type:WiFi'" },
    search: { value: 'TEXT', about: 'part of a pseudonym or of an ap_id' },
    limit: { value: 'N', about: 'at most this many (default: 200)' },
    from: { value: 'AP', about: 'the access point that gets the command (default: the strongest link)' },
    timeout: { value: 'SECONDS', about: 'how long the target has to report the device (default: 30)' },
    force: { about: 'also where it would be served badly' },
    ...listOptions,
  },
  examples: [
    "devices --select 'type:LiFi'",
    'devices dev-abcdefghijklmnop',
    'devices steer dev-abcdefghijklmnop ap-hall-2',
  ],
  async run(line, around) {
    const [first, device, target] = line.words;
    if (first === undefined) return list(line, around);
    return first === 'steer' ? steer(device!, target!, line, around) : show(first, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<number> {
  const limit = countOf(line, 'limit') ?? 200;
  const wanted = { selector: line.get('select'), search: line.get('search') };
  const app = connect(line, around);
  const devices = await firstOf((signal) => app.devices({ ...wanted, signal }), limit, around);
  const nameOf = line.has('json') ? String : await displayNames(app);
  const head = ['DEVICE', 'TECHNOLOGY', 'ACCESS POINT', 'SIGNAL', 'SINCE', 'STICKY'];
  const rowOf = (device: Device, look: Look) => toRow(device, nameOf, look);
  printList(devices, { none: 'No devices.', head, toRow: rowOf }, line, around);
  return exitCode.ok;
}

function toRow(shown: Device, nameOf: NameOf, { isIso }: Look): string[] {
  const { device, technologies, links, last_ap_id, last_seen, sticky } = shown;
  return [
    device,
    technologies.join(' ') || '–',
    links.map(({ ap_id }) => nameOf(ap_id)).join(' ') || `(${last_ap_id ? nameOf(last_ap_id) : 'nowhere'})`,
    toLevel(links[0]?.rssi_dbm),
    toMoment(links[0]?.since ?? last_seen, isIso),
    sticky ? sticky.reason : '',
  ];
}

async function show(name: string, line: CommandLine, around: Surroundings): Promise<number> {
  const app = connect(line, around);
  const device = await app.device(name, { signal: interruptionOf(around) });
  if (line.has('json')) {
    around.stdout.write(`${toJson(device, 2)}\n`);
    return exitCode.ok;
  }
  const nameOf = await displayNames(app);
  const look = lookOf(line, around);
  const table = (head: string[], rows: string[][]) => {
    if (rows.length > 0) around.stdout.write(`\n${toTable(head, rows, around.stdout, look)}`);
  };
  around.stdout.write(`${titleOf(device, look.isIso)}\n`);
  table(
    ['ACCESS POINT', 'TECHNOLOGY', 'SIGNAL', 'RX', 'TX', 'SINCE'],
    device.links.map((link) => [
      nameOf(link.ap_id),
      link.access_point_type ?? '–',
      toLevel(link.rssi_dbm),
      toRate(link.rx_mbps),
      toRate(link.tx_mbps),
      toMoment(link.since, look.isIso),
    ]),
  );
  table(
    ['HEARS', 'SIGNAL', 'TOLD BY'],
    device.heard.map(({ ap_id, bssid, rssi_dbm, by }) => [
      ap_id ? nameOf(ap_id) : (bssid ?? '–'),
      toLevel(rssi_dbm),
      by,
    ]),
  );
  table(
    ['WHEN', 'WHAT', 'WHERE', 'FROM'],
    device.moves.map(({ ts, kind, ap_id, from }) => [
      toMoment(ts, look.isIso),
      kind,
      nameOf(ap_id),
      from ? nameOf(from) : '',
    ]),
  );
  table(
    ['STEERED', 'FROM', 'TO', 'OUTCOME'],
    device.steering.map(({ ts, ap_id, target, outcome }) => [
      toMoment(ts, look.isIso),
      nameOf(ap_id),
      target ? nameOf(target) : '–',
      outcome,
    ]),
  );
  return exitCode.ok;
}

async function steer(device: string, target: string, line: CommandLine, around: Surroundings): Promise<number> {
  const signal = interruptionOf(around);
  const asked = {
    from: line.get('from'),
    timeoutSeconds: countOf(line, 'timeout'),
    force: line.has('force') || undefined,
  };
  const sent = await connect(line, around).steer(device, target, { ...asked, signal });
  const { state, result, detail } = await sent.result({ signal });
  const outcome = (result as { outcome?: string } | null)?.outcome;
  if (line.has('json')) around.stdout.write(`${toJson({ command_id: sent.command_id, state, result }, 2)}\n`);
  else around.stderr.write(`${device} to ${target}: ${outcome ?? `${state} (${detail})`}.\n`);
  return state === 'succeeded' ? exitCode.ok : exitCode.failure;
}

function titleOf({ device, randomised, last_seen, sticky }: DeviceDetails, isIso: boolean): string {
  const notes = [randomised ? 'made-up address' : '', sticky ? `sticky: ${sticky.reason}` : ''].filter(Boolean);
  return `${device}, last seen ${toMoment(last_seen, isIso)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

function toLevel(rssi_dbm: number | null | undefined): string {
  return rssi_dbm === null || rssi_dbm === undefined ? '–' : `${rssi_dbm} dBm`;
}

function toRate(mbps: number | null): string {
  return mbps === null ? '–' : `${mbps} Mb/s`;
}
