import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createAccountParts } from '../../../core/core-parts.ts';
import { type AgentCaller, system } from '../../base/caller.ts';
import type { Problem, ValidationError } from '../../base/errors.ts';
import { Cleanup } from '../../event-kinds.ts';
import type { Events } from '../../events.ts';
import type { Platform } from '../../part.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { createTelemetryPart } from '../telemetry-part.ts';
import { parseLineProtocol } from './line-protocol.ts';
import { parseReport } from './parse-report.ts';
import type { Recorded, TelemetryService } from './telemetry-service.ts';

/** What an agent has reported stays when it is removed, so that it can be counted. */
function createKeepingParts(platform: Platform, events: Events) {
  const accounts = createAccountParts(platform, events);
  const { agents } = accounts.agents;
  const { eventLog } = accounts.eventLog;
  const keeping = { ...events, agentRemoved: new Cleanup<[string]>() };
  return {
    ...accounts,
    telemetry: createTelemetryPart({ ...platform, ...accounts.network, agents, eventLog }, keeping),
  };
}

let server: TestWeft<ReturnType<typeof createKeepingParts>>;
let telemetry: TelemetryService;
const recorded: { ap_id: string; samples: readonly Sample[]; receivedMs: number }[] = [];
beforeAll(async () => {
  server = await startWeft({}, { createParts: createKeepingParts });
  telemetry = server.parts.telemetry.telemetry;
  server.events.recorded.on((ap_id, samples, receivedMs) => recorded.push({ ap_id, samples, receivedMs }));
});
afterAll(() => server.stop());

let count = 0;
async function newAgent(configuration: Record<string, unknown> = {}): Promise<AgentCaller> {
  count += 1;
  const name = `ap-${count}`;
  await server.agent(name, configuration);
  return (await server.parts.agents.agents.principal(name))!.caller as AgentCaller;
}

function record(agent: AgentCaller, body: unknown): Promise<Recorded> {
  const report = parseReport(body, agent.name, Date.now(), telemetry.limits);
  return telemetry.record(agent, report);
}

const acceptedOf = async (agent: AgentCaller, body: unknown) => (await record(agent, body)).accepted;
const ignoredOf = async (agent: AgentCaller, body: unknown) => {
  const { accepted, ignored } = await record(agent, body);
  return [accepted, ...(ignored?.named ?? [])];
};

function recordLines(agent: AgentCaller, text: string): Promise<Recorded> {
  const { limits } = telemetry;
  return telemetry.record(
    agent,
    parseLineProtocol(text, { precision: 'ms', ap_id: agent.name, nowMs: Date.now(), limits }),
  );
}

function problemsOf(work: Promise<unknown>): Promise<Problem[]> {
  return work.then(
    () => [],
    (error: ValidationError) => error.problems,
  );
}

describe('what is recorded', () => {
  it('of a configuration is bounded: beyond 60 changes at once it is named in ignored, and the samples are stored', async () => {
    const agent = await newAgent();
    const { agents } = server.parts.agents;
    let changes = 0;
    const useUp = () => {
      while (agents.takeOwnChange(agent) === 0) changes++;
    };
    expect(await ignoredOf(agent, { load: 1, configuration: { n: 1 } })).toEqual([1]);
    useUp();
    expect(changes).toBeGreaterThanOrEqual(59);
    const ignored = { field: 'configuration', reason: 'too_many_changes' };
    expect(await ignoredOf(agent, { load: 2, configuration: { n: 2 } })).toEqual([1, ignored]);
    // The same again is no change.
    expect(await ignoredOf(agent, { load: 3, configuration: { n: 1 } })).toEqual([1]);
    const own = await server.login('agent', agent.name);
    const admin = await server.admin();
    const put = (token: string) =>
      server.request('PUT', `/api/v1/agents/${agent.name}`, { token, json: { configuration: {} } });
    useUp();
    expect((await put(own)).body).toMatchObject({ code: 'too_many_changes' });
    expect((await put(admin)).status).toBe(200);
  });

  it('is stored once record resolves, and told afterwards', async () => {
    const agent = await newAgent();
    const ts = Date.now() - 1000;
    expect(
      await acceptedOf(agent, {
        samples: [
          { ts, rssi: -60, state: 'up' },
          { ts: ts + 1, rssi: -61 },
        ],
      }),
    ).toBe(2);
    expect(await server.rowsOf(agent.name)).toEqual([
      { ts, rssi: -60, state: 'up' },
      { ts: ts + 1, rssi: -61 },
    ]);
    const told = recorded.filter(({ ap_id }) => ap_id === agent.name);
    expect(told).toMatchObject([{ samples: [{ ts }, { ts: ts + 1 }], receivedMs: expect.any(Number) }]);
  });

  it('M6: is there whatever was reported under its name before, also what is empty', async () => {
    const agent = await newAgent();
    const ts = Date.now() - 1000;
    const own = `agent/${agent.name}/data`;
    await record(agent, { ts, rssi: 1, state: 'up', load: '' });
    expect(await ignoredOf(agent, { ts: ts + 1, rssi: 'strong', state: 5, load: 'NaN' })).toEqual([1]);
    expect(
      await ignoredOf(agent, {
        samples: [
          { ts: ts + 2, load: 5 },
          { ts: ts + 3, load: 'x' },
        ],
      }),
    ).toEqual([2]);
    await recordLines(agent, `${own} rssi="weak",load=6 ${ts + 4}`);
    expect(await server.rowsOf(agent.name)).toEqual([
      { ts, rssi: 1, state: 'up', load: '' },
      { ts: ts + 1, rssi: 'strong', state: 5, load: 'NaN' },
      { ts: ts + 2, load: 5 },
      { ts: ts + 3, load: 'x' },
      { ts: ts + 4, rssi: 'weak', load: 6 },
    ]);
  });

  it('D6: has at most 1,024 names, and those there are go on', async () => {
    const agent = await newAgent();
    const names = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`m${from + n}`, 1]));
    await record(agent, names(0, 600));
    await record(agent, names(600, 1024));
    expect(await problemsOf(record(agent, { m5: 1, m1024: 1 }))).toMatchObject([
      { loc: ['body', 'm1024'], msg: expect.stringContaining('1024') },
    ]);
    expect(await acceptedOf(agent, { m5: 7 })).toBe(1);
  });
});

