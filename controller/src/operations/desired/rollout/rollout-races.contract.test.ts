// What happens once happens once, however many ask for it in the same moment, on however many nodes.
import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const askers = 4;

eachDatabase((kind) => {
  let nodes: TestWeft[];
  let admin: string;

  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(48).toString('base64') };
    const first = await startWeft(kind.dialect === 'postgres' ? shared : {});
    nodes = kind.dialect === 'postgres' ? [first, await startWeft(shared)] : [first];
    admin = await first.admin();
    return async () => {
      for (const node of nodes) await node.stop();
      await namespace.remove();
    };
  });

  const ask = (method: string, path: string, json?: Record<string, unknown>, node = nodes[0]!) =>
    node.request(method, `/api/v1${path}`, { token: admin, ...(json && { json }) });
  const atOnce = (path: string) =>
    Promise.all(Array.from({ length: askers }, (_, at) => ask('POST', path, {}, nodes[at % nodes.length])));
  /** One succeeds; all others are told why not. */
  const expectOne = (answers: Awaited<ReturnType<typeof ask>>[], code: string) => {
    const told = answers.map(({ status, body }) => (status === 200 ? 200 : `${status} ${body.code}`)).sort();
    expect(told).toEqual([200, ...Array(askers - 1).fill(`409 ${code}`)]);
    return answers.find(({ status }) => status === 200)!.body;
  };
  const layerOf = (name: string, selector: string) => ({ name, selector, weight: 1, settings: { channel: 36 } });
  const draft = async (name: string, selector: string) => {
    const { status, body } = await ask('POST', '/config/change_sets', {
      title: name,
      layers: [layerOf(name, selector)],
    });
    expect(status).toBe(200);
    return body;
  };
  const layerNamed = async (name: string) =>
    (await ask('GET', '/config/layers?limit=500')).body.items.find((layer: { name: string }) => layer.name === name);

  test('a draft that affects nobody becomes one roll-out, which is taken back once', async () => {
    for (let round = 0; round < rounds(8); round++) {
      const name = `nobody ${round}`;
      const set = await draft(name, 'tag:nobody');
      const { id } = expectOne(await atOnce(`/config/change_sets/${set.id}/rollout`), 'change_set_rolled_out');
      await untilSo(async () => expect((await ask('GET', `/rollouts/${id}`)).body.state).toBe('completed'));
      expect(await layerNamed(name)).toMatchObject({ version: 1 });
      const { items } = (await ask('GET', '/rollouts?limit=100')).body;
      expect(items.filter((each: { change_set_id: string }) => each.change_set_id === set.id)).toHaveLength(1);
      expectOne(await atOnce(`/rollouts/${id}/revert`), 'rollout_state');
      await untilSo(async () => expect((await ask('GET', `/rollouts/${id}`)).body.state).toBe('reverted'));
      expect(await layerNamed(name)).toBeUndefined();
    }
  });

  test('a draft that is replaced or removed while it is started: what begins is what was looked at', async () => {
    for (let round = 0; round < rounds(8); round++) {
      const set = await draft(`as made ${round}`, 'tag:nobody');
      const path = `/config/change_sets/${set.id}`;
      const [start, replaced] = await Promise.all([
        ask('POST', `${path}/rollout`, {}, nodes.at(-1)),
        ask('PUT', path, { title: 'replaced', layers: [{ ...set.layers[0], name: `as replaced ${round}` }] }),
      ]);
      if (start.status === 200) {
        expect((await ask('GET', path)).body.title).toBe(start.body.title);
      } else {
        expect([start.status, start.body.code, replaced.status]).toEqual([409, 'change_set_outdated', 200]);
        expect((await ask('GET', path)).body).toMatchObject({ state: 'draft', title: 'replaced' });
      }
      const other = await draft(`removed ${round}`, 'tag:nobody');
      const [begun, removed] = await Promise.all([
        ask('POST', `/config/change_sets/${other.id}/rollout`, {}, nodes.at(-1)),
        ask('DELETE', `/config/change_sets/${other.id}`),
      ]);
      expect([begun.status, removed.status].filter((status) => status === 200)).toHaveLength(1);
      if (begun.status === 200) await untilSo(async () => expect(await layerNamed(`removed ${round}`)).toBeDefined());
      else expect(await layerNamed(`removed ${round}`)).toBeUndefined();
    }
  });

  test('a roll-out under way is paused, let go on and given up once', async () => {
    const ap = await nodes[0]!.agent('raced-1', { settings: { channel: { type: 'integer' } } });
    expect(ap).toBeTruthy();
    const set = await draft('raced', 'name:raced-1');
    const { id } = expectOne(await atOnce(`/config/change_sets/${set.id}/rollout`), 'change_set_rolled_out');
    expectOne(await atOnce(`/rollouts/${id}/pause`), 'rollout_state');
    expectOne(await atOnce(`/rollouts/${id}/resume`), 'rollout_state');
    expectOne(await atOnce(`/rollouts/${id}/abort`), 'rollout_state');
  });

  test('what an access point runs otherwise is adopted once, and no draft is left of the others', async () => {
    const token = await nodes[0]!.agent('adopted-1', { settings: { channel: { type: 'integer' } } });
    const before = await draft('adopted', 'name:adopted-1');
    const { id } = (await ask('POST', `/config/change_sets/${before.id}/rollout`, {})).body;
    const own = (method: string, path: string, json?: Record<string, unknown>) =>
      nodes[0]!.request(method, `/api/v1/agents/adopted-1/config${path}`, { token, ...(json && { json }) });
    const next = await untilSo(async () => {
      const { body } = await own('GET', '/next?wait=0');
      if (body.next?.type !== 'config') throw new Error('nothing yet');
      return body.next;
    });
    await own('POST', `/${next.id}/result`, { hash: next.hash, state: 'applied' });
    for (let said = 0; said < 2; said++) await own('POST', '/running', { hash: next.hash, settings: { channel: 36 } });
    await untilSo(async () => expect((await ask('GET', `/rollouts/${id}`)).body.state).toBe('completed'));
    await own('POST', '/running', { hash: null, settings: { channel: 40 } });
    const drafts = async () =>
      (await ask('GET', '/config/change_sets?limit=500')).body.items.filter(
        ({ state }: { state: string }) => state === 'draft',
      );
    const left = (await drafts()).length;
    const answers = await Promise.all(
      Array.from({ length: askers }, (_, at) =>
        ask('POST', '/agents/adopted-1/config/adopt', { why: 'as it is' }, nodes[at % nodes.length]),
      ),
    );
    expectOne(answers, 'rollout_under_way');
    expect(await drafts()).toHaveLength(left);
  });

  test('a window by the time of a site goes by the zone that it has now, whichever node was told', async () => {
    const { body: site } = await ask('POST', '/sites', { path: 'atoll' });
    await nodes[0]!.agent('zoned-1', { settings: { channel: { type: 'integer' } } });
    expect((await ask('PATCH', '/agents/zoned-1/labels', { site: 'atoll' })).status).toBe(200);
    const set = await draft('zoned', 'name:zoned-1');
    // Half a day away from now, as long as nobody has said where the site is.
    const hour = (after: number) => `${String((new Date().getUTCHours() + after) % 24).padStart(2, '0')}:30`;
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const window = { days, from: hour(9), until: hour(15), time_zone: 'site' };
    const { status, body } = await ask('POST', `/config/change_sets/${set.id}/rollout`, { window });
    expect(status).toBe(200);
    const treated = async () => (await ask('GET', `/rollouts/${body.id}`)).body.waves[0].treated;
    const isWorking = ({ parts }: TestWeft) => parts.desired.desired.lease.isHeld;
    await untilSo(() => expect(nodes.some(isWorking)).toBe(true));
    for (const { parts } of nodes) await parts.desired.desired.driver.once();
    expect(await treated()).toBe(0);
    const told = nodes.find((node) => !isWorking(node)) ?? nodes[0]!;
    const zone = { path: 'atoll', time_zone: 'Pacific/Tarawa' };
    expect((await ask('PUT', `/sites/${site.id}`, zone, told)).status).toBe(200);
    await untilSo(async () => expect(await treated()).toBe(1));
    expect((await ask('POST', `/rollouts/${body.id}/abort`, {})).status).toBe(200);
  });

  describe('a roll-out that comes to an access point while it is decided what that shall be', () => {
    let desired: TestWeft['parts']['desired'];
    const ok = async (...asked: Parameters<typeof ask>) => {
      const { status, body, text } = await ask(...asked);
      if (status !== 200) throw new Error(`${asked[1]}: ${status} ${text}`);
      return body;
    };
    const rollOut = async (name: string, settings: Record<string, unknown>, id?: string) => {
      const layers = [{ id, name, selector: `tag:${name}`, weight: 2, settings }];
      const set = await ok('POST', '/config/change_sets', { title: name, layers });
      const rollout = await ok('POST', `/config/change_sets/${set.id}/rollout`, {});
      return { id: rollout.id, layer: set.layers[0].id };
    };
    const view = (ap_id: string) => ok('GET', `/agents/${ap_id}/config?view=desired`);
    const round = () => desired.desired.reconciler.once();

    beforeAll(async () => {
      desired = nodes[0]!.parts.desired;
      for (const other of nodes.slice(1)) await other.parts.desired.desired.lease.stop();
      await untilSo(() => expect(desired.desired.lease.isHeld).toBe(true));
      // Its rounds begin when the tests say so.
      await desired.desired.reconciler.stop();
      return () => desired.desired.reconciler.start();
    });
    beforeEach(() => desired.desired.driver.start());

    /** With a layer in force that gives it a channel by a variable. */
    async function accessPoint(ap_id: string, channel?: number) {
      await nodes[0]!.agent(ap_id, { settings: { channel: { type: 'integer' }, power: { type: 'integer' } } });
      const { id, layer } = await rollOut(ap_id, { channel: '${raced}' });
      await untilSo(async () => expect((await ok('GET', `/rollouts/${id}`)).state).toBe('completed'));
      if (channel !== undefined) await ok('PUT', '/config/variables', { ap_id, name: 'raced', value: channel });
      await ok('PATCH', `/agents/${ap_id}/labels`, { tags: [ap_id] });
      await round();
      return layer as string;
    }

    /** Its access point is treated by a roll-out that has begun, as soon as the work has read by which ones that is. */
    async function overtaken(
      work: () => Promise<unknown>,
      ap_id: string,
      layer: string,
      given: Record<string, unknown>,
    ) {
      const { desired: parts, rolloutStore } = desired;
      const treatedBy = rolloutStore.treatedBy.bind(rolloutStore);
      await parts.driver.stop();
      const { id: rollout_id } = await rollOut(ap_id, given, layer);
      await round();
      const looked = vi.spyOn(rolloutStore, 'treatedBy').mockImplementationOnce(async (...asked) => {
        const found = await treatedBy(...asked);
        parts.driver.start();
        await untilSo(async () => expect(await view(ap_id)).toMatchObject({ rollout_id }));
        return found;
      });
      await work();
      expect(looked).toHaveBeenCalled();
      looked.mockRestore();
      await round();
      await parts.driver.once();
      expect(await ok('GET', `/rollouts/${rollout_id}`)).toMatchObject({ state: 'running', reason: null });
      const after = await view(ap_id);
      expect(after).toMatchObject({ state: 'pending', rollout_id });
      return after.settings;
    }

    /** A round that looks at everything. */
    async function changed(ap_id: string, name: string, value: number) {
      await ok('PUT', '/config/variables', { ap_id, name, value });
      await round();
    }

    test('is not stopped by what it puts right', async () => {
      const layer = await accessPoint('raced-2');
      expect(await view('raced-2')).toMatchObject({ state: 'refused' });
      const work = () => changed('raced-2', 'unused', 1);
      expect(await overtaken(work, 'raced-2', layer, { channel: 40 })).toEqual({ channel: 40 });
    });

    test('is not undone by a variable that changes', async () => {
      const layer = await accessPoint('raced-3', 36);
      const work = () => changed('raced-3', 'raced', 40);
      const given = { channel: '${raced}', power: 5 };
      expect(await overtaken(work, 'raced-3', layer, given)).toEqual({ channel: 40, power: 5 });
    });

    test('is not undone by who applies its settings again', async () => {
      const layer = await accessPoint('raced-4', 36);
      const work = () => ok('POST', '/agents/raced-4/config/apply');
      const given = { channel: '${raced}', power: 5 };
      expect(await overtaken(work, 'raced-4', layer, given)).toEqual({ channel: 36, power: 5 });
    });

    test('is not without a variable that changes', async () => {
      const layer = await accessPoint('raced-5', 36);
      const { configs, driver } = desired.desired;
      await driver.stop();
      const { id } = await rollOut('raced-5', { channel: '${raced}', power: 5 }, layer);
      await round();
      const advance = configs.advance.bind(configs);
      let isChanged = false;
      const treats = vi.spyOn(configs, 'advance').mockImplementation(async (given, ...rest) => {
        const isOfRollout = given.some(({ evidence }) => 'rollout_id' in evidence && evidence.rollout_id === id);
        if (isOfRollout && !isChanged) {
          isChanged = true;
          await changed('raced-5', 'raced', 40);
        }
        return advance(given, ...rest);
      });
      driver.start();
      await untilSo(async () => expect(await view('raced-5')).toMatchObject({ rollout_id: id }));
      await driver.stop();
      treats.mockRestore();
      expect(isChanged).toBe(true);
      await round();
      expect(await view('raced-5')).toMatchObject({ rollout_id: id, settings: { channel: 40, power: 5 } });
    });
  });
});
