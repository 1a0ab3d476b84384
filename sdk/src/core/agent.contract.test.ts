// The SDK's agent against a real server, over connections that break.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TryLaterError } from '../../../controller/src/core/base/errors.ts';
import { type ChannelServer, type ChannelServerOptions, startChannelServer } from '../../../test/channel-server.ts';
import { draw } from '../../../test/draw.ts';
import { MemoryLedger } from '../../../test/memory-ledger.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { rounds } from '../../../test/rounds.ts';
import { bearer, connect } from '../../../test/socket-client.ts';
import { startTcpProxy } from '../../../test/tcp-proxy.ts';
import { password, startWeft } from '../../../test/weft.ts';
import { Agent, type AgentOptions, WeftRefusal } from '../index.ts';

/** Most tests are content with it, each with an agent of its own. */
let shared: ChannelServer;
let ap: string;
let tests = 0;
const cleanUp: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  shared = await startChannelServer({ times: { sweepMs: 50 } });
});
beforeEach(() => {
  ap = `ap-${++tests}`;
});
afterAll(() => shared.stop());
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const quick = { firstMs: 10, longestMs: 50 };

async function start(options?: ChannelServerOptions): Promise<ChannelServer> {
  if (!options) return shared;
  const server = await startChannelServer({ times: { sweepMs: 50 }, ...options });
  cleanUp.push(() => server.stop());
  return server;
}

function createAgent(url: string, options: Partial<AgentOptions> = {}): Agent {
  const agent = new Agent({ url, ap_id: ap, password, backOff: quick, ...options });
  cleanUp.push(() => agent.stop({ graceMs: 0 }));
  return agent;
}

describe('an agent whose password somebody chose', () => {
  const chosen = 'a password that somebody chose';

  test('is offered a secret, keeps it before Weft is told, and goes on with it', async () => {
    const server = await start();
    await server.agents.create({ ap_id: ap, password: chosen, configuration: {} }, server.admin);
    const kept: [string, string][] = [];
    let connects = 0;
    const agent = createAgent(server.url, {
      password: chosen,
      keepSecret: (secret, before) => void kept.push([secret, before]),
      onConnected: () => connects++,
    });
    await agent.start();
    await untilSo(() => expect(connects).toBeGreaterThan(1));
    expect(kept).toEqual([[expect.stringMatching(/^wfs_[0-9a-f]{72}$/), chosen]]);
    const [secret] = kept[0]!;
    expect(await agent.post({ load: 1 })).toBe(1);
    expect(await server.agents.authenticate(ap, secret)).toBeDefined();
    expect(await server.agents.authenticate(ap, chosen)).toBeUndefined();
  });

  test('is not changed where nobody keeps secrets, or where one cannot be kept', async () => {
    const server = await start();
    await server.agents.create({ ap_id: ap, password: chosen, configuration: {} }, server.admin);
    const errors: string[] = [];
    const agent = createAgent(server.url, {
      password: chosen,
      keepSecret: () => {
        throw new Error('disk full');
      },
      onError: ({ message }) => errors.push(message),
    });
    await agent.start();
    await untilSo(() => expect(errors).toEqual(['disk full']));
    expect(await server.agents.authenticate(ap, chosen)).toBeDefined();
    await agent.stop();
    const plain = createAgent(server.url, { password: chosen });
    await plain.start();
    expect(await plain.post({ load: 1 })).toBe(1);
    expect(await server.agents.authenticate(ap, chosen)).toBeDefined();
  });

  test('logs in with the one before if Weft never heard of the new one', async () => {
    const server = await start();
    await server.agents.create({ ap_id: ap, password: chosen, configuration: {} }, server.admin);
    const agent = createAgent(server.url, { formerPassword: chosen });
    await agent.start();
    expect(await agent.post({ load: 1 })).toBe(1);
  });

  test('logs in with it also where others have guessed too often, and the new one is not told wrong', async () => {
    const weft = await startWeft({ WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '1' });
    cleanUp.push(() => weft.stop());
    const json = { ap_id: ap, password: chosen, configuration: {} };
    await weft.request('POST', '/api/v1/agents/', { token: await weft.admin(), json });
    await weft.login('agent', ap, chosen);
    await expect(weft.login('agent', ap, 'a guess that is wrong')).rejects.toThrow();
    const agent = createAgent(weft.url, { formerPassword: chosen });
    await agent.start();
    expect(agent.isConnected).toBe(true);
  });
});