describe('a configuration', () => {
  it('is merged by its top-level keys, with samples or alone', async () => {
    const agent = await newAgent({ site: 'roof', tags: ['a', 'b'], geolocation: { latitude: 1, longitude: 2 } });
    const configuration = { tags: ['c'], geolocation: { latitude: 3 }, firmware: null };
    expect(await acceptedOf(agent, { rssi: 1, configuration })).toBe(1);
    const after = { site: 'roof', ...configuration };
    expect(await server.configurationOf(agent.name)).toEqual(after);
    expect(await acceptedOf(agent, { configuration: { site: 'cellar' } })).toBe(0);
    expect(await server.configurationOf(agent.name)).toEqual({ ...after, site: 'cellar' });
  });

  it('cannot say that an agent is emulated', async () => {
    const agent = await newAgent();
    await record(agent, { configuration: { emulated: true, site: 'x' } });
    expect(await server.configurationOf(agent.name)).toEqual({ site: 'x' });
  });

  it('is kept whole when many are merged at once', async () => {
    const agent = await newAgent();
    await Promise.all(Array.from({ length: 50 }, (_, n) => record(agent, { x: n, configuration: { [`k${n}`]: n } })));
    expect(Object.keys(await server.configurationOf(agent.name))).toHaveLength(50);
  });

  it('of more than 64 KiB once merged is refused, and nothing of the report is stored', async () => {
    const agent = await newAgent({ big: 'x'.repeat(40_000) });
    const told = recorded.length;
    expect(await problemsOf(record(agent, { rssi: 1, configuration: { more: 'y'.repeat(30_000) } }))).toMatchObject([
      { loc: ['body', 'configuration'], type: 'value_error' },
    ]);
    expect(await server.rowsOf(agent.name)).toEqual([]);
    expect(Object.keys(await server.configurationOf(agent.name))).toEqual(['big']);
    expect(recorded).toHaveLength(told);
  });

  it('is left alone when the samples are refused', async () => {
    const agent = await newAgent({ site: 'a' });
    const names = Object.fromEntries(Array.from({ length: 1024 }, (_, n) => [`m${n}`, 1]));
    await record(agent, names);
    expect(await problemsOf(record(agent, { more: 1, configuration: { site: 'b' } }))).toHaveLength(1);
    expect(await server.configurationOf(agent.name)).toEqual({ site: 'a' });
  });

  it('gets the geolocation that stands beside it, which is no metric', async () => {
    const agent = await newAgent({ site: 'roof', geolocation: { latitude: 1, longitude: 2 } });
    const geolocation = { latitude: 51.45, longitude: -2.58 };
    expect(await acceptedOf(agent, { rssi: 1, geolocation })).toBe(1);
    expect(await server.configurationOf(agent.name)).toEqual({ site: 'roof', geolocation });
    expect((await server.rowsOf(agent.name)).map(({ ts: _, ...row }) => row)).toEqual([{ rssi: 1 }]);
    const both = { geolocation: { lat: 3, lon: 4 }, configuration: { site: 'cellar', geolocation } };
    expect(await acceptedOf(agent, both)).toBe(0);
    expect(await server.configurationOf(agent.name)).toEqual({ site: 'cellar', geolocation: { lat: 3, lon: 4 } });
    expect(await ignoredOf(agent, { geolocation: 'Bristol', rssi: 2 })).toEqual([
      1,
      { field: 'geolocation', reason: 'not_an_object' },
    ]);
    const place = await server.configurationOf(agent.name);
    expect(await ignoredOf(agent, { geolocation: { latitude: 999, longitude: 1 }, rssi: 3 })).toEqual([
      1,
      { field: 'geolocation', reason: 'not_a_place' },
    ]);
    expect(await server.configurationOf(agent.name)).toEqual(place);
  });

  it('M8: of an agent that is gone is refused with the whole report, also if its name lives on', async () => {
    const agent = await newAgent();
    await server.parts.agents.agents.remove(agent.name, system);
    const report = { rssi: 1, configuration: { site: 'x' } };
    await expect(record(agent, report)).rejects.toMatchObject({ name: 'AuthenticationError' });
    await server.agent(agent.name);
    await expect(record(agent, report)).rejects.toMatchObject({ name: 'AuthenticationError' });
    expect(await server.rowsOf(agent.name)).toEqual([]);
    expect(await server.configurationOf(agent.name)).toEqual({});
  });

  it('M8: reported while the agent is being deleted is stored with its samples or refused with them', async () => {
    for (let round = 0; round < 20; round += 1) {
      const agent = await newAgent();
      const posts = Array.from({ length: 5 }, (_, n) =>
        record(agent, { x: n, configuration: { n } }).then(
          () => 1,
          () => 0,
        ),
      );
      await server.parts.agents.agents.remove(agent.name, system);
      const stored = (await Promise.all(posts)).reduce((sum: number, one) => sum + one, 0);
      expect(await server.rowsOf(agent.name)).toHaveLength(stored);
      expect(await server.parts.agents.agents.principal(agent.name)).toBeUndefined();
    }
  });
});
