// Whose secrets reach whom: only what who owns a secret has allowed, whoever writes a layer, moves an access point or speaks for one.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

type Body = Record<string, unknown>;

/** People ask one node, agents are connected to the other; on SQLite both are one. */
let weft: TestWeft;
let ofAgents: TestWeft;
let admin: string;

async function ok(method: string, path: string, json?: Body | Body[], token = admin, node = weft) {
  const answer = await node.request(method, `/api/v1${path}`, { token, ...(json && { json }) });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function refusal(method: string, path: string, json?: Body, token = admin) {
  const { status, body } = await weft.request(method, `/api/v1${path}`, { token, ...(json && { json }) });
  return { status, code: body.code, detail: body.detail };
}

const secret = (name: string, value: string, more: Body = {}, token = admin) =>
  ok('PUT', '/config/secrets', { name, value, ...more }, token);
const draft = (layers: Body[], token = admin, remove: string[] = []) =>
  ok('POST', '/config/change_sets', { title: 'a change', layers, remove }, token);
const start = (set: Body, token = admin) => ok('POST', `/config/change_sets/${set.id}/rollout`, {}, token);

async function rollOut(layers: Body[], token = admin, remove: string[] = []) {
  const set = await draft(layers, token, remove);
  const { id } = await start(set, token);
  return { id, layer: set.layers[0]?.id as string };
}

const inForce = (id: string) =>
  untilSo(async () => expect((await ok('GET', `/rollouts/${id}`)).state).toBe('completed'));

/** A user who manages what these select. */
async function manager(name: string, ...selectors: string[]) {
  const token = await weft.user(`${name}@weft.test`);
  await grant(name, ...selectors);
  return token;
}

const grant = (name: string, ...selectors: string[]) =>
  ok(
    'PUT',
    `/users/${name}@weft.test/grants`,
    selectors.map((selector) => ({ role: 'manager', selector })),
  );

class Ap {
  readonly ap_id: string;
  token = '';

  constructor(ap_id: string) {
    this.ap_id = ap_id;
  }

  async start(labels: Body) {
    const settings = { channel: {}, passphrase: {}, networks: {} };
    this.token = await weft.agent(this.ap_id, { settings });
    await ok('PATCH', `/agents/${this.ap_id}/labels`, labels);
    return this;
  }

  at(site: string | null) {
    return ok('PATCH', `/agents/${this.ap_id}/labels`, { site });
  }

  async next() {
    return (await ok('GET', `/agents/${this.ap_id}/config/next`, undefined, this.token, ofAgents)).next;
  }

  async say(hash: string | null, settings: Body) {
    const json = { hash, settings };
    return (await ok('POST', `/agents/${this.ap_id}/config/running`, json, this.token, ofAgents)).next;
  }

  /** Applies the next settings and has them confirmed; resolves them. */
  async obey(running: (given: Body) => Body = bare as never): Promise<Body> {
    const { id, hash, settings } = await untilSo(async () => {
      const next = await this.next();
      expect(next).toMatchObject({ type: 'config' });
      return next;
    });
    await ok('POST', `/agents/${this.ap_id}/config/${id}/result`, { hash, state: 'applied' }, this.token, ofAgents);
    for (let times = 0; times < 2; times++) await this.say(hash, running(settings));
    return settings;
  }

  view(view = 'diff') {
    return ok('GET', `/agents/${this.ap_id}/config?view=${view}`);
  }

  /** Until it says that it has no such secret; it is given nothing. */
  async blocked(name: string) {
    const detail = expect.stringContaining(`it has no secret ${name} that this layer may name`);
    await untilSo(async () => expect(await this.view()).toMatchObject({ state: 'refused', detail }));
    expect(await this.next()).toBeNull();
  }
}

/** As agents of older versions say secrets again: by name and version. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const { of: _, value: __, ...rest } = value as Body;
  const kept = 'secret' in value ? rest : value;
  return Object.fromEntries(Object.entries(kept).map(([key, item]) => [key, bare(item)]));
}

const psk = { passphrase: { secret: 'psk' } };

eachDatabase((kind) => {
  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(48).toString('base64') };
    weft = await startWeft(kind.dialect === 'postgres' ? shared : {});
    ofAgents = kind.dialect === 'postgres' ? await startWeft(shared) : weft;
    admin = await weft.admin();
    return async () => {
      if (ofAgents !== weft) await ofAgents.stop();
      await weft.stop();
      await namespace.remove();
    };
  });

  /** Sites of a story of its own, with names that others do not use. */
  async function sites(name: string, ...below: string[]) {
    for (const path of ['', ...below.map((each) => `/${each}`)]) await ok('POST', '/sites', { path: `${name}${path}` });
  }

  describe('a manager of one site', () => {
    let own: string;
    let app: string;
    let mine: Ap;
    beforeAll(async () => {
      await sites('m', 'a', 'b');
      own = await manager('of-a', 'site:m/a/**');
      app = await weft.app('of-a', { config: 'roll_out', selector: 'site:m/a/**' });
      mine = await new Ap('m-a-1').start({ site: 'm/a' });
      await new Ap('m-b-1').start({ site: 'm/b' });
      await secret('m-all', 'of everybody');
      await secret('m-above', 'of the site above', { site: 'm' });
      await secret('m-b', 'of the other site', { site: 'm/b' });
      await secret('m-one', 'of an access point there', { ap_id: 'm-b-1' });
    });

    test('has no secret of others sent to its access point, and hears of none', async () => {
      for (const token of [own, app]) {
        const answers = new Set<string>();
        for (const name of ['m-all', 'm-above', 'm-b', 'm-one', 'm-none']) {
          const layer = { name: 'x', selector: 'site:m/a/**', weight: 10, settings: { passphrase: { secret: name } } };
          const nested = { ...layer, settings: { networks: [{ ssid: 'x', passphrase: { secret: name } }] } };
          for (const each of [layer, nested]) {
            const set = await draft([each], token);
            const preview = await ok('POST', `/config/change_sets/${set.id}/preview`, {}, token);
            expect(preview).toMatchObject({ changed: 0, refusals: [{ code: 'unknown_secret' }] });
            const refused = await refusal('POST', `/config/change_sets/${set.id}/rollout`, {}, token);
            expect(refused).toMatchObject({ status: 409, code: 'change_refused' });
            // Nor does it learn which names there are.
            const leaf = Object.keys(each.settings)[0]!;
            answers.add(JSON.stringify([preview.refusals, refused]).replaceAll(name, 'NAME').replaceAll(leaf, 'LEAF'));
            await ok('DELETE', `/config/change_sets/${set.id}`, undefined, token);
          }
        }
        expect(answers.size).toBe(1);
        expect((await ok('GET', '/config/secrets', undefined, token)).items).toEqual([]);
        for (const place of [{} as Record<string, string>, { site: 'm' }, { site: 'm/b' }, { ap_id: 'm-b-1' }]) {
          const isHidden = { status: 'ap_id' in place || place.site === 'm/b' ? 404 : 403 };
          expect(await refusal('PUT', '/config/secrets', { name: 'm-b', value: 'y', ...place }, token)).toMatchObject(
            isHidden,
          );
          for (const name of ['m-b', 'm-none'])
            expect(
              await refusal('DELETE', `/config/secrets/${name}?${new URLSearchParams(place)}`, undefined, token),
            ).toMatchObject(isHidden);
        }
      }
      expect(await mine.next()).toBeNull();
    });

    test('sets, names, sees and removes those of its own site and access points', async () => {
      await secret('m-own', 'mine', { site: 'm/a' }, own);
      const listed = (await ok('GET', '/config/secrets', undefined, own)).items;
      expect(listed).toMatchObject([{ name: 'm-own', site: 'm/a', ap_id: null, version: 1, shared: false }]);
      const settings = { passphrase: { secret: 'm-own' } };
      await rollOut([{ name: 'own', selector: 'site:m/a/**', weight: 10, settings }], own);
      const given = { secret: 'm-own', of: expect.any(String), version: 1, value: 'mine' };
      expect(await mine.obey()).toEqual({ passphrase: given });
      // It was said again as agents of older versions do.
      expect(await mine.view()).toMatchObject({ state: 'in_sync', differences: [] });
      const inUse = { status: 409, code: 'secret_in_use' };
      expect(await refusal('DELETE', '/config/secrets/m-own?site=m/a', undefined, own)).toMatchObject(inUse);
      await secret('m-own', 'nearer', { ap_id: 'm-a-1' }, own);
      expect(await mine.obey()).toMatchObject({ passphrase: { value: 'nearer' } });
      await ok('DELETE', '/config/secrets/m-own?site=m/a', undefined, own);
    });

    test('by a draft of its own that an administrator starts, or one of an administrator that it has touched', async () => {
      const layer = { name: 'x', selector: 'site:m/a/**', weight: 20, settings: { passphrase: { secret: 'm-all' } } };
      const isRefused = { status: 409, code: 'change_refused' };
      const written = await draft([layer], own);
      expect(await refusal('POST', `/config/change_sets/${written.id}/rollout`, {})).toMatchObject(isRefused);
      // Nor once the administrator has saved it again.
      await ok('PUT', `/config/change_sets/${written.id}`, { title: 'again', layers: [layer] });
      expect(await refusal('POST', `/config/change_sets/${written.id}/rollout`, {})).toMatchObject(isRefused);
      const touched = await draft([{ ...layer, settings: { channel: 36 } }]);
      await ok('PUT', '/users/of-a@weft.test/grants', [
        { role: 'manager', selector: 'site:m/a/**' },
        { role: 'auditor' },
      ]);
      await ok('PUT', `/config/change_sets/${touched.id}`, { title: 'touched', layers: [layer] }, own);
      expect(await refusal('POST', `/config/change_sets/${touched.id}/rollout`, {})).toMatchObject(isRefused);
      // Its own name was in order until its grants were narrowed.
      const narrowed = await draft([{ ...layer, settings: { passphrase: { secret: 'm-own' } } }], own);
      expect(await ok('POST', `/config/change_sets/${narrowed.id}/preview`, {})).toMatchObject({ refused: 0 });
      await grant('of-a', 'site:m/b/**');
      expect(await refusal('POST', `/config/change_sets/${narrowed.id}/rollout`, {})).toMatchObject(isRefused);
      await grant('of-a', 'site:m/a/**');
    });
  });

  test('an access point that is moved between sites with secrets of one name and version gets the value of the other', async () => {
    await sites('t', 'a', 'b', 'c');
    for (const site of ['t/a', 't/b']) await secret('psk', `value of ${site}`, { site });
    const ap = await new Ap('t-1').start({ site: 't/a' });
    await rollOut([{ name: 't', selector: 'site:t/**', weight: 10, settings: psk }]);
    const first = await ap.obey();
    const { version } = first.passphrase as { version: number };
    expect(first).toMatchObject({ passphrase: { value: 'value of t/a' } });
    await ap.at('t/b');
    const second = await ap.obey();
    expect(second).toMatchObject({ passphrase: { version, value: 'value of t/b' } });
    // What waits for it is not for the site that it has come to.
    await secret('psk', 'not for it any more', { site: 't/b' });
    await untilSo(async () =>
      expect((await ap.view('desired')).settings).toMatchObject({ passphrase: { version: version + 1 } }),
    );
    await ap.at('t/c');
    await ap.blocked('psk');
    await ap.at('t/a');
    expect(await ap.obey()).toEqual(first);
  });

  test('a nearer secret that goes gives way to one above only as far as the layer reaches', async () => {
    await sites('n', 'a', 'a/x');
    const own = await manager('near', 'site:n/a/**');
    const ap = await new Ap('n-1').start({ site: 'n/a/x' });
    await secret('near', 'of n', { site: 'n' });
    await secret('near', 'of n/a', { site: 'n/a' }, own);
    await secret('near', 'of n/a/x', { site: 'n/a/x' }, own);
    const layer = { name: 'near', selector: 'site:n/a/**', weight: 10, settings: { passphrase: { secret: 'near' } } };
    const { id } = await rollOut([layer], own);
    expect(await ap.obey()).toMatchObject({ passphrase: { value: 'of n/a/x' } });
    await inForce(id);
    await ap.at('n/a');
    expect(await ap.obey()).toMatchObject({ passphrase: { value: 'of n/a' } });
    await ap.at('n/a/x');
    expect(await ap.obey()).toMatchObject({ passphrase: { value: 'of n/a/x' } });
    // As if its owner had been faster than the layer.
    const gone = `DELETE FROM config_secrets WHERE name = 'near' AND target IN (SELECT id FROM sites WHERE path IN ('n/a', 'n/a/x'))`;
    await weft.platform.database.query(gone);
    await ok('PUT', '/config/variables', { site: 'n', name: 'unused', value: 1 });
    await ap.blocked('near');
    // The same layer is about one that comes later, and reaches no further for it.
    const later = await new Ap('n-2').start({ site: 'n/a' });
    await later.blocked('near');
    await ok('PUT', '/config/secrets', { site: 'n', name: 'near', shared: true });
    expect(await later.obey()).toMatchObject({ passphrase: { value: 'of n' } });
  });

  test('a secret of a name that was deleted is another one: whoever has the old value gets the new one', async () => {
    const ap = await new Ap('again-1').start({ tags: ['again'] });
    const layer = { name: 'again', selector: 'tag:again', weight: 10, settings: { passphrase: { secret: 'again' } } };
    await secret('again', 'old');
    const { id } = await rollOut([layer]);
    const { passphrase } = await ap.obey();
    const { version } = passphrase as { version: number };
    expect(passphrase).toEqual({ secret: 'again', version, value: 'old' });
    await inForce(id);
    await sites('again');
    expect(await refusal('PUT', '/config/secrets', { name: 'again', to_site: 'again' })).toMatchObject({
      code: 'secret_in_use',
    });
    await ap.at('again');
    const moved = await ok('PUT', '/config/secrets', { name: 'again', to_site: 'again' });
    expect(moved).toMatchObject({ site: 'again' });
    expect(moved.version).toBeGreaterThan(version);
    expect(await ap.obey()).toMatchObject({ passphrase: { of: expect.any(String), value: 'old' } });
    const fresh = await secret('again', 'new');
    expect(fresh.version).toBeGreaterThan(version);
    await ap.at(null);
    expect(await ap.obey()).toEqual({ passphrase: { secret: 'again', version: fresh.version, value: 'new' } });
  });

  test('what was named before stays in a layer that a manager changes elsewhere, and nowhere else', async () => {
    await sites('k', 'a');
    const own = await manager('kept', 'site:k/a/**');
    const ap = await new Ap('k-1').start({ site: 'k/a' });
    await secret('corp', 'of everybody');
    const settings = { passphrase: { secret: 'corp' }, channel: 36 };
    const layer = { name: 'k', selector: 'site:k/a/**', weight: 10, settings };
    const { id: rollout, layer: id } = await rollOut([layer]);
    await ap.obey();
    await inForce(rollout);
    const changed = await rollOut([{ ...layer, id, settings: { ...settings, channel: 40 } }], own);
    expect(await ap.obey()).toMatchObject({ channel: 40, passphrase: { value: 'of everybody' } });
    await inForce(changed.id);
    const other: [string, Body][] = [
      ['another selector', { selector: 'site:k/a/** or site:k/a' }],
      ['another leaf', { settings: { networks: [settings.passphrase], channel: 40 } }],
      ['a layer of its own', { id: undefined, weight: 11 }],
    ];
    for (const [what, change] of other) {
      const set = await draft([{ ...layer, id, ...change }], own);
      const answer = await refusal('POST', `/config/change_sets/${set.id}/rollout`, {}, own);
      expect([what, answer.code]).toEqual([what, 'change_refused']);
    }
    // An administrator takes the name out; who takes that back would bring it in again.
    const without = await rollOut([{ ...layer, id, settings: { channel: 100 } }]);
    expect(await ap.obey()).toEqual({ channel: 100 });
    await inForce(without.id);
    await ok('POST', `/rollouts/${without.id}/revert`, undefined, own);
    await ap.blocked('corp');
    await ok('PUT', '/config/secrets', { name: 'corp', shared: true });
    expect(await ap.obey()).toMatchObject({ passphrase: { value: 'of everybody' } });
    const shared = { name: 'corp', site: null, shared: true };
    expect((await ok('GET', '/config/secrets', undefined, own)).items).toMatchObject([shared]);
    for (const change of [{ shared: false }, { to_site: 'k/a' }])
      expect(await refusal('PUT', '/config/secrets', { name: 'corp', ...change }, own)).toMatchObject({ status: 403 });
  });

  test('what an access point says is data: it names no secret, and takes none by being adopted', async () => {
    await secret('said', 'the passphrase of others');
    const ap = await new Ap('said-1').start({ tags: ['said'] });
    const settings = { channel: 36, networks: [{ ssid: 'x', passphrase: { secret: 'own' } }] };
    await secret('own', 'the passphrase of its own', { ap_id: 'said-1' });
    const { id } = await rollOut([{ name: 'said', selector: 'tag:said', weight: 10, settings }]);
    const { hash } = await untilSo(async () => {
      const next = await ap.next();
      expect(next).toMatchObject({ type: 'config' });
      return next;
    });
    const { networks } = bare(await ap.obey()) as { networks: [{ passphrase: { version: number } }] };
    await inForce(id);
    const { version } = networks[0].passphrase;
    const nothing = { status: 409, code: 'nothing_to_adopt' };
    const said: Body[] = [
      { channel: { secret: 'said' }, networks },
      { channel: { secret: 'said', version: 1 }, networks },
      { channel: networks[0].passphrase, networks },
      { channel: 36, networks: [{ ssid: 'y', passphrase: { secret: 'said', version: 1 } }] },
      { channel: 36, networks: [{ ssid: 'y', passphrase: { secret: 'own', version: version + 1 } }] },
      { channel: '${said}', networks },
    ];
    for (const running of said) {
      await ap.say(hash, running);
      await untilSo(async () => expect(await ap.view()).toMatchObject({ state: 'drifted' }));
      expect((await ap.view('running')).settings).toEqual(running);
      expect(await refusal('POST', '/agents/said-1/config/adopt', { why: 'so' })).toMatchObject(nothing);
      expect(await ap.next()).toBeNull();
    }
    // It does not find out by guessing either: what it says itself is compared with nothing.
    await ap.say(hash, { channel: { secret: 'said', version: 1 }, guess: 'the passphrase of others', networks });
    expect((await ap.view('running')).settings).toMatchObject({ guess: 'the passphrase of others' });
    await ap.say(hash, { channel: 36, guess: 'the passphrase of its own', networks });
    expect((await ap.view('running')).settings).toMatchObject({ guess: { secret: 'own', version } });
    // What it was given for a leaf stays what it is.
    await ap.say(hash, { channel: 36, networks: [{ ...networks[0], ssid: 'z' }] });
    await ok('POST', '/agents/said-1/config/adopt', { why: 'another name' });
    await untilSo(async () =>
      expect((await ap.view('desired')).settings).toMatchObject({
        networks: [{ ssid: 'z', passphrase: { version } }],
      }),
    );
  });

  test('an app, or a manager by tags, sets no variable that others get, now or later', async () => {
    await sites('v', 'a', 'b');
    await new Ap('v-a').start({ site: 'v/a', tags: ['v-lab'] });
    await new Ap('v-b').start({ site: 'v/b' });
    const app = await weft.app('variables', { config: 'roll_out', selector: 'site:v/a/**' });
    const lab = await manager('lab', 'tag:v-lab');
    const variable = { name: 'x', value: 1 };
    expect(await refusal('PUT', '/config/variables', { ...variable, ap_id: 'v-b' }, app)).toMatchObject({
      status: 404,
    });
    expect(await refusal('PUT', '/config/variables', { ...variable, site: 'v' }, app)).toMatchObject({ status: 403 });
    expect(await refusal('PUT', '/config/variables', { ...variable, site: 'v/a' }, lab)).toMatchObject({ status: 403 });
    await ok('PUT', '/config/variables', { ...variable, site: 'v/a' }, app);
    await ok('PUT', '/config/variables', { ...variable, ap_id: 'v-a' }, lab);
  });

  test('with a site go its variables and secrets', async () => {
    await sites('gone');
    await secret('gone', 'x', { site: 'gone' });
    await ok('PUT', '/config/variables', { site: 'gone', name: 'gone', value: 1 });
    const { items } = await ok('GET', '/sites');
    const { id } = items.find(({ path }: Body) => path === 'gone');
    await ok('DELETE', `/sites/${id}`);
    await untilSo(async () => {
      const left = `SELECT name FROM config_secrets WHERE name = 'gone' UNION ALL SELECT name FROM config_variables WHERE name = 'gone'`;
      expect(await weft.platform.database.query(left)).toEqual([]);
    });
  });

  describe('a manager of one site, beside the layers of others', () => {
    let own: string;
    beforeAll(async () => {
      await sites('h', 'a', 'b');
      own = await manager('of-h', 'site:h/b/**');
    });

    test('an access point that cannot be given what is in force holds up nobody else', async () => {
      const ap = await new Ap('h-b-1').start({ site: 'h/b' });
      await new Ap('h-b-2').start({ site: 'h/b' });
      const base = await rollOut([{ name: 'h base', selector: 'name:h-b-1', weight: 10, settings: { channel: 36 } }]);
      await ap.obey();
      await inForce(base.id);
      await ok('PUT', '/agents/h-b-1', { configuration: { settings: { note: {} } } });
      await untilSo(async () => expect(await ap.view()).toMatchObject({ state: 'refused' }));
      const note = { name: 'h note', selector: 'site:h/b', weight: 11, optional: true, settings: { networks: [] } };
      const { id } = await rollOut([note]);
      expect(await ok('GET', `/rollouts/${id}`)).toMatchObject({ total: 1 });
      // Else it comes into force a minute later, at the access points of the tests below too.
      await ok('POST', `/rollouts/${id}/abort`);
    });

    test('takes back a roll-out to a version whose secret it may not name: refused, and over', async () => {
      const ap = await new Ap('h-b-3').start({ site: 'h/b' });
      await secret('h-all', 'of everybody');
      const named = { name: 'h named', selector: 'name:h-b-3 site:h/b', weight: 12 };
      const first = await rollOut([{ ...named, settings: { passphrase: { secret: 'h-all' }, channel: 40 } }]);
      await ap.obey();
      await inForce(first.id);
      const second = await rollOut([{ ...named, id: first.layer, settings: { channel: 40 } }]);
      await ap.obey();
      await inForce(second.id);
      await ok('POST', `/rollouts/${second.id}/revert`, undefined, own);
      await untilSo(async () => expect((await ok('GET', `/rollouts/${second.id}`)).state).toBe('reverted'));
      expect(await ap.view()).toMatchObject({ state: 'refused' });
      const without = await rollOut([], admin, [first.layer]);
      expect(await ap.obey()).toEqual({});
      await inForce(without.id);
    });

    test('sees and removes a layer within its grants that is about nobody yet', async () => {
      const later = { name: 'h later', selector: 'site:h/b/** name:zz*', weight: 5, settings: { channel: 1 } };
      const { id, layer } = await rollOut([later], own);
      await inForce(id);
      expect((await ok('GET', '/config/layers', undefined, own)).items).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ id: layer })]),
      );
      await inForce((await rollOut([], own, [layer])).id);
    });

    test('adopts what its access point runs, and a secret in the name of a setting is not stored', async () => {
      const ap = await new Ap('h-b-4').start({ site: 'h/b' });
      await secret('h-own', 'a passphrase of h', { site: 'h/b' }, own);
      const settings = { channel: 36, passphrase: { secret: 'h-own' } };
      const { id } = await rollOut([{ name: 'h own', selector: 'site:h/b/** name:h-b-4', weight: 20, settings }], own);
      await ap.obey();
      await inForce(id);
      const { state, running_hash, settings: said } = await ap.view('running');
      expect(state).toBe('in_sync');
      const networks = [{ ssid: 'x', 'a passphrase of h': true }];
      await ap.say(running_hash, { ...said, channel: 44, networks });
      const { settings: kept } = await ap.view('running');
      expect(kept).toEqual({ ...said, channel: 44, networks: [{ ssid: 'x', '***': true }] });
      await ok('POST', '/agents/h-b-4/config/adopt', { why: 'theirs' }, own);
      await untilSo(async () => expect((await ap.view('desired')).settings).toMatchObject({ channel: 44 }));
    });

    test('a draft may be sent back as it was read', async () => {
      const settings = { channel: 1 };
      const set = await draft([{ name: 'h put', selector: 'site:h/b/**', weight: 5, settings }], own);
      const { title, layers } = await ok('GET', `/config/change_sets/${set.id}`, undefined, own);
      const again = layers.map(({ id, name, selector, weight }: Body) => ({ id, name, selector, weight, settings }));
      await ok('PUT', `/config/change_sets/${set.id}`, { title, layers: again }, own);
    });

    test('hears of no site that it does not see, and has no digits lost', async () => {
      const variable = { name: 'x', value: 1 };
      for (const site of ['h/a', 'h/nowhere'])
        expect(await refusal('PUT', '/config/variables', { ...variable, site }, own)).toMatchObject({ status: 404 });
      const value = 12_345_678_901_234_567_000;
      expect(await refusal('PUT', '/config/variables', { name: 'x', value, site: 'h/b' }, own)).toMatchObject({
        status: 422,
      });
      const layer = { name: 'h digits', selector: 'site:h/b/**', weight: 5, settings: { networks: [{ n: value }] } };
      expect(await refusal('POST', '/config/change_sets', { title: 'x', layers: [layer] }, own)).toMatchObject({
        status: 422,
        detail: [expect.objectContaining({ loc: ['body', 'layers', 0, 'settings', 'networks'] })],
      });
    });
  });
});