describe('an agent', () => {
  test('says what it can do, reports, and does what it is told', async () => {
    const server = await start();
    const record = await server.agent(ap, { site: 'roof' });
    const given: unknown[] = [];
    const agent = createAgent(`${server.url}/`, { configuration: { vendor: 'acme' } })
      .command({ name: 'set_tx_power', params: { dbm: { type: 'number', maximum: 20 } } }, (args, command) => {
        given.push([args, command.name]);
        return { result: { was: 20 }, applied: { dbm: 17 } };
      })
      .command('explode', () => {
        throw new Error('not today');
      });
    await agent.start();
    expect(await server.configurationOf(ap)).toEqual({
      site: 'roof',
      vendor: 'acme',
      commands: [{ name: 'set_tx_power', params: { dbm: { type: 'number', maximum: 20 } } }, 'explode'],
    });
    expect(await agent.post({ load: 0.5 })).toBe(1);
    expect(await agent.post([{ ts: Date.now() - 5000, load: 1 }, { load: 2 }])).toBe(2);
    expect((await server.rowsOf(ap)).map(({ load }) => load)).toEqual([1, 0.5, 2]);

    const ids = ['set_tx_power', 'explode', 'dance'].map((name) => server.ledger.send(record, name, { dbm: 18 }));
    const states = () => ids.map((id) => server.ledger.commands.get(id)!.state);
    await untilSo(() => expect(states()).toEqual(['succeeded', 'failed', 'failed']));
    expect(given).toEqual([[{ dbm: 18 }, 'set_tx_power']]);
    expect(ids.map((id) => server.ledger.commands.get(id)!.answers)).toEqual([
      [{ state: 'received' }, { state: 'succeeded', result: { was: 20 }, applied: { dbm: 17 } }],
      [{ state: 'received' }, { state: 'failed', result: { error: 'not today' } }],
      [{ state: 'received' }, { state: 'failed', result: { error: 'there is no command dance' } }],
    ]);
  });

  test('tells once which of its fields are not stored, and gives no time to a sample that has one', async () => {
    const server = await start();
    await server.agent(ap);
    const told: string[] = [];
    const agent = createAgent(server.url, { onIgnored: ({ field, reason }) => told.push(`${field} ${reason}`) });
    await agent.start();
    const time = Date.now() - 5000;
    expect(await agent.post({ time, load: 1, neighbours: ['a'] })).toBe(1);
    expect(
      await agent.post([
        { load: 'high', neighbours: [] },
        { load: 2, neighbours: [] },
      ]),
    ).toBe(2);
    expect(told).toEqual(['neighbours array']);
    expect((await server.rowsOf(ap)).map(({ load }) => load)).toEqual([1, 'high', 2]);
  });

  test('does not hear commands while it is deaf, not even enough to say so', async () => {
    const server = await start();
    const record = await server.agent(ap);
    let isDeaf = true;
    const done: string[] = [];
    const agent = createAgent(server.url, { isDeaf: () => isDeaf }).command('sleep', (_, { command_id }) => {
      done.push(command_id);
      return undefined;
    });
    await agent.start();
    const id = server.ledger.send(record, 'sleep');
    await untilSo(() => expect(server.ledger.commands.get(id)!.state).toBe('sent'));
    // Over the same channel, so the command has been there before.
    await agent.post({ load: 1 });
    expect([done, server.ledger.commands.get(id)!.answers]).toEqual([[], []]);
    isDeaf = false;
    const next = server.ledger.send(record, 'sleep');
    await untilSo(() => expect(server.ledger.commands.get(next)!.state).toBe('succeeded'));
    expect([done, server.ledger.commands.get(id)!.answers]).toEqual([[next], []]);
  });

  test('is told when its password is wrong, or a report is refused', async () => {
    const server = await start();
    await server.agent(ap);
    await expect(createAgent(server.url, { password: 'something else' }).start()).rejects.toMatchObject({
      name: 'WeftRefusal',
      status: 401,
      code: 'invalid_credentials',
    });
    const told: string[] = [];
    const agent = createAgent(server.url, { onIgnored: ({ field }) => told.push(field) });
    await agent.start();
    await agent.post({ load: 1 });
    expect([await agent.post({ ts: 'yesterday', load: 1 }), told]).toEqual([0, ['payload.ts']]);
    const refused = agent.post({ ts: '2999-01-01T00:00:00Z', load: 1 });
    await expect(refused).rejects.toBeInstanceOf(WeftRefusal);
    await expect(refused).rejects.toMatchObject({ status: 422, code: 'validation_error' });
    expect(await agent.post({ load: 2 })).toBe(1);
  });

  test('a report that is too large for one message goes in several, and a sample that is too large is refused', async () => {
    const server = await start();
    await server.agent(ap);
    let connections = 0;
    const agent = createAgent(server.url, { maxWaitingReports: 2, onConnected: () => connections++ });
    await agent.start();
    // As many as waited in a long absence, some without a time.
    const name = '€'.repeat(300);
    const longAgo = Date.now() - 600_000;
    const samples = Array.from({ length: 1_500 }, (_, n) => ({ ...(n % 2 === 0 && { ts: longAgo + n }), n, name }));
    expect(await agent.post(samples)).toBe(1_500);
    const tooLarge = agent.post([{ n: 1_500 }, { n: -1, name: 'x'.repeat(1024 * 1024) }, { n: 1_501 }]);
    await expect(tooLarge).rejects.toMatchObject({ status: 413, code: 'body_too_large' });
    expect(await agent.post({ n: 1_502 })).toBe(1);
    const stored = (await server.rowsOf(ap)).map(({ n }) => Number(n)).sort((a, b) => a - b);
    expect(stored).toEqual(Array.from({ length: 1_503 }, (_, n) => n));
    expect(connections).toBe(1);
  });

  test('waits for a Weft that is away, until it is stopped', async () => {
    const server = await start();
    await server.agent(ap);
    const proxy = await startTcpProxy(server.port);
    cleanUp.push(() => proxy.close());
    proxy.onClientBytes = (_bytes, cut) => cut();
    const errors: Error[] = [];
    const url = `http://127.0.0.1:${proxy.port}`;
    const agent = createAgent(url, { onError: (error) => errors.push(error) });
    const started = agent.start();
    const given = createAgent(url);
    const givenUp = given.start();
    await untilSo(() => expect(errors.length).toBeGreaterThan(2));
    await given.stop();
    await expect(givenUp).rejects.toMatchObject({ code: 'stopped' });
    proxy.onClientBytes = undefined;
    await started;
    expect(agent.isConnected).toBe(true);
  });

  test('keeps a bounded number of reports, and refuses the rest', async () => {
    const server = await start();
    await server.agent(ap);
    const agent = createAgent(server.url, { maxWaitingReports: 5 });
    const posts = Array.from({ length: 7 }, (_, load) => agent.post({ load }));
    await expect(posts[5]).rejects.toMatchObject({ code: 'too_many_reports' });
    await expect(posts[6]).rejects.toMatchObject({ code: 'too_many_reports' });
    await agent.start();
    expect(await Promise.all(posts.slice(0, 5))).toEqual([1, 1, 1, 1, 1]);
  });

  test('enrols itself, and once only', async () => {
    const weft = await startWeft();
    cleanUp.push(() => weft.stop());
    const minted = await weft.request('POST', '/api/v1/enrolment_tokens', {
      token: await weft.admin(),
      json: { ap_id_pattern: 'ap-*', expires_in: 3600, max_uses: 1 },
    });
    const enrolmentToken = minted.body.token;
    const agent = createAgent(weft.url, { enrolmentToken, configuration: { site: 'roof' } });
    await agent.start();
    expect(await agent.post({ load: 1 })).toBe(1);
    await agent.stop();
    const again = createAgent(weft.url, { enrolmentToken });
    await again.start();
    const other = createAgent(weft.url, { ap_id: 'ap-other', enrolmentToken });
    await expect(other.start()).rejects.toMatchObject({ status: 401, code: 'invalid_enrolment_token' });
    const record = await weft.request('GET', `/api/v1/agents/${ap}`, { token: await weft.admin() });
    expect(record.body.configuration).toMatchObject({ site: 'roof' });
  });

  test('many behind one address enrol without being taken for somebody who guesses passwords', async () => {
    const weft = await startWeft({ WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '2' });
    cleanUp.push(() => weft.stop());
    const minted = await weft.request('POST', '/api/v1/enrolment_tokens', {
      token: await weft.admin(),
      json: { ap_id_pattern: 'ap-*', expires_in: 3600, max_uses: 6 },
    });
    for (let n = 1; n <= 6; n++) {
      const agent = createAgent(weft.url, { ap_id: `ap-${n}`, enrolmentToken: minted.body.token });
      await agent.start();
      expect(agent.isConnected).toBe(true);
    }
  });
});

