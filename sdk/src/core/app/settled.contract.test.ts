// What control programs build on, against a real server: commands that are settled, samples by time, errors by their reason.
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { password, startWeft, type TestWeft } from '../../../../test/weft.ts';
import { Agent, App, CommandHeld, CommandNotSettled, CommandTooSoon, WeftRefusal } from '../../index.ts';
import type { SentCommand } from './sent-command.ts';

let weft: TestWeft;
beforeAll(async () => {
  weft = await startWeft();
  for (const name of ['saver', 'coverer']) await weft.app(name);
});
afterAll(() => weft.stop());

const as = (name: string) => new App({ url: weft.url, name, key: password });

/** Says yes at once; what it measures follows when it reports. */
async function startAgent(ap_id: string): Promise<Agent> {
  await weft.agent(ap_id);
  const agent = new Agent({ url: weft.url, ap_id, password, configuration: { access_point_type: 'WiFi' } });
  for (const name of ['sleep', 'set_tx_power', 'set_channel', 'identify']) agent.command(name, () => undefined);
  await agent.start();
  onTestFinished(() => agent.stop());
  return agent;
}

test('a command is settled once the measurements show it, not when the agent has said yes', async () => {
  const agent = await startAgent('slow');
  await agent.post({ active: 1, load: 0.5 });
  let looks = 0;
  const counted: typeof fetch = (address, init) => {
    if (String(address).includes('/metrics/latest')) looks += 1;
    return fetch(address, init);
  };
  const app = new App({ url: weft.url, name: 'saver', key: password, fetch: counted });
  const command = await app.command('slow', 'sleep');
  expect((await command.result()).state).toBe('succeeded');
  await expect(command.settled({ withinMs: 0 })).rejects.toBeInstanceOf(CommandNotSettled);
  const settled = command.settled();
  await untilSo(() => expect(looks).toBeGreaterThan(1));
  await agent.post({ active: 1, load: 0.4 });
  // It goes on looking: a report that shows something else is no end.
  const before = looks;
  await untilSo(() => expect(looks).toBeGreaterThan(before + 1));
  await agent.post({ active: 0, load: 0 });
  expect(await settled).toMatchObject({ state: 'succeeded', ap_id: 'slow' });
});

test('a command that no metric shows is settled with the next report, and one that fails at once', async () => {
  const agent = await startAgent('plain');
  await agent.post({ load: 1 });
  const identify = await as('saver').command('plain', 'identify');
  await identify.result();
  await expect(identify.settled({ withinMs: 0 })).rejects.toMatchObject({ report: { command: 'identify' } });
  const settled = identify.settled();
  const reporting = setInterval(() => void agent.post({ load: 1 }).catch(() => {}), 100);
  onTestFinished(() => clearInterval(reporting));
  expect((await settled).state).toBe('succeeded');
  await weft.agent('away');
  const cancelled = await as('saver').command('away', 'sleep');
  await cancelled.cancel();
  expect((await cancelled.settled()).state).toBe('cancelled');
});

test('what was measured at one time is one sample', async () => {
  const agent = await startAgent('timed');
  const startMs = Date.now() - 10_000;
  await agent.post([0, 1, 2].map((n) => ({ ts: startMs + n * 1000, load: n, power_w: 10 - n })));
  const samples = await as('saver')
    .samples('timed', { from: startMs, to: startMs + 5_000 })
    .toArray();
  expect(samples).toEqual(
    [0, 1, 2].map((n) => ({
      ap_id: 'timed',
      ts: new Date(startMs + n * 1000).toISOString(),
      metrics: { load: n, power_w: 10 - n },
    })),
  );
});

test('agents are found by a selector, with their labels', async () => {
  await weft.agent('hall-1');
  const app = new App({ url: weft.url, token: await weft.admin() });
  await app.request('PATCH', '/api/v1/agents/hall-1/labels', { json: { display_name: 'The hall' } });
  const found = await app.agents({ selector: 'name:hall-*' });
  expect(found).toMatchObject([{ ap_id: 'hall-1', display_name: 'The hall', configuration: {} }]);
});

test('each reason to refuse a command is a class of its own', async () => {
  await startAgent('wanted');
  await as('coverer').command('wanted', 'set_tx_power', { dbm: 12 }, { holdSeconds: 60 });
  const held = await as('saver')
    .command('wanted', 'set_tx_power', { dbm: 20 })
    .catch((error) => error);
  expect(held).toBeInstanceOf(CommandHeld);
  expect(held).toMatchObject({ name: 'CommandHeld', rival: { caller_name: 'coverer' }, leaseUntil: expect.any(Date) });
  await as('coverer').command('wanted', 'set_channel', { channel: 36 }, { holdSeconds: 0 });
  const soon = as('saver').command('wanted', 'set_channel', { channel: 40 }, { holdSeconds: 0 });
  await expect(soon).rejects.toMatchObject({ name: 'CommandTooSoon', reason: 'too_soon', rival: null });
  await expect(soon).rejects.toBeInstanceOf(CommandTooSoon);
});

test('an app that is closed ends its streams and asks for nothing more', async () => {
  const app = as('saver');
  const reading = app.live().toArray();
  await app.close();
  await expect(reading).rejects.toMatchObject({ code: 'closed' });
  await expect(app.agents()).rejects.toMatchObject({ code: 'closed' });
  expect(await app.live().next()).toEqual({ done: true, value: undefined });
});

test('twenty commands that are settled at once, and streams beside them, listen to no signal more than ten times', async () => {
  const agent = await startAgent('busy');
  const reporting = setInterval(() => void agent.post({ load: 1 }).catch(() => {}), 100);
  onTestFinished(() => clearInterval(reporting));
  const app = as('saver');
  onTestFinished(() => app.close());
  let most = 0;
  const listen = EventTarget.prototype.addEventListener;
  const spy = vi.spyOn(EventTarget.prototype, 'addEventListener').mockImplementation(function (
    this: EventTarget,
    ...args
  ) {
    listen.apply(this, args);
    if (this instanceof AbortSignal) most = Math.max(most, getEventListeners(this, 'abort').length);
  });
  onTestFinished(() => spy.mockRestore());
  const { signal } = new AbortController();
  const commands = await Promise.all(Array.from({ length: 20 }, () => app.command('busy', 'identify', {}, { signal })));
  const streams = Array.from({ length: 20 }, () => app.live({ agents: ['busy'], signal }));
  const settled = commands.map((command) => (command as SentCommand).settled({ signal }));
  const first = await Promise.all(streams.map((stream) => stream.next()));
  expect(first.map(({ done }) => done)).toEqual(first.map(() => false));
  expect((await Promise.all(settled)).map(({ state }) => state)).toEqual(commands.map(() => 'succeeded'));
  await Promise.all(streams.map((stream) => stream.return()));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(10);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('what a 422 says is a sentence that names the fields', async () => {
  const refused = await as('saver')
    .request('POST', '/api/v1/commands/batch', { json: { agents: [], command: 5, hold_seconds: 'long' } })
    .catch((error) => error);
  expect(refused).toBeInstanceOf(WeftRefusal);
  expect(refused.message).toMatch(/^422 validation_error: /);
  for (const text of ['command.str: Input should be', 'hold_seconds: Input should be']) {
    expect(refused.message).toContain(text);
  }
  expect(refused.message).not.toMatch(/[{}"]|Value error/);
  expect(Array.isArray(refused.detail)).toBe(true);
});
