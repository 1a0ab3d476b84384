// One read of the revision of a kind stands for reads of all its records, and no token outlives a change by it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { Principal, PrincipalSource } from '../../base/caller.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { AuthService } from './auth-service.ts';
import { RecordRevision } from './record-revision.ts';

/** Agents in memory, as another node would change them too. */
class Agents implements PrincipalSource {
  readonly #vers = new Map<string, string>();
  #revision = 1;
  reads = 0;

  change(name: string, ver: string | undefined): void {
    this.#revision++;
    if (ver === undefined) this.#vers.delete(name);
    else this.#vers.set(name, ver);
  }

  verOf(name: string): string | undefined {
    return this.#vers.get(name);
  }

  async revision(): Promise<number> {
    return this.#revision;
  }

  async principal(name: string): Promise<Principal | undefined> {
    this.reads++;
    const ver = this.#vers.get(name);
    return ver === undefined ? undefined : principalOf(name, ver);
  }

  async present() {
    return [];
  }

  async authenticate() {
    return undefined;
  }
}

function principalOf(name: string, ver: string): Principal {
  return { caller: { kind: 'agent', id: name, name, ver }, ver };
}

/** `freshMs` 0: whatever another node has changed holds at once. */
function startAuth(freshMs: number) {
  const agents = new Agents();
  const nobody: PrincipalSource = {
    principal: async () => undefined,
    present: async () => [],
    authenticate: async () => undefined,
  };
  const auth = new AuthService({
    sources: { agent: agents, user: nobody, third_party_app: nobody },
    sessions: { head: async () => ({ revision: 0, forgotten: 0 }), listEnded: async () => [] },
    keyring: new Keyring(generateSecret()),
    tokenTtlSeconds: 3600,
    freshMs,
    now: Date.now,
  });
  const tokenOf = async (name: string, ver: string) =>
    (await auth.issue(principalOf(name, ver), { session: `${name}-${ver}` })).token.access_token;
  const isAdmitted = async (token: string) => {
    try {
      await auth.read(token)!.admit();
      return true;
    } catch {
      return false;
    }
  };
  return { agents, auth, tokenOf, isAdmitted };
}

describe('Records with a revision', () => {
  it('are read again only if one of them has changed', async () => {
    const { agents, tokenOf, isAdmitted } = startAuth(0);
    for (const name of ['a', 'b']) agents.change(name, '1');
    const tokens = [await tokenOf('a', '1'), await tokenOf('b', '1')];
    for (let round = 0; round < 5; round++) for (const token of tokens) expect(await isAdmitted(token)).toBe(true);
    expect(agents.reads).toBe(2);
    agents.change('b', '2');
    expect(await isAdmitted(tokens[0]!)).toBe(true);
    expect(await isAdmitted(tokens[1]!)).toBe(false);
    expect(agents.reads).toBe(4);
  });

  it('decide about every token as they are now, whoever changes them', async () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b'), ver: fc.constantFrom('1', '2', undefined) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { agents, tokenOf, isAdmitted } = startAuth(0);
        const all = await Promise.all(
          ['a', 'b'].flatMap((name) => ['1', '2'].map(async (ver) => ({ name, ver, token: await tokenOf(name, ver) }))),
        );
        for (const { name, ver } of steps) {
          agents.change(name, ver);
          for (const each of all) expect(await isAdmitted(each.token)).toBe(agents.verOf(each.name) === each.ver);
        }
      }),
      { numRuns: rounds(25) },
    );
  });

  it('are asked about once for callers at the same time, and again after a change elsewhere', async () => {
    let [reads, revision] = [0, 1];
    let answer = () => {};
    const records = new RecordRevision(async () => {
      reads++;
      const before = revision;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return before;
    }, 60_000);
    const early = [records.current(), records.current()];
    expect(reads).toBe(1);
    revision = 2;
    records.forget();
    answer();
    expect(await Promise.all(early)).toEqual([1, 1]);
    expect(records.known(performance.now())).toBeUndefined();
    const late = records.current();
    answer();
    expect(await late).toBe(2);
    expect(records.known(performance.now())).toBe(2);
  });
});