describe('when the connection breaks', () => {
  test('nothing is lost and nothing doubled: neither reports nor commands', async () => {
    const server = await start();
    const record = await server.agent(ap);
    const proxy = await startTcpProxy(server.port);
    cleanUp.push(() => proxy.close());
    const done = new Map<string, number>();
    let connections = 0;
    const agent = createAgent(`http://127.0.0.1:${proxy.port}`, { onConnected: () => connections++ }).command(
      'step',
      async (_args, { command_id }) => {
        done.set(command_id, (done.get(command_id) ?? 0) + 1);
        await new Promise(setImmediate);
        return { result: command_id };
      },
    );
    await agent.start();
    const cuts = rounds(15, 8);
    const perCut = 200;
    const random = draw('moments of cuts');
    const posts: Promise<number>[] = [];
    const ids: string[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      for (let n = 0; n < perCut; n++) {
        posts.push(agent.post({ n: cut * perCut + n }));
        if (n % 20 === 0) ids.push(server.ledger.send(record, 'step', { n: ids.length }));
      }
      // At a moment of its own: after some of the answers, and some of the commands, but not all.
      const answered = random.below(perCut);
      await posts[cut * perCut + answered];
      if (cut % 2 === 0) proxy.cutAll();
      else {
        let left = 1 + random.below(3);
        proxy.onClientBytes = (_bytes, cutThis) => {
          if (--left === 0) cutThis();
        };
      }
      const isBack = () => {
        posts.push(agent.post({ extra: cut }));
        expect(connections).toBeGreaterThan(cut + 1);
      };
      await untilSo(isBack);
      proxy.onClientBytes = undefined;
    }
    expect(new Set(await Promise.all(posts))).toEqual(new Set([1]));
    const rows = (await server.rowsOf(ap)).filter(({ n }) => n !== undefined);
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: cuts * perCut }, (_, n) => n));
    const isDone = () =>
      expect(ids.map((id) => server.ledger.commands.get(id)!.state)).toEqual(ids.map(() => 'succeeded'));
    await untilSo(isDone);
    expect(ids.map((id) => done.get(id))).toEqual(ids.map(() => 1));
  });

  test('what became of a command is said until it is heard', async () => {
    const server = await start();
    const record = await server.agent(ap);
    const proxy = await startTcpProxy(server.port);
    cleanUp.push(() => proxy.close());
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const agent = createAgent(`http://127.0.0.1:${proxy.port}`).command('sleep', async () => {
      runs++;
      await gate.promise;
      return undefined;
    });
    await agent.start();
    const command_id = server.ledger.send(record, 'sleep');
    const stateOf = () => server.ledger.commands.get(command_id)!.state;
    await untilSo(() => expect(stateOf()).toBe('received'));
    proxy.isSilent = true;
    proxy.cutAll();
    await untilSo(() => expect(agent.isConnected).toBe(false));
    gate.resolve();
    await gate.promise;
    expect(stateOf()).toBe('received');
    proxy.isSilent = false;
    proxy.cutAll();
    await untilSo(() => expect(stateOf()).toBe('succeeded'));
    expect(runs).toBe(1);
  });

  test('a channel taken over by another of the same name is not fought for', async () => {
    const server = await start();
    const { token } = await server.agent(ap);
    const ends: number[] = [];
    const agent = createAgent(server.url, {
      backOff: { longestMs: 60_000 },
      onDisconnected: (code) => ends.push(code),
    });
    await agent.start();
    const other = await connect(server.url, `/api/v1/agents/${ap}/channel`, bearer(token));
    await untilSo(() => expect(ends).toEqual([4409]));
    other.socket.send('{"type":"telemetry","id":1,"load":1}');
    await untilSo(() => expect(other.messages.length).toBe(1));
    expect(agent.isConnected).toBe(false);
  });
});

