// One device that is known under two names becomes one.
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';

/** What is known under `identity` belongs to `device` from now on. */
export function mergeDevices(registry: DeviceRegistry, identity: string, device: string): void {
  const { table } = registry;
  const from = table.find(identity);
  if (from === undefined) return;
  const to = registry.requireDevice(device, table.devices.isRandomised[from] === 1);
  if (to === undefined) return;
  const { lastSeen, looseSince } = table.devices;
  lastSeen[to] = Math.max(lastSeen[to]!, lastSeen[from]!);
  looseSince[to] = Math.max(looseSince[to]!, looseSince[from]!);
  for (const link of table.linksOf(from)) {
    const agent = registry.agentAt(table.links.agent[link]!);
    const known = table.linkBetween(to, agent.slot);
    const its = known === none ? registry.startLink(agent, to) : known;
    if (known === none) table.copyLink(link, its);
    for (const [text, each] of agent.identities) if (each === link) agent.identities.set(text, its);
    registry.endLink(agent, link);
  }
  table.removeDevice(from);
}
