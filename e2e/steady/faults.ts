// The faults of a cluster: what is done to it, and what must be back by when.
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { canMount } from '../../test/mounts.ts';
import { hasOtherClock, otherClock } from '../other-clock.ts';
import { eventually, temporaryFolder } from '../weft-process.ts';
import type { Fault, Round } from './fault-rounds.ts';

/** How long a fault lasts that nobody ends by itself. */
const lastsMs = 30_000;
const someReports = 3;
/** After a node was frozen or killed. */
const channels = 5;
/** Of commands, without the broker. */
const deliveries = 2;

/** Stops the first node for so long; then it goes on as if nothing had been. */
const freeze = (seconds: number): Fault => ({
  name: `a node frozen for ${seconds} s (SIGSTOP)`,
  run: async ({ cluster }: Round) => {
    const { child } = cluster.controllers[0]!;
    child.kill('SIGSTOP');
    await pause(seconds * 1000);
    child.kill('SIGCONT');
  },
  limits: { channels },
});

/** The clock of the first node jumps, and is set right again. */
const otherTime = (name: string, offset: string): Fault => {
  let file = '';
  return {
    name,
    isPossible: hasOtherClock,
    firstEnv: () => {
      file = join(temporaryFolder(), 'clock');
      writeFileSync(file, '+0');
      return otherClock({ FAKETIME_TIMESTAMP_FILE: file });
    },
    run: async ({ load }) => {
      writeFileSync(file, offset);
      await pause(lastsMs);
      await load.more(someReports);
      writeFileSync(file, '+0');
      await pause(lastsMs / 3);
    },
  };
};

export const faults: Fault[] = [
  {
    name: 'nodes restarted one after the other',
    run: async ({ cluster, restart, load }) => {
      for (const index of cluster.controllers.keys()) {
        await restart(index, 'SIGTERM');
        await load.more(someReports);
      }
    },
  },
  {
    name: 'a node killed (kill -9) and started again',
    run: async ({ restart, load }) => {
      await restart(0, 'SIGKILL');
      await load.more(someReports);
    },
    limits: { channels },
  },
  freeze(30),
  freeze(90),
  {
    name: 'the primary killed with its Patroni',
    run: async ({ cluster: { postgres }, load }) => {
      const lost = await postgres.leader();
      await postgres.kill(lost);
      await postgres.leader();
      await load.more(someReports);
      await postgres.start(lost);
      await postgres.untilSynchronous();
    },
  },
  {
    name: 'a switchover',
    run: async ({ cluster: { postgres }, load }) => {
      await postgres.switchOver();
      await load.more(someReports);
      await postgres.untilSynchronous();
    },
  },
  {
    name: 'the synchronous standby lost',
    run: async ({ cluster: { postgres }, load }) => {
      const lost = await postgres.standby();
      await postgres.kill(lost);
      await load.more(someReports);
      await postgres.start(lost);
      await postgres.untilSynchronous();
    },
  },
  {
    name: 'RabbitMQ restarted',
    run: async ({ cluster: { rabbit }, load }) => {
      await rabbit.pause();
      await rabbit.start();
      await load.more(someReports);
    },
    limits: { deliveries },
  },
  {
    name: 'RabbitMQ killed, away for 30 s',
    run: async ({ cluster: { rabbit } }) => {
      await rabbit.crash();
      await pause(lastsMs);
      await rabbit.start();
    },
    limits: { deliveries },
  },
  {
    name: "PostgreSQL's disk full for 30 s",
    isPossible: canMount,
    run: async ({ disk, load }) => {
      const ballast = join(disk!, 'ballast');
      /** All that is free, and what is set free elsewhere on it while this lasts. */
      const fill = () => {
        const { bavail, bsize } = statfsSync(disk!);
        try {
          writeFileSync(ballast, Buffer.alloc(Math.min(bavail * bsize, 64 * 1024 * 1024)), { flag: 'a' });
        } catch {
          // Others were faster: there is no room left.
        }
        return bavail === 0;
      };
      await eventually(async () => fill(), Boolean);
      const filling = setInterval(fill, 100);
      await eventually(async () => load.posts.refused > 0, Boolean);
      await pause(lastsMs);
      clearInterval(filling);
      rmSync(ballast);
    },
  },
  {
    name: 'the database silent for one node, 30 s',
    isProxied: true,
    run: async ({ toDatabase }) => {
      for (const proxy of toDatabase) {
        proxy.isSilent = true;
        proxy.freeze();
      }
      await pause(lastsMs);
      for (const proxy of toDatabase) {
        proxy.isSilent = false;
        proxy.cutAll();
      }
    },
  },
  {
    name: 'the database cut off from one node, 30 s',
    isProxied: true,
    run: async ({ toDatabase }) => {
      for (const proxy of toDatabase) {
        proxy.onClientBytes = (_bytes, cut) => cut();
        proxy.cutAll();
      }
      await pause(lastsMs);
      for (const proxy of toDatabase) proxy.onClientBytes = undefined;
    },
  },
  {
    name: 'the database away for all, 30 s',
    run: async ({ cluster: { postgres } }) => {
      for (const member of postgres.members) await postgres.kill(member);
      await pause(lastsMs);
      for (const member of postgres.members) postgres.launch(member);
      await postgres.untilSynchronous();
    },
  },
  otherTime('the clock of one node an hour ahead', '+3600s'),
  otherTime('the clock of one node an hour late', '-3600s'),
];
