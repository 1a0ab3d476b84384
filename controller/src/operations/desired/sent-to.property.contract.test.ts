// Beside what may be seen by whom: what may be sent to whom. In random stories of callers, grants, sites, secrets, variables, layers,
// drafts, roll-outs and access points, all that an access point is given was allowed by whoever owns it.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

type Body = Record<string, unknown>;
const callers = ['admin', 'one', 'two', 'app'] as const;
type Who = (typeof callers)[number];

let weft: TestWeft;
const tokens = {} as Record<Who, string>;
beforeAll(async () => {
  weft = await startWeft({});
  tokens.admin = await weft.admin();
  for (const name of ['one', 'two'] as const) tokens[name] = await weft.user(`${name}@weft.test`);
});
afterAll(() => weft.stop());

async function ask(who: Who | { token: string }, method: string, path: string, json?: unknown) {
  const token = typeof who === 'string' ? tokens[who] : who.token;
  const { status, body } = await weft.request(method, `/api/v1${path}`, { token, ...(json !== undefined && { json }) });
  expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(500);
  return { status, body };
}

/** Most may do something. */
const who = fc.oneof(fc.constant('admin' as const), fc.constantFrom(...callers));
const name = fc.constantFrom('p', 'q');
const site = fc.constantFrom('', '/a', '/a/x', '/b');
const ap = fc.constantFrom(0, 1, 2);
/** Undefined: the installation. */
const place = fc.oneof(fc.constant(undefined), site, ap);
/** The sites whose access points, with those below, a caller is granted. */
const granted = fc.uniqueArray(site, { minLength: 1, maxLength: 2 });
const settings = fc.oneof(
  name.map((secret) => ({ passphrase: { secret } })),
  name.map((secret) => ({ networks: [{ ssid: 'x', passphrase: { secret } }] })),
  name.map((secret) => ({ passphrase: { secret }, channel: '${v}' })),
  fc.constant({ channel: '${v}' }),
  fc.constant({ channel: 36 }),
);
const step = fc.oneof(
  fc.record({ what: fc.constant('secret' as const), who, name, place }),
  fc.record({ what: fc.constant('share' as const), who, name, place }),
  fc.record({ what: fc.constant('remove' as const), who, name, place }),
  fc.record({ what: fc.constant('variable' as const), who, place }),
  fc.record({ what: fc.constant('layer' as const), who, by: who, at: fc.nat(9), site, settings, weight: fc.nat(3) }),
  fc.record({ what: fc.constant('layer' as const), who, by: who, at: fc.nat(9), site, settings, weight: fc.nat(3) }),
  fc.record({ what: fc.constant('back' as const), who, at: fc.nat(3) }),
  fc.record({ what: fc.constant('move' as const), ap, site }),
  fc.record({ what: fc.constant('grant' as const), who: fc.constantFrom('one' as const, 'two' as const), granted }),
  fc.record({ what: fc.constant('adopt' as const), ap, name, version: fc.integer({ min: 1, max: 4 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** All that is true of one story, and nothing that Weft says: sites are told by what follows their first step. */
class Story {
  readonly #root: string;
  readonly #aps: { ap_id: string; token: string; site: string }[] = [];
  readonly #grants: Record<Who, readonly (string | undefined)[]> = {
    admin: [undefined],
    one: [],
    two: [],
    app: ['/a'],
  };
  readonly #shared = new Set<string>();
  /** Every name that was ever brought into force: for whom, and what those manage who brought it. */
  readonly #brought: { name: string; site: string; by: (readonly (string | undefined)[])[] }[] = [];
  readonly #layers: string[] = [];
  readonly #rollouts: string[] = [];
  #count = 0;
  given = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async begin(): Promise<void> {
    for (const path of ['', '/a', '/a/x', '/b']) await ask('admin', 'POST', '/sites', { path: this.#root + path });
    tokens.app = await weft.app(`${this.#root}-app`, { config: 'roll_out', selector: `site:${this.#root}/a/**` });
    for (const [at, path] of ['/a', '/a/x', '/b'].entries()) {
      const ap_id = `${this.#root}-${at}`;
      const declared = { settings: { passphrase: {}, networks: {}, channel: {} } };
      this.#aps.push({ ap_id, token: await weft.agent(ap_id, declared), site: path });
      await ask('admin', 'PATCH', `/agents/${ap_id}/labels`, { site: this.#root + path });
    }
    await this.#grant('one', ['/a']);
    await this.#grant('two', ['/b']);
    for (const [at, name] of [
      [undefined, 'p'],
      ['', 'q'],
      ['/a', 'p'],
      ['/b', 'p'],
      [1, 'q'],
    ] as const)
      await this.do({ what: 'secret', who: 'admin', name, place: at });
    await this.do({ what: 'variable', who: 'admin', place: '' });
  }

  async do(given: Step): Promise<void> {
    switch (given.what) {
      case 'secret':
      case 'share': {
        const key = `${this.#key(given.place)} ${given.name}`;
        // The value says whose it is.
        const change = given.what === 'share' ? { shared: true } : { value: `${key} ${++this.#count}` };
        const json = { ...this.#at(given.place), name: this.#named(given.name), ...change };
        const { status } = await ask(given.who, 'PUT', '/config/secrets', json);
        if (given.what === 'share' && status === 200) this.#shared.add(key);
        return;
      }
      case 'remove': {
        const query = new URLSearchParams(this.#at(given.place));
        await ask(given.who, 'DELETE', `/config/secrets/${this.#named(given.name)}?${query}`);
        return;
      }
      case 'variable': {
        const isAllowed = this.#covers(this.#grants[given.who], given.place);
        const json = { ...this.#at(given.place), name: 'v', value: `${isAllowed} ${this.#key(given.place)}` };
        await ask(given.who, 'PUT', '/config/variables', json);
        return;
      }
      case 'layer':
        return this.#layer(given);
      case 'back': {
        const id = this.#rollouts.at(-1 - given.at);
        if (id !== undefined) await ask(given.who, 'POST', `/rollouts/${id}/revert`);
        return;
      }
      case 'move': {
        const moved = this.#aps[given.ap]!;
        const { status } = await ask('admin', 'PATCH', `/agents/${moved.ap_id}/labels`, {
          site: this.#root + given.site,
        });
        if (status === 200) moved.site = given.site;
        return;
      }
      case 'grant':
        return this.#grant(given.who, given.granted);
      case 'adopt': {
        const said = this.#aps[given.ap]!;
        const reference = { secret: this.#named(given.name), version: given.version };
        const running = { hash: null, settings: { passphrase: reference, channel: reference } };
        await ask(said, 'POST', `/agents/${said.ap_id}/config/running`, running);
        await ask('admin', 'POST', `/agents/${said.ap_id}/config/adopt`, { why: 'so' });
        return;
      }
    }
  }

  async #layer({ who: writer, by, at, site: path, settings: own, weight }: Extract<Step, { what: 'layer' }>) {
    // Most change a layer that is there.
    const id = this.#layers[at];
    const text = JSON.stringify(own).replace(/"secret":"(.)"/g, (_, each) => `"secret":"${this.#named(each)}"`);
    const layer = {
      ...(id && { id }),
      name: 'x',
      selector: `site:${this.#root}${path}/**`,
      weight,
      settings: JSON.parse(text),
    };
    const set = await ask(writer, 'POST', '/config/change_sets', { title: this.#root, layers: [layer] });
    if (set.status !== 200) return;
    const names = [...JSON.stringify(own).matchAll(/"secret":"(.)"/g)].map(([, each]) => each!);
    const rights = [this.#grants[writer], this.#grants[by]];
    // Somebody who may not see the draft starts nothing.
    const started = await ask(by, 'POST', `/config/change_sets/${set.body.id}/rollout`, {});
    if (started.status !== 200) {
      await ask('admin', 'DELETE', `/config/change_sets/${set.body.id}`);
      return;
    }
    if (id === undefined) this.#layers.push(set.body.layers[0].id);
    this.#rollouts.push(started.body.id);
    for (const each of names) this.#brought.push({ name: each, site: path, by: rights });
  }

  /** Everybody takes what waits for them, and what they are given is looked at. */
  async look(): Promise<void> {
    const { reconciler, driver } = weft.parts.desired.desired;
    for (let times = 0; times < 2; times++) {
      await driver.goOn();
      await reconciler.reconcile();
    }
    for (const each of this.#aps) {
      const { body } = await ask(each, 'GET', `/agents/${each.ap_id}/config/next`);
      if (body.next?.type !== 'config') continue;
      const { id, hash, settings: sent } = body.next;
      this.#expectAllowed(each, sent);
      await ask(each, 'POST', `/agents/${each.ap_id}/config/${id}/result`, { hash, state: 'applied' });
      for (let times = 0; times < 2; times++)
        await ask(each, 'POST', `/agents/${each.ap_id}/config/running`, { hash, settings: sent });
    }
    await driver.goOn();
  }

  #expectAllowed(to: { ap_id: string; site: string }, sent: Body): void {
    const values = [...JSON.stringify(sent).matchAll(/"value":"(\S*) (\S) \d+"/g)];
    for (const [, target = '', secret] of values) {
      const from = target === '*' ? undefined : target.startsWith('#') ? Number(target.slice(1)) : target;
      const isAbout = this.#isAbout(to, from);
      const isShared = this.#shared.has(`${target} ${secret}`);
      const isNamed = this.#brought.some(
        (each) =>
          each.name === secret && this.#isAbout(to, each.site) && each.by.every((rights) => this.#covers(rights, from)),
      );
      expect({ to, target, secret, isAbout, mayName: isShared || isNamed }).toMatchObject({
        isAbout: true,
        mayName: true,
      });
      this.given++;
    }
    if (typeof sent.channel !== 'string') return;
    const [isAllowed, target = ''] = sent.channel.split(' ');
    const from = target.startsWith('#') ? Number(target.slice(1)) : target;
    expect({ to, target, isAllowed, isAbout: this.#isAbout(to, from) }).toMatchObject({
      isAllowed: 'true',
      isAbout: true,
    });
    this.given++;
  }

  #isAbout(to: { ap_id: string; site: string }, from: string | number | undefined): boolean {
    if (from === undefined) return true;
    return typeof from === 'number' ? this.#aps[from]!.ap_id === to.ap_id : isBelow(to.site, from);
  }

  /** Whether who was granted these sites manages all of it. */
  #covers(rights: readonly (string | undefined)[], of: string | number | undefined): boolean {
    const where = typeof of === 'number' ? this.#aps[of]!.site : of;
    return rights.some((each) => each === undefined || (where !== undefined && isBelow(where, each)));
  }

  async #grant(to: 'one' | 'two', paths: readonly string[]): Promise<void> {
    const grants = paths.map((path) => ({ role: 'manager', selector: `site:${this.#root}${path}/**` }));
    await ask('admin', 'PUT', `/users/${to}@weft.test/grants`, grants);
    this.#grants[to] = paths;
  }

  #named(each: string): string {
    return `${this.#root}-${each}`;
  }

  #key(at: string | number | undefined): string {
    return at === undefined ? '*' : typeof at === 'number' ? `#${at}` : at;
  }

  #at(at: string | number | undefined): Record<string, string> {
    if (at === undefined) return {};
    return typeof at === 'number' ? { ap_id: this.#aps[at]!.ap_id } : { site: this.#root + at };
  }
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

test('whatever reaches an access point was allowed by whoever owns it', async () => {
  let stories = 0;
  let given = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
      const story = new Story(`w${++stories}`);
      await story.begin();
      for (const each of steps) {
        await story.do(each);
        await story.look();
      }
      given += story.given;
    }),
    { numRuns: rounds(40, 8), endOnFailure: true },
  );
  expect(given).toBeGreaterThan(stories);
});
