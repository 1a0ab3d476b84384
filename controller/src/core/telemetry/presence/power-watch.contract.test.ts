// Agents that go to sleep and wake up, as events.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { AuditLog } from '../../accounts/audit/audit-store.ts';
import { EventLog } from '../../accounts/event-log/event-log.ts';
import { AgentStateStore } from './agent-state-store.ts';
import { PowerWatch } from './power-watch.ts';

eachDatabase((kind) => {
  describe('power states', () => {
    let watches: PowerWatch[];
    let log: EventLog;
    let remove: () => Promise<void>;

    beforeEach(async () => {
      const opened = await openTwoNodes(kind);
      remove = opened.remove;
      watches = opened.nodes.map((database) => {
        const eventLog = new EventLog(database, { auditLog: new AuditLog(database) });
        log ??= eventLog;
        return new PowerWatch({
          database,
          store: new AgentStateStore(database),
          eventLog,
          onError: (error) => expect.unreachable(String(error)),
        });
      });
      log = new EventLog(opened.nodes[0], { auditLog: new AuditLog(opened.nodes[0]) });
    });
    afterEach(() => remove());

    const told = async () =>
      (await log.read({ limit: 100 })).events.map(({ kind: each, subject }) => `${each} ${subject}`);

    test('are told once, whatever node hears of them; late samples change nothing', async () => {
      const [one, two] = watches as [PowerWatch, PowerWatch];
      one.recorded('a', [sampleOf(1, { active: 1, other: 0 })]);
      one.recorded('b', [sampleOf(1, { other: 0 })]);
      await one.once();
      expect(await told()).toEqual([]);
      one.recorded('a', [sampleOf(2, { active: 0 })]);
      two.recorded('a', [sampleOf(3, { active: 0 })]);
      await one.once();
      await two.once();
      one.recorded('a', [sampleOf(1, { active: 1 })]);
      await one.once();
      expect(await told()).toEqual(['agent.asleep a']);
      two.recorded('a', [{ ts: 4, names: [], values: [], texts: [['power_state', 'on']] }]);
      await two.once();
      expect(await told()).toEqual(['agent.asleep a', 'agent.awake a']);
    });

    test('of many at once are one event', async () => {
      const [one] = watches as [PowerWatch];
      for (let index = 0; index < 30; index++) one.recorded(`ap-${index}`, [sampleOf(1, { active: 0 })]);
      await one.once();
      expect((await log.read({ limit: 10 })).events).toMatchObject([{ text: '30 access points went to sleep' }]);
    });
  });
});
