import { expect, test } from 'vitest';
import { App } from './index.ts';
import { FakeWeft, recordAnswers } from './testing.ts';

test('a program that reads and acts runs on a Weft in memory', async () => {
  const weft = new FakeWeft({ agents: { 'ap-1': { access_point_type: 'WiFi' } } });
  await using app = weft.app();
  const live = app.live({
    agents: ['ap-1'],
    metrics: ['load'],
    onOpen: () => weft.report('ap-1', { load: 0.1, x: 1 }),
  });
  expect((await live.next()).value).toMatchObject({ ap_id: 'ap-1', metrics: { load: 0.1 } });
  await live.return();
  const command = await app.command('ap-1', 'sleep', {}, { holdSeconds: 60 });
  expect(await command.settled()).toMatchObject({ state: 'succeeded' });
  expect(await app.latest()).toMatchObject([
    { ap_id: 'ap-1', metrics: { active: { value: 0 }, load: { value: 0.1 } } },
  ]);
  expect(weft.commands).toEqual([{ ap_id: 'ap-1', name: 'sleep', args: {} }]);
  expect(await app.command('ap-1', 'wake', {}, { dryRun: true })).toMatchObject({ dry_run: true });
  expect(weft.commands).toHaveLength(1);
});

test('commands fail and are refused as the test says', async () => {
  const weft = new FakeWeft({
    onCommand: ({ name }) => (name === 'sleep' ? { refused: 'held_by_other' } : { state: 'failed', result: 'no' }),
  });
  const app = weft.app();
  await expect(app.command('ap-1', 'sleep')).rejects.toMatchObject({ name: 'CommandHeld', rival: { ap_id: 'ap-1' } });
  expect(await (await app.command('ap-1', 'wake')).settled()).toMatchObject({ state: 'failed', result: 'no' });
});

test('what was recorded is answered again, without the token, and what was not is named', async () => {
  const real = async (url: unknown) =>
    Response.json(
      String(url).includes('/token') ? { access_token: 'secret', expires_in: 60 } : { items: [1], next: null },
    );
  const { fetch, answers } = recordAnswers(real as typeof globalThis.fetch);
  const first = new App({ url: 'http://weft.example.org', name: 'a', key: 'b', fetch });
  await first.alarms().toArray();
  expect(JSON.stringify(answers)).not.toContain('secret');
  const app = new FakeWeft({ answers: JSON.parse(JSON.stringify(answers)) }).app();
  expect(await app.alarms().toArray()).toEqual([1]);
  await expect(app.request('GET', '/api/v1/alrms')).rejects.toMatchObject({
    status: 404,
    detail: expect.stringContaining('no answer is recorded for GET /api/v1/alrms'),
  });
});
