// Which links carry the traffic of this device. Linux knows links that are used and links that stand by, so only the modes
// that need no more are offered.
import type { AllowableCommand } from '../commands/allowance.ts';
import type { CommandOffer } from '../commands/command-offer.ts';
import type { Machine } from '../machine/machine.ts';
import { findEndpoints, linkName } from './link-reader.ts';
import type { Endpoint } from './mptcp-output.ts';

const modes = ['active_standby', 'load_balancing'] as const;
type Mode = (typeof modes)[number];

export async function offerLinkPolicy(
  machine: Machine,
  allowed: ReadonlySet<AllowableCommand>,
): Promise<CommandOffer[]> {
  if (!allowed.has('set_link_policy')) return [];
  const found = await findEndpoints(machine).catch(() => []);
  if (found.length === 0) return [];
  const names = [...new Set(found.map(linkName))];
  return [
    {
      declaration: {
        name: 'set_link_policy',
        parameter: 'link_policy',
        params: {
          // Weft names the device; there is only this one.
          device: { type: 'string', optional: true },
          mode: { type: 'string', enum: [...modes] },
          primary: { type: 'string', enum: names, optional: true },
        },
      },
      async run(args) {
        const endpoints = await findEndpoints(machine);
        const mode = modes.find((one) => one === args.mode);
        if (!mode) throw new Error(`mode must be ${modes.join(' or ')}`);
        const primary = choosePrimary(endpoints, mode, args.primary);
        await apply(machine, endpoints, primary);
        const wrong = (await findEndpoints(machine)).find((one) => one.isBackup !== mustStandBy(one, primary));
        if (wrong) throw new Error(`${linkName(wrong)} did not change`);
        return { applied: { mode, ...(primary !== undefined && { primary }) } };
      },
    },
  ];
}

/** The link that is used alone; undefined if all are. */
function choosePrimary(endpoints: readonly Endpoint[], mode: Mode, wanted: unknown): string | undefined {
  const names = endpoints.map(linkName);
  if (mode === 'load_balancing') {
    if (wanted !== undefined) throw new Error('load_balancing uses all links alike: it has no primary');
    return undefined;
  }
  const used = endpoints.find(({ isBackup }) => !isBackup) ?? endpoints[0];
  const primary = wanted ?? (used && linkName(used));
  if (!names.some((name) => name === primary)) throw new Error(`primary must be one of ${names.join(', ')}`);
  return primary as string;
}

/** First what is to be used, so that there is always a link in use. */
async function apply(machine: Machine, endpoints: readonly Endpoint[], primary: string | undefined): Promise<void> {
  const changed = endpoints.filter((one) => one.isBackup !== mustStandBy(one, primary));
  for (const one of changed.sort((a, b) => Number(b.isBackup) - Number(a.isBackup))) {
    const flag = mustStandBy(one, primary) ? 'backup' : 'nobackup';
    await machine.run('ip', ['mptcp', 'endpoint', 'change', 'id', String(one.id), flag]);
  }
}

function mustStandBy(endpoint: Endpoint, primary: string | undefined): boolean {
  return primary !== undefined && linkName(endpoint) !== primary;
}
