// The description of the machine for the agent's configuration: host name, kernel, model, and whether it has WiFi.

import { type Machine, readKernelFile } from '../machine/machine.ts';
import { operatingClass, phyType } from './operating-class.ts';
import type { Radio } from './radio.ts';
import { findRadios } from './radios.ts';
import { readServed } from './served-radio.ts';

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

/** The radios as the agent's configuration tells of them: others steer devices to these. */
export interface RadioDescription {
  interface: string;
  bssid: string;
  frequency_mhz: number;
  channel: number;
  width_mhz: number;
  op_class?: number;
  phy_type?: number;
}

/** Only those that serve now. */
export async function describeRadios(machine: Machine, radios: readonly Radio[]): Promise<RadioDescription[]> {
  const described = await Promise.all(radios.map((radio) => describeRadio(machine, radio)));
  return described.flatMap((radio) => radio ?? []);
}

async function describeRadio(machine: Machine, radio: Radio): Promise<RadioDescription | undefined> {
  const { interface: name, bssid, frequencyMhz, channel, widthMhz = 20 } = radio;
  if (bssid === undefined || frequencyMhz === undefined || channel === undefined) return undefined;
  const op_class = operatingClass(frequencyMhz, channel, widthMhz);
  const served = await readServed(machine, name);
  return {
    interface: name,
    bssid,
    frequency_mhz: frequencyMhz,
    channel,
    width_mhz: widthMhz,
    ...(op_class !== undefined && { op_class }),
    ...(served && { phy_type: phyType(served.modes, frequencyMhz) }),
  };
}

/** Differs when they must be described again. */
export function radiosKey(radios: readonly Radio[]): string {
  return radios.map((one) => [one.interface, one.bssid, one.frequencyMhz, one.widthMhz].join(' ')).join('\n');
}