describe('when Weft does not answer', () => {
  test('a report is sent again on a new channel', async () => {
    let appends = 0;
    const server = await start({ onAppend: () => (++appends === 1 ? new Promise(() => {}) : undefined) });
    await server.agent(ap);
    let connections = 0;
    const agent = createAgent(server.url, { answerTimeoutMs: 200, onConnected: () => connections++ });
    await agent.start();
    expect(await Promise.all([agent.post({ load: 1 }), agent.post({ load: 2 })])).toEqual([1, 1]);
    expect(connections).toBeGreaterThanOrEqual(2);
    expect((await server.rowsOf(ap)).map(({ load }) => load)).toEqual([1, 2]);
  });

  test('the word about a command is said again on a new channel', async () => {
    const ledger = new (class extends MemoryLedger {
      words = 0;
      override async answer(...word: Parameters<MemoryLedger['answer']>) {
        if (++this.words === 2) await new Promise(() => {});
        return super.answer(...word);
      }
    })();
    const server = await start({ ledger });
    const record = await server.agent(ap);
    let runs = 0;
    const agent = createAgent(server.url, { answerTimeoutMs: 200 }).command('sleep', () => {
      runs++;
      return undefined;
    });
    await agent.start();
    const command_id = ledger.send(record, 'sleep');
    await untilSo(() => expect(ledger.commands.get(command_id)!.state).toBe('succeeded'));
    expect(runs).toBe(1);
  });
});

