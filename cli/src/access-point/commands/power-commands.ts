// Switches radios off and on: hostapd disables and enables them. Devices on it are told to leave first.
import type { Hostapd } from '../hostapd/hostapd.ts';
import type { HostapdEvent } from '../hostapd/hostapd-event.ts';
import type { AllowableCommand } from './allowance.ts';
import { chosen, whichOf } from './command-arguments.ts';
import type { CommandOffer } from './command-offer.ts';

/** The search for a free channel takes its time. */
const timeoutMs = 15_000;

const steps = {
  sleep: { word: 'disable', event: 'AP-DISABLED', state: 'DISABLED' },
  wake: { word: 'enable', event: 'AP-ENABLED', state: 'ENABLED' },
} as const;

export function offerPower(
  hostapd: Hostapd,
  names: readonly string[],
  allowed: ReadonlySet<AllowableCommand>,
): CommandOffer[] {
  if (names.length === 0) return [];
  const radios = names.map((name) => ({ interface: name }));
  return (['sleep', 'wake'] as const)
    .filter((name) => allowed.has(name))
    .map((name) => ({
      declaration: { name, parameter: 'power_state', params: whichOf(radios) },
      async run(args) {
        await set(hostapd, chosen(radios, args).interface, steps[name]);
        return { result: { power_state: name === 'sleep' ? 'asleep' : 'on' } };
      },
    }));
}

async function set(hostapd: Hostapd, name: string, { word, event, state }: (typeof steps)['sleep' | 'wake']) {
  const isSo = async () => (await hostapd.ask(name, 'status')).includes(`state=${state}\n`);
  // Asked twice it would be refused.
  if (await isSo()) return;
  const isDone = (told: HostapdEvent) => told.interface === name && told.name === event;
  const act = () => hostapd.order(name, `to ${word} the radio`, word);
  await hostapd.during(act, isDone, hostapd.isHeard(name) ? timeoutMs : 0);
  if (!(await isSo())) throw new Error(`the radio is not ${state.toLowerCase()} after ${timeoutMs / 1000} s`);
}
