// The description of the machine for the agent's configuration: host name, kernel, model, and whether it has WiFi.
import { type Machine, readKernelFile } from '../machine/machine.ts';
import { findRadios } from './radios.ts';

export interface Description {
  hostname?: string;
  kernel?: string;
  model?: string;
  access_point_type?: 'WiFi';
}

export async function describeMachine(machine: Machine): Promise<Description> {
  const [hostname, kernel, board, product, radios] = await Promise.all([
    readKernelFile(machine.proc, 'sys/kernel/hostname'),
    readKernelFile(machine.proc, 'sys/kernel/osrelease'),
    readKernelFile(machine.sys, 'firmware/devicetree/base/model'),
    readKernelFile(machine.sys, 'class/dmi/id/product_name'),
    findRadios(machine).catch(() => []),
  ]);
  const known = { hostname: plain(hostname), kernel: plain(kernel), model: plain(board) ?? plain(product) };
  const found = Object.fromEntries(Object.entries(known).filter(([, text]) => text !== undefined));
  return { ...found, ...(radios.length > 0 && { access_point_type: 'WiFi' as const }) };
}

/** Strings of a device tree end with a zero byte. */
function plain(text: string | undefined): string | undefined {
  const trimmed = text?.replaceAll(/[\0-\x1f\x7f]/g, ' ').trim();
  return trimmed ? trimmed.slice(0, 256) : undefined;
}
