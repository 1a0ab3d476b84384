// The radios as the agent's configuration tells of them: others steer devices to these.

import type { Machine } from '../machine/machine.ts';
import { operatingClass, phyType } from './operating-class.ts';
import type { Radio } from './radio.ts';
import { readServed } from './served-radio.ts';

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
