// The agent of an emulated access point against a real server.

import { Semaphore } from '@weft/contract/semaphore';
import { expect, test } from 'vitest';
import { startChannelServer } from '../../../test/channel-server.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { password } from '../../../test/weft.ts';
import { mostHeld } from '../access-points/report-outbox.ts';
import { town } from '../town.ts';
import { createWorld } from '../world/world.ts';
import { AgentLine } from './agent-line.ts';

test('after a long cut all that the access point remembers arrives, with the lists of its devices', async () => {
  const server = await startChannelServer();
  await server.agent('5g-0');
  const cutSeconds = mostHeld + 50;
  const startMs = Date.now() - cutSeconds * 1000;
  const world = createWorld({ ...town({ counts: { '5G': 1 }, devicesEach: 20 }), startMs });
  world.listDevicesEvery(1);
  world.fault('5g-0', { kind: 'backhaul_cut', seconds: cutSeconds });
  const samples = Array.from({ length: cutSeconds }, () => world.step()).flat();
  expect(samples).toHaveLength(mostHeld);
  const tally = { stored: 0, refused: 0, lost: 0, waiting: 0 };
  const troubles: unknown[] = [];
  const line = new AgentLine({
    url: server.url,
    trustedCertificate: undefined,
    ap_id: '5g-0',
    password,
    // As in a large network.
    maxWaitingReports: 30,
    logins: new Semaphore(1),
    tally,
    view: () => world.accessPoint('5g-0'),
    isDeaf: () => false,
    command: () => expect.unreachable(),
    settings: { apply: () => expect.unreachable(), running: () => ({}), storage: { read: () => {}, write: () => {} } },
    onTrouble: (error) => troubles.push(error),
  });
  try {
    // As the run does it: the second's samples, then the agent, then what it sends.
    for (const sample of samples) line.hold(sample);
    line.open();
    line.flush();
    await untilSo(() => expect(tally).toEqual({ stored: mostHeld, refused: 0, lost: 0, waiting: 0 }));
    expect(troubles).toEqual([]);
    const times = (await server.rowsOf('5g-0')).map(({ ts }) => Number(ts));
    expect(times).toEqual(samples.map(({ ts }) => ts));
  } finally {
    await line.end(0);
    await server.stop();
  }
});
