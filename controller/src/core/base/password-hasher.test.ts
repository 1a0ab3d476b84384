// Hashing of chosen passwords, and the queue in front of it.
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { TryLaterError } from './errors.ts';
import { PasswordHasher } from './password-hasher.ts';

const maxQueued = 512;
const maxRunning = Math.max(1, availableParallelism() - 1);
/** No hash at all: refused as soon as it is looked at, so that hundreds of checks cost nothing. */
const unreadable = 'no hash';

/** More checks at once than there is room for; `accepted` and `refused` count how they ended. */
async function flood(hasher: PasswordHasher, checks: number): Promise<{ accepted: number; refused: number }> {
  const outcomes = await Promise.allSettled(Array.from({ length: checks }, () => hasher.verify(unreadable, 'x')));
  const refused = outcomes.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason instanceof TryLaterError,
  ).length;
  return { accepted: checks - refused, refused };
}

describe('a password hasher', () => {
  const hasher = new PasswordHasher();

  it('makes salted argon2id hashes of the cost that OWASP recommends', async () => {
    const [first, second] = await Promise.all([hasher.hash('correct horse'), hasher.hash('correct horse')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
  });

  it('knows the right password and no other', async () => {
    const stored = await hasher.hash('correct horse');
    expect(await hasher.verify(stored, 'correct horse')).toBe(true);
    for (const wrong of ['correct horsf', 'correct horse ', 'Correct horse', '']) {
      expect(await hasher.verify(stored, wrong), wrong).toBe(false);
    }
  });

  it('tells passwords apart that agree in their first 72 bytes (C18)', async () => {
    const start = 'x'.repeat(72);
    expect(await hasher.verify(await hasher.hash(`${start}1`), `${start}2`)).toBe(false);
  });

  it('keeps NUL and emoji, and takes both spellings of an accent as one', async () => {
    const stored = await hasher.hash('a\0b 🐎 é');
    expect(await hasher.verify(stored, 'a\0b 🐎 e\u0301')).toBe(true);
    expect(await hasher.verify(stored, 'a')).toBe(false);
  });

  it('answers no for a name without a hash, even to the password behind the stand-in', async () => {
    expect(await hasher.verify(undefined, 'decoy')).toBe(false);
  });

  it('refuses with 429 and a time to wait what does not fit into its queue, and works on afterwards', async () => {
    const crowded = new PasswordHasher();
    const { accepted, refused } = await flood(crowded, maxRunning + maxQueued + 7);
    expect({ accepted, refused }).toEqual({ accepted: maxRunning + maxQueued, refused: 7 });
    expect(crowded.queued).toBe(0);
    expect(await crowded.verify(await crowded.hash('correct horse'), 'correct horse')).toBe(true);
  });

  it('says how many wait', async () => {
    const crowded = new PasswordHasher();
    const done = flood(crowded, maxRunning + 3);
    expect(crowded.queued).toBe(3);
    await done;
    expect(crowded.queued).toBe(0);
  });

  it('still answers for unknown names when its first check came while the queue was full', async () => {
    const crowded = new PasswordHasher();
    // Behind the first of them wait some that fail as soon as their turn comes.
    const hashes = Array.from({ length: maxRunning + maxQueued }, (_, index) =>
      crowded.hash(index < maxRunning ? 'x' : (undefined as never)),
    );
    const checks = await Promise.allSettled([crowded.verify(unreadable, 'x'), ...hashes]);
    expect(checks[0]).toMatchObject({ status: 'rejected', reason: { status: 429, code: 'too_many_logins' } });
    expect(await crowded.verify(undefined, 'x')).toBe(false);
  });
});
