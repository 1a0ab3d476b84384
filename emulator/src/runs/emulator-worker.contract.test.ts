// Emulated networks on a real server, as callers see them.
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest';
import { EmulatorRunStore } from '../../../controller/src/core/networks/emulator-run-store.ts';
import { startTcpProxy } from '../../../test/tcp-proxy.ts';
import { startWeft, type TestWeft } from '../../../test/weft.ts';

/** A limit for a machine with much else to do; nothing here measures speed. */
const patience = { timeout: 300_000, interval: 300 };

class Network {
  readonly weft: TestWeft;
  readonly token: string;
  readonly job_number: string;
  readonly agents: string[];

  constructor(weft: TestWeft, token: string, job_number: string, agents: string[]) {
    this.weft = weft;
    this.token = token;
    this.job_number = job_number;
    this.agents = agents;
  }

  static async spinUp(weft: TestWeft, wish: Record<string, unknown>, count = 2): Promise<Network> {
    const token = await weft.admin();
    const { duration = 600, ...rest } = wish;
    const spec = { access_point_type: 'WiFi', num_access_points: count, locations: ['51.4545,-2.5879'] };
    const json = { seed: 7, ...rest, emulators: [{ ...spec, num_devices: 5, duration }] };
    const { status, body } = await weft.request('POST', '/api/v1/emulator/spinup', { token, json });
    expect([status, body.status]).toEqual([200, 'queued']);
    const names = body.agents.map(({ ap_id }: { ap_id: string }) => ap_id);
    return new Network(weft, token, body.job_number, names);
  }

  /** The same network on another server. */
  on(weft: TestWeft, token: string): Network {
    return new Network(weft, token, this.job_number, this.agents);
  }

  async get(path: string) {
    return (await this.weft.request('GET', path, { token: this.token })).body;
  }

  async post(path: string, json?: unknown) {
    return this.weft.request('POST', path, { token: this.token, ...(json !== undefined && { json }) });
  }

  run() {
    return this.get(`/api/v1/emulator/${this.job_number}`);
  }

  /** Stored samples of an access point, oldest first. */
  async points(ap_id = this.agents[0]!): Promise<Record<string, number>[]> {
    return (await this.get(`/api/v1/metrics/agent_data?agent=${ap_id}&window=2h&max_points=10000`)).points;
  }

  /** Waits until every second from the first to this time is stored, each once. */
  async unbroken(untilMs: number, ap_id = this.agents[0]!): Promise<void> {
    const { model_start } = await this.run();
    const first = Date.parse(model_start) + 1000;
    await vi.waitFor(async () => {
      const times = (await this.points(ap_id)).map(({ ts }) => Date.parse(String(ts)));
      expect(times.at(-1)).toBeGreaterThanOrEqual(untilMs);
      expect(times).toEqual(times.map((_, n) => first + n * 1000));
    }, patience);
  }

