// A roll-out whose process dies at each of its writes, before it is durable or just after: whoever takes over goes on, and no access point
// gets anything twice to be applied.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { createEngine } from '../../../../../test/desired-engine.ts';
import { draw } from '../../../../../test/draw.ts';
import { isLong } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { AgentCaller } from '../../../core/base/caller.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import type { ConfigDelivery } from '../delivery/config-delivery.ts';

type Message = Awaited<ReturnType<ConfigDelivery['due']>>;

class Dead extends Error {}

/** Nothing that is written after the n-th write becomes durable, and of that one only with `isAfter`. */
class Mortal {
  readonly database: SqlDatabase;
  writes = 0;
  isDead = false;

  constructor(inner: SqlDatabase, n: number, isAfter: boolean) {
    const alive = () => {
      if (this.isDead) throw new Dead();
    };
    this.database = {
      ...inner,
      dialect: inner.dialect,
      query: async (...args) => {
        alive();
        return inner.query(...args);
      },
      transaction: async (work) => {
        alive();
        const isLast = ++this.writes === n;
        const result = await inner.transaction(async (tx) => {
          const done = await work(tx);
          if (isLast) this.isDead = true;
          if (isLast && !isAfter) throw new Dead();
          return done;
        });
        alive();
        return result;
      },
    } as SqlDatabase;
  }
}

/** Keeps what it runs and which deliveries it has applied, whatever happens to Weft. */
class Ap {
  readonly caller: AgentCaller;
  running: { hash: string | null; settings: Record<string, unknown> } = { hash: null, settings: {} };
  readonly applied = new Map<string, string>();
  connection: string | undefined;

  constructor(id: string, name: string) {
    this.caller = { kind: 'agent', id, name };
  }

  /** How often it has applied what has this hash. */
  timesOf(hash: string): number {
    return [...this.applied.values()].filter((each) => each === hash).length;
  }

  async turn(delivery: ConfigDelivery): Promise<void> {
    if (this.connection === undefined) await this.say(delivery);
    await this.take(delivery, await delivery.due(this.caller, true));
  }

  async say(delivery: ConfigDelivery): Promise<void> {
    this.connection ??= randomUUID();
    await this.take(
      delivery,
      await delivery.heard(this.caller, { type: 'config_running', ...this.running }, this.connection),
    );
  }

  async take(delivery: ConfigDelivery, message: Message): Promise<void> {
    if (message?.type === 'config_confirm') await this.say(delivery);
    if (message?.type !== 'config') return;
    const { id, hash, settings } = message;
    if (!this.applied.has(id)) {
      this.applied.set(id, hash);
      this.running = { hash, settings };
    }
    const result = { type: 'config_result' as const, id, hash, state: 'applied' as const };
    await delivery.heard(this.caller, result, this.connection ?? '');
    this.connection = undefined;
    await this.say(delivery);
  }
}

const rounds = 40;

eachDatabase((kind) => {
  let weft: TestWeft;
  let token: string;
  let aps: Ap[];

  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(48).toString('base64') };
    weft = await startWeft(kind.dialect === 'postgres' ? shared : {});
    token = await weft.admin();
    // What goes on with roll-outs here is that of the test.
    await weft.parts.desired.drain();
    aps = [];
    for (const name of ['kill-1', 'kill-2', 'kill-3']) {
      await weft.agent(name, { settings: { channel: { type: 'integer' } } });
      aps.push(new Ap((await ask('GET', `/agents/${name}`)).id, name));
    }
    return async () => {
      await weft.stop();
      await namespace.remove();
    };
  });

  async function ask(method: string, path: string, json?: unknown) {
    const { status, body, text } = await weft.request(method, `/api/v1${path}`, { token, ...(json ? { json } : {}) });
    expect(status, text).toBe(200);
    return body;
  }

  /** Works until the roll-out is over, or the process is dead. */
  async function workOn(rollout: string, mortal: Mortal): Promise<void> {
    const failures: unknown[] = [];
    const part = createEngine(weft, { database: mortal.database, onError: (error) => failures.push(error) });
    for (const ap of aps) ap.connection = undefined;
    try {
      for (let round = 0; round < rounds && !mortal.isDead; round++) {
        await part.reconciler.reconcile();
        await part.driver.goOn();
        for (const ap of aps) await ap.turn(part.delivery);
        const { state } = await ask('GET', `/rollouts/${rollout}`);
        if (state !== 'running') break;
      }
    } catch (error) {
      if (!mortal.isDead) throw error;
    }
    if (!mortal.isDead) expect(failures).toEqual([]);
    // What was asked for while it died ends with it.
    await part.driver.stop();
    await part.reconciler.stop();
  }

  test('goes on after a death at each of its writes', async () => {
    let layer: string | undefined;
    let channel = 0;
    const rollOut = async () => {
      const draft = {
        ...(layer && { id: layer }),
        name: 'kill',
        selector: 'name:kill-*',
        weight: 1,
        settings: { channel: ++channel },
      };
      const set = await ask('POST', '/config/change_sets', { title: `kill ${channel}`, layers: [draft] });
      layer = set.layers[0].id;
      const waves = [{ select: 'name:kill-1' }, { percent: 100 }];
      return (await ask('POST', `/config/change_sets/${set.id}/rollout`, { waves })).id as string;
    };
    const whole = new Mortal(weft.platform.database, 0, false);
    await workOn(await rollOut(), whole);
    expect(whole.writes).toBeGreaterThan(15);
    const sides = draw('before or after');
    for (let n = 1; n <= whole.writes; n++) {
      // Both databases are asked by the same code: PostgreSQL, which costs more, at every sixth write.
      if (kind.dialect === 'postgres' && n % 6 !== 0) continue;
      // At each write, unless the run is long, one of both, by the seed.
      for (const isAfter of isLong ? [false, true] : [sides.below(2) === 1]) {
        const rollout = await rollOut();
        const when = `write ${n}, ${isAfter ? 'after' : 'before'} it was durable`;
        await workOn(rollout, new Mortal(weft.platform.database, n, isAfter));
        await workOn(rollout, new Mortal(weft.platform.database, 0, false));
        const end = await ask('GET', `/rollouts/${rollout}`);
        expect(end, when).toMatchObject({ state: 'completed', states: { in_sync: 3 } });
        for (const ap of aps) {
          expect(ap.running.settings, when).toEqual({ channel });
          expect(ap.timesOf(ap.running.hash!), `${ap.caller.name}, ${when}`).toBe(1);
        }
        expect(await ask('GET', `/config/layers/${layer}`), when).toMatchObject({ settings: { channel } });
        const { items } = await ask('GET', '/events?kinds=rollout.completed&limit=2');
        expect([items[0].subject, items[1].subject === rollout], when).toEqual([rollout, false]);
      }
    }
  });
});
