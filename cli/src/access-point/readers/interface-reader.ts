// The network interfaces: throughput, errors, and link state.
import { access, readdir } from 'node:fs/promises';
import { type Machine, readKernelFile, readKernelNumber } from '../machine/machine.ts';
import { Counters, MachineReader, type Measured, rounded } from './reader.ts';

const maxInterfaces = 32;

export class InterfaceReader extends MachineReader {
  override readonly subject = 'network interfaces';
  readonly #counters = new Counters();

  override async read(nowMs: number): Promise<Measured[]> {
    this.#counters.begin();
    const names = await interfacesOf(this.machine);
    return (await Promise.all(names.map((name) => this.#interface(name, nowMs)))).flat();
  }

  async #interface(name: string, nowMs: number): Promise<Measured[]> {
    const folder = `${this.machine.sys}/class/net/${name}`;
    const count = async (counter: string) => {
      const value = await readKernelNumber(folder, 'statistics', counter);
      return this.#counters.rise(`${name} ${counter}`, value, nowMs);
    };
    const [rx, tx, rxErrors, txErrors, rxDrops, txDrops] = await Promise.all(
      ['rx_bytes', 'tx_bytes', 'rx_errors', 'tx_errors', 'rx_dropped', 'tx_dropped'].map(count),
    );
    const mbps = (rise: typeof rx) => (rise ? rounded((rise.by * 8) / 1e6 / rise.seconds, 3) : undefined);
    const sum = (a: typeof rx, b: typeof rx) => (a && b ? a.by + b.by : undefined);
    const isUp = await hasLink(folder);
    // An interface without a link has no speed, and one of a virtual machine may report -1.
    const speed = isUp ? await readKernelNumber(folder, 'speed') : undefined;
    return [
      { name: `rx_mbps_${name}`, value: mbps(rx), label: `Received, ${name}`, unit: 'Mb/s' },
      { name: `tx_mbps_${name}`, value: mbps(tx), label: `Sent, ${name}`, unit: 'Mb/s' },
      { name: `errors_${name}`, value: sum(rxErrors, txErrors), label: `Errors, ${name}` },
      { name: `drops_${name}`, value: sum(rxDrops, txDrops), label: `Dropped packets, ${name}` },
      { name: `link_up_${name}`, value: isUp ? 1 : 0, label: `Link, ${name}` },
      ...(speed !== undefined && speed > 0
        ? [{ name: `link_speed_mbps_${name}`, value: speed, label: `Link speed, ${name}`, unit: 'Mb/s' }]
        : []),
    ];
  }
}

/** Physical interfaces, without bridges and container interfaces; if there are none, all but lo. */
export async function interfacesOf({ sys }: Machine): Promise<string[]> {
  const folder = `${sys}/class/net`;
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => name !== 'lo' && !/[^\w.@:-]/.test(name))
    .sort();
  const isHardware = await Promise.all(names.map((name) => exists(`${folder}/${name}/device`)));
  const hardware = names.filter((_, index) => isHardware[index]);
  const rest = hardware.length > 0 ? hardware : await onlyInterfaces(folder, names);
  return rest.slice(0, maxInterfaces);
}

/** The folder also contains files, such as bonding_masters. */
async function onlyInterfaces(folder: string, names: string[]): Promise<string[]> {
  const areInterfaces = await Promise.all(names.map((name) => exists(`${folder}/${name}/statistics`)));
  return names.filter((_, index) => areInterfaces[index]);
}

/** `operstate` is unknown if a driver does not set it; reading `carrier` of an interface that is down fails. */
async function hasLink(folder: string): Promise<boolean> {
  const state = (await readKernelFile(folder, 'operstate'))?.trim();
  if (state === 'up') return true;
  return state === 'unknown' && (await readKernelNumber(folder, 'carrier')) === 1;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