  async metric(name: string): Promise<number> {
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await this.get('/metrics'))?.[1]);
  }

  async online(count: number): Promise<void> {
    await vi.waitFor(async () => expect(await this.metric('weft_agent_channels')).toBe(count), patience);
  }

  async over(): Promise<void> {
    await vi.waitFor(async () => expect((await this.run()).is_over).toBe(true), patience);
  }

  async command(ap_id: string, command: unknown): Promise<string> {
    const text = encodeURIComponent(typeof command === 'string' ? command : JSON.stringify(command));
    const answer = await this.post(`/api/v1/send_command?agent_id=${ap_id}&command=${text}`);
    expect(answer.status).toBe(200);
    return answer.body.command_id;
  }

  async done(command_id: string) {
    return vi.waitFor(async () => {
      const command = await this.get(`/api/v1/commands/${command_id}`);
      expect(['succeeded', 'failed']).toContain(command.state);
      return command;
    }, patience);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Counts the channels that each agent opens: a break that lasts a moment leaves a trace, however seldom somebody looks. */
function countChannels(weft: TestWeft): (ap_id: string) => number {
  const { hub } = weft.parts.transports;
  const opened: string[] = [];
  const open = hub.open.bind(hub);
  hub.open = (upgraded, client) => {
    opened.push(client.agent.name);
    open(upgraded, client);
  };
  return (ap_id) => opened.filter((each) => each === ap_id).length;
}

async function start({ onTestFinished }: TestContext, settings: Record<string, string> = {}): Promise<TestWeft> {
  const weft = await startWeft(settings);
  onTestFinished(() => weft.stop());
  return weft;
}

// A network whose time is over is ended soon, and a busy machine may take longer to start one that lasts seconds.
const { listOpen } = EmulatorRunStore.prototype;
beforeAll(() => {
  EmulatorRunStore.prototype.listOpen = async function (limit) {
    return (await listOpen.call(this, limit)).map((run) => ({ ...run, ends_at: run.ends_at + 3_600_000 }));
  };
});
afterAll(() => {
  EmulatorRunStore.prototype.listOpen = listOpen;
});

// Most of what a network takes is waiting.
describe.concurrent('an emulated network', () => {
  test('a network lives: its agents report every second of it, its socket is told, and at its end nothing is left', async (context) => {
    const weft = await start(context);
    const network = await Network.spinUp(weft, { duration: 30, speed: 10 });
    await network.over();
    const run = await network.run();
    expect(run).toMatchObject({ state: 'succeeded', progress: 1 });
    for (const ap_id of network.agents) {
      const times = (await network.points(ap_id)).map(({ ts }) => Date.parse(String(ts)));
      const first = Date.parse(run.model_start) + 1000;
      expect(times).toEqual(Array.from({ length: 30 }, (_, n) => first + n * 1000));
    }
    const [point] = await network.points();
    expect(point).toMatchObject({ active: 1, tx_power_dbm: 20 });
    const { messages } = await network.get(`/api/v1/jobs/${network.job_number}`);
    const events = messages.map(({ data }: { data: { event: string }[] }) => data[0]!.event);
    expect([events[0], events.at(-1)]).toEqual(['started', 'ended']);
    expect(messages.at(-1)).toMatchObject({ final: true, data: [{ samples: 60, devices: 10, access_points: 2 }] });
    await network.online(0);
    await vi.waitFor(async () => expect(await network.metric('weft_emulator_runs')).toBe(0), patience);
    await vi.waitFor(async () => expect(await readdir(join(weft.config.dataDir, 'emulator'))).toEqual([]), patience);
    const agent = (await network.get(`/api/v1/agents/${network.agents[0]}`)).configuration;
    expect(agent).toMatchObject({ access_point_type: 'WiFi', report_interval_seconds: 1, model: 3 });
    expect(agent.metrics.power_w).toMatchObject({ unit: 'W' });
    expect(agent.geolocation.latitude).toBeCloseTo(51.4545, 1);
  });

  test('a command changes what is measured, and the agent says what it made of it', async (context) => {
    const network = await Network.spinUp(await start(context), {});
    await network.online(2);
    const [ap_id] = network.agents;
    const set = await network.done(await network.command(ap_id!, { name: 'set_tx_power', dbm: 5.4 }));
    expect(set).toMatchObject({ state: 'succeeded', applied: { dbm: 5 } });
    await vi.waitFor(async () => expect((await network.points()).at(-1)).toMatchObject({ tx_power_dbm: 5 }), patience);
    const impossible = await network.command(ap_id!, { name: 'steer_device', target: ap_id });
    expect(await network.done(impossible)).toMatchObject({ state: 'failed', result: { error: expect.any(String) } });
    const slower = await network.done(await network.command(ap_id!, { name: 'set_report_interval', seconds: 2 }));
    expect(slower.state).toBe('succeeded');
    await vi.waitFor(async () => {
      const { configuration } = await network.get(`/api/v1/agents/${ap_id}`);
      expect(configuration.report_interval_seconds).toBe(2);
    }, patience);

    const stopped = await network.post(`/api/v1/emulator/${network.job_number}/stop`);
    expect(stopped.body.state).toBe('cancelled');
    await network.online(0);
    await vi.waitFor(async () => expect(await network.metric('weft_emulator_runs')).toBe(0), patience);
  });

  describe('what goes wrong', () => {
    test('a crash closes the channel, and the agent comes back when the access point does', async (context) => {
      const weft = await start(context);
      const channelsOf = countChannels(weft);
      const network = await Network.spinUp(weft, { speed: 10, duration: 3600 });
      await network.online(2);
      const [ap_id] = network.agents;
      const path = `/api/v1/emulator/${network.job_number}/faults`;
      expect((await network.post(path, { agent_id: ap_id, kind: 'crash', seconds: 20 })).status).toBe(200);
      await vi.waitFor(() => expect(channelsOf(ap_id!)).toBe(2), patience);
      await network.online(2);
      await vi.waitFor(async () => {
        const times = (await network.points()).map(({ ts }) => Date.parse(String(ts)) / 1000);
        const gaps = times.slice(1).map((time, n) => time - times[n]!);
        // While it was down, and as long as it takes to start.
        expect(Math.max(...gaps)).toBeGreaterThanOrEqual(20 + 8);
      }, patience);
      const tooMuch = { agent_id: ap_id, kind: 'jammed_channel', seconds: 5, amount: 1000 };
      expect((await network.post(path, tooMuch)).status).toBe(422);
    });

    test('behind a line that is cut samples wait, and arrive after it', async (context) => {
      const weft = await start(context);
      const channelsOf = countChannels(weft);
      // It does not end before it is looked at, however busy the machine.
      const network = await Network.spinUp(weft, { speed: 4, duration: 3600 });
      await network.online(2);
      const [ap_id, other] = network.agents;
      const fault = { agent_id: ap_id, kind: 'backhaul_cut', seconds: 10 };
      expect((await network.post(`/api/v1/emulator/${network.job_number}/faults`, fault)).status).toBe(200);
      await vi.waitFor(() => expect(channelsOf(ap_id!)).toBe(2), patience);
      const latest = (await network.points(other)).at(-1)!;
      await network.unbroken(Date.parse(String(latest.ts)));
      expect((await network.run()).latest.samples_lost).toBe(0);
    });

    test('a line that is cut before its agent has logged in costs nothing', async (context) => {
      const faults = [{ access_point: 1, after_seconds: 3, kind: 'backhaul_cut', seconds: 100 }];
      const network = await Network.spinUp(await start(context), { speed: 60, duration: 180, faults });
      await network.over();
      expect(await network.points()).toHaveLength(180);
      expect((await network.run()).latest).toMatchObject({ samples: 360, samples_lost: 0 });
    });

    test('an access point that ignores commands does not even say that it has one', async (context) => {
      const faults = [{ access_point: 1, kind: 'command_ignored', seconds: 600 }];
      const network = await Network.spinUp(await start(context), { faults });
      await network.online(2);
      // The first second has passed, and with it the fault has begun.
      await vi.waitFor(async () => expect((await network.points()).length).toBeGreaterThan(0), patience);
      const [deaf, other] = network.agents;
      const ignored = await network.command(deaf!, { name: 'set_tx_power', dbm: 5 });
      await network.done(await network.command(other!, { name: 'set_tx_power', dbm: 5 }));
      await vi.waitFor(
        async () => expect((await network.points(other)).at(-1)).toMatchObject({ tx_power_dbm: 5 }),
        patience,
      );
      expect((await network.get(`/api/v1/commands/${ignored}`)).state).toBe('sent');
      expect((await network.points(deaf)).at(-1)).toMatchObject({ tx_power_dbm: 20 });
    });
  });

  describe('what would happen if', () => {
    test('is answered while the network runs on', async (context) => {
      const network = await Network.spinUp(await start(context), {});
      await network.online(2);
      const [ap_id, other] = network.agents;
      const ask = (json: Record<string, unknown>) =>
        network.post('/api/v1/emulator/what_if', { job_number: network.job_number, ...json });
      const commands = [
        { agent_id: ap_id, command: 'sleep' },
        { agent_id: other, command: '{"name":"set_tx_power","dbm":9}' },
      ];
      const { status, body } = await ask({ commands, minutes: 2, futures: 3 });
      expect([status, body.job_number, body.minutes]).toEqual([200, network.job_number, 2]);
      expect(body).toMatchObject({
        model: 3,
        exact: false,
        ran: { minutes: 2, futures: 3, agents: 2 },
        limited_by: [],
      });
      expect(body.results).toMatchObject([
        { agent_id: ap_id, state: 'succeeded' },
        { agent_id: other, applied: { dbm: 9 } },
      ]);
      expect(body.totals.devices).toBe(10);
      expect(body.totals.power_w.with).toBeLessThan(body.totals.power_w.without);
      expect(body.totals.power_w.change).toBeLessThan(-body.totals.power_w.plus_minus.change);
      expect(body.took_over.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([ap_id, other]);
      expect(body.timeline.map(({ minute }: { minute: number }) => minute)).toEqual([1, 2]);
      const asleep = body.agents.find(({ agent_id }: { agent_id: string }) => agent_id === ap_id).metrics;
      expect(asleep.active.with).toBeLessThan(asleep.active.without);
      await vi.waitFor(async () => expect((await network.points()).at(-1)).toMatchObject({ active: 1 }), patience);
      // A device is called as everywhere outside of its network. It may have gone elsewhere meanwhile.
      await vi.waitFor(async () => {
        const { items } = await network.get('/api/v1/devices?limit=100');
        const { device, links } = items.find((each: { links: unknown[] }) => each.links.length === 1);
        const at = links[0].ap_id as string;
        const steer = JSON.stringify({ name: 'steer_device', device, target: at === ap_id ? other : ap_id });
        const steered = await ask({ commands: [{ agent_id: at, command: steer }], minutes: 1, futures: 1 });
        expect(steered.body.results).toMatchObject([{ agent_id: at, name: 'steer_device' }]);
        expect(steered.body.results[0].answer).not.toBe('not_here');
      }, patience);
      expect((await ask({ commands: [{ agent_id: ap_id, command: '{"name":7}' }] })).status).toBe(422);
      expect((await ask({ commands: [{ agent_id: 'nobody', command: 'sleep' }] })).status).toBe(404);
    });
  });

  test('while Weft cannot be reached a network runs on, and nothing of it is lost', async (context) => {
    const port = await freePort();
    const proxy = await startTcpProxy(port);
    context.onTestFinished(() => proxy.close());
    const weft = await start(context, { WEFT_PORT: String(port), WEFT_CALLBACK_URL: `http://127.0.0.1:${proxy.port}` });
    const network = await Network.spinUp(weft, { duration: 3600, speed: 4 });
    await network.online(2);
    proxy.onClientBytes = (_bytes, cut) => cut();
    await network.online(0);
    const { length } = await network.points();
    const run = await network.run();
    // The model goes on meanwhile; what it measures waits.
    const due = () => (Date.now() - Date.parse(run.created_at)) / 250;
    await vi.waitFor(() => expect(due()).toBeGreaterThan(length + 20), patience);
    expect((await network.points()).length).toBeLessThan(length + 20);
    proxy.onClientBytes = undefined;
    await network.online(2);
    const untilMs = Date.parse(run.model_start) + Math.floor(due()) * 1000;
    for (const ap_id of network.agents) await network.unbroken(untilMs, ap_id);
    expect((await network.run()).latest.samples_lost).toBe(0);
  });

  test('after a restart a network goes on as if nothing had happened', async (context) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'weft-emulator-'));
    context.onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const before = await start(context, { WEFT_DATA_DIR: dataDir });
    const network = await Network.spinUp(before, { duration: 3600, speed: 10 });
    await network.online(2);
    await network.done(await network.command(network.agents[0]!, { name: 'set_tx_power', dbm: 5 }));
    const stoppedAt = (await network.points()).at(-1)!;
    await before.stop();

    const weft = await start(context, { WEFT_DATA_DIR: dataDir });
    const again = network.on(weft, await weft.login('user', 'admin@weft.test'));
    const untilMs = Date.parse(String(stoppedAt.ts)) + 60_000;
    for (const ap_id of network.agents) await again.unbroken(untilMs, ap_id);
    const powers = (await again.points())
      .filter(({ ts }) => Date.parse(String(ts)) > untilMs - 30_000)
      .map(({ tx_power_dbm }) => tx_power_dbm);
    expect(powers.every((dbm) => dbm === 5)).toBe(true);
    await again.post(`/api/v1/emulator/${network.job_number}/stop`);
    const { messages } = await again.get(`/api/v1/jobs/${network.job_number}`);
    const events = messages.map(({ data }: { data: { event: string }[] }) => data[0]!.event);
    expect(events.filter((event: string) => event === 'started')).toHaveLength(1);
    await vi.waitFor(async () => expect(await readdir(join(dataDir, 'emulator'))).toEqual([]), patience);
  });

  test('the same seed gives the same values, at whatever speed', async (context) => {
    const weft = await start(context);
    const start_time = new Date(Date.now() - 600_000).toISOString();
    const slow = await Network.spinUp(weft, { start_time, duration: 4 });
    const fast = await Network.spinUp(weft, { start_time, duration: 60, speed: 60 });
    await Promise.all([slow.over(), fast.over()]);
    for (const [n, ap_id] of slow.agents.entries()) {
      const points = await slow.points(ap_id);
      expect(points).toHaveLength(4);
      expect((await fast.points(fast.agents[n])).slice(0, 4)).toEqual(points);
    }
  });
});
