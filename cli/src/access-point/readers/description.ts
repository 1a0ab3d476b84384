// The description of the machine for the agent's configuration: host name, kernel, model, and whether it has WiFi.
import { type Machine, readKernelFile } from '../machine/machine.ts';
import { describeRadios, type RadioDescription } from './radio-description.ts';
import { findRadios } from './radios.ts';

export interface Description {
  hostname?: string;
  kernel?: string;
  model?: string;
  access_point_type?: 'WiFi' | 'device';
  radios?: RadioDescription[];
  /** Of a device with several. */
  links?: { link: string; endpoint: number }[];
}

/** `isWifi`: it is known to be an access point, even if its radios are asleep. */
export async function describeMachine(machine: Machine, isWifi = false): Promise<Description> {
  const [hostname, kernel, board, product, radios] = await Promise.all([
    readKernelFile(machine.proc, 'sys/kernel/hostname'),
    readKernelFile(machine.proc, 'sys/kernel/osrelease'),
    readKernelFile(machine.sys, 'firmware/devicetree/base/model'),
    readKernelFile(machine.sys, 'class/dmi/id/product_name'),
    findRadios(machine).catch(() => []),
  ]);
  const known = { hostname: plain(hostname), kernel: plain(kernel), model: plain(board) ?? plain(product) };
  const found = Object.fromEntries(Object.entries(known).filter(([, text]) => text !== undefined));
  if (radios.length === 0 && !isWifi) return found;
  return { ...found, access_point_type: 'WiFi', radios: await describeRadios(machine, radios) };
}

/** Strings of a device tree end with a zero byte. */
function plain(text: string | undefined): string | undefined {
  const trimmed = text?.replaceAll(/[\0-\x1f\x7f]/g, ' ').trim();
  return trimmed ? trimmed.slice(0, 256) : undefined;
}
