// The faults of a cluster: what is done to it, and what must be back by when.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, Round } from './fault-rounds.ts';

const channelSeconds = 5;

/** Stops the first node for so long; then it goes on as if nothing had been. */
const freeze = (seconds: number): Fault => ({
  name: `a node frozen for ${seconds} s`,
  run: async ({ cluster }: Round) => {
    const { child } = cluster.controllers[0]!;
    child.kill('SIGSTOP');
    await pause(seconds * 1000);
    child.kill('SIGCONT');
  },
  limits: { channels: channelSeconds },
});

export const faults: Fault[] = [
  {
    name: 'nodes restarted one after the other',
    run: async ({ cluster, restart, load }) => {
      for (const index of cluster.controllers.keys()) {
        await restart(index, 'SIGTERM');
        await load.more(3);
      }
    },
  },
  {
    name: 'a node killed',
    run: async ({ restart, load }) => {
      await restart(0, 'SIGKILL');
      await load.more(3);
    },
    limits: { channels: channelSeconds },
  },
  freeze(30),
  freeze(90),
];
