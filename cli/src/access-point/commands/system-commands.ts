// Commands for the whole machine, with systemd; offered only if it is available.

import type { Machine } from '../machine/machine.ts';
import type { AllowableCommand } from './allowance.ts';
import type { CommandOffer } from './command-offer.ts';

export async function offerSystemCommands(
  machine: Machine,
  allowed: ReadonlySet<AllowableCommand>,
): Promise<CommandOffer[]> {
  const offers: CommandOffer[] = [];
  if (allowed.has('restart_wifi') && (await can(machine, 'cat', 'hostapd.service'))) {
    offers.push({
      declaration: { name: 'restart_wifi', parameter: 'power_state', params: {} },
      async run() {
        await machine.run('systemctl', ['restart', 'hostapd.service']);
        return undefined;
      },
    });
  }
  if (allowed.has('reboot') && (await can(machine, '--version'))) {
    offers.push({
      declaration: { name: 'reboot', parameter: 'reboot', params: {} },
      async run() {
        // Resolves when systemd has accepted; the agent is stopped later, so there is time for the answer.
        await machine.run('systemctl', ['reboot']);
        return { result: 'the machine restarts' };
      },
    });
  }
  return offers;
}

function can(machine: Machine, ...args: string[]): Promise<boolean> {
  return machine.run('systemctl', args).then(
    () => true,
    () => false,
  );
}