test('the word about a command that Weft cannot take now is said again', async () => {
  const ledger = new (class extends MemoryLedger {
    refusals = 2;
    override async answer(...word: Parameters<MemoryLedger['answer']>) {
      if (word[2].state === 'succeeded' && this.refusals-- > 0) {
        throw new TryLaterError(503, 'database_unavailable', 'away', 0.01);
      }
      return super.answer(...word);
    }
  })();
  const server = await start({ ledger });
  const record = await server.agent(ap);
  const errors: Error[] = [];
  let connections = 0;
  const agent = createAgent(server.url, { onConnected: () => connections++, onError: (error) => errors.push(error) });
  agent.command('sleep', () => undefined);
  await agent.start();
  const command_id = ledger.send(record, 'sleep');
  await untilSo(() => expect(ledger.commands.get(command_id)!.state).toBe('succeeded'));
  expect(errors.map((error) => (error as WeftRefusal).status)).toEqual([503, 503]);
  expect(connections).toBe(1);
});

test('a token is renewed before it ends, without a gap', async () => {
  const server = await start({ tokenTtlSeconds: 4 });
  await server.agent(ap);
  const ends: number[] = [];
  let connections = 0;
  const agent = createAgent(server.url, {
    onConnected: () => connections++,
    onDisconnected: (code) => ends.push(code),
  });
  await agent.start();
  const posts: Promise<number>[] = [];
  const reporting = setInterval(() => posts.push(agent.post({ n: posts.length })), 20);
  await untilSo(() => expect(connections).toBeGreaterThanOrEqual(3));
  clearInterval(reporting);
  expect(new Set(await Promise.all(posts))).toEqual(new Set([1]));
  expect(ends).toEqual([]);
  expect((await server.rowsOf(ap)).map(({ n }) => n)).toEqual(posts.map((_, n) => n));
});
