// The links of a device with several: how much each MPTCP endpoint carries now.
import type { Machine } from '../machine/machine.ts';
import { ToolMissing } from '../machine/tool.ts';
import { Counters, type Measured, type Reader, rounded } from '../readers/reader.ts';
import { type Endpoint, parseEndpoints, parseSubflows, type Subflow } from './mptcp-output.ts';

export class LinkReader implements Reader {
  readonly subject = 'MPTCP';
  readonly #machine: Machine;
  readonly #counters = new Counters();
  #key = '';

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Changes with the links. */
  get key(): string {
    return this.#key;
  }

  /** As the configuration has them. */
  async links(): Promise<{ link: string; endpoint: number }[]> {
    const endpoints = await findEndpoints(this.#machine).catch(() => []);
    return endpoints.map((endpoint) => ({ link: linkName(endpoint), endpoint: endpoint.id }));
  }

  async read(nowMs: number): Promise<Measured[]> {
    this.#counters.begin();
    const endpoints = await findEndpoints(this.#machine);
    this.#key = endpoints.map((endpoint) => `${endpoint.id} ${linkName(endpoint)}`).join('\n');
    if (endpoints.length === 0) return [];
    const subflows = parseSubflows(await this.#machine.run('ss', ['-Htin']));
    return endpoints.flatMap((endpoint) => this.#endpoint(endpoint, subflows, nowMs));
  }

  #endpoint(endpoint: Endpoint, all: readonly Subflow[], nowMs: number): Measured[] {
    const name = linkName(endpoint);
    const subflows = all.filter(({ localAddress }) => localAddress === endpoint.address);
    const mbps = (what: 'receivedBytes' | 'ackedBytes') => {
      const rises = subflows.flatMap((one) => this.#counters.rise(`${one.key} ${what}`, one[what], nowMs) ?? []);
      // Of new connections the rate is known at the next measurement.
      if (rises.length === 0) return subflows.length === 0 ? 0 : undefined;
      return rounded(
        rises.reduce((sum, { by, seconds }) => sum + (by * 8) / 1e6 / seconds, 0),
        3,
      );
    };
    const rtts = subflows.flatMap(({ rttMs }) => rttMs ?? []);
    const rtt = rtts.length > 0 ? rounded(rtts.reduce((sum, value) => sum + value, 0) / rtts.length) : undefined;
    const suffix = name.replaceAll(/[^A-Za-z0-9_]/g, '_');
    return [
      { name: `subflows_${suffix}`, value: subflows.length, label: `Subflows, ${name}` },
      { name: `subflow_rx_mbps_${suffix}`, value: mbps('receivedBytes'), label: `Received, ${name}`, unit: 'Mb/s' },
      { name: `subflow_tx_mbps_${suffix}`, value: mbps('ackedBytes'), label: `Sent, ${name}`, unit: 'Mb/s' },
      { name: `subflow_rtt_ms_${suffix}`, value: rtt, label: `Round trip, ${name}`, unit: 'ms' },
      { name: `backup_${suffix}`, value: endpoint.isBackup ? 1 : 0, label: `Standby, ${name}` },
    ];
  }
}

/** Empty if this machine has no MPTCP. Throws ToolFailure. */
export async function findEndpoints(machine: Machine): Promise<Endpoint[]> {
  try {
    return parseEndpoints(await machine.run('ip', ['mptcp', 'endpoint', 'show']));
  } catch (error) {
    if (error instanceof ToolMissing) return [];
    throw error;
  }
}

/** How people call it: its interface, else its number. */
export function linkName({ dev, id }: Endpoint): string {
  return dev ?? `id${id}`;
}
