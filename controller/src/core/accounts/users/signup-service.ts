// Sign-up: people create an account for themselves. Where strangers can reach Weft it works once an administrator has
// approved it.
import type { TokenData, WaitingUser } from '@weft/contract';
import { nameKey } from '@weft/contract/ap-id';
import { type Actor, anonymous } from '../../base/caller.ts';
import { ConflictError, notFound, orNotFound, PermissionError, TryLaterError } from '../../base/errors.ts';
import type { AuditService } from '../audit/audit-service.ts';
import { userEntry } from './user-entries.ts';
import type { UserRecord } from './user-record.ts';
import { type NewUser, normalizeUsername, toTokenData, type UserService } from './user-service.ts';
import type { UserStore } from './user-store.ts';

export interface SignupServiceOptions {
  users: UserService;
  store: UserStore;
  audit: AuditService;
  signup: 'open' | 'approve' | 'closed';
  maxWaiting: number;
}

export class SignupService {
  readonly #options: SignupServiceOptions;

  constructor(options: SignupServiceOptions) {
    this.#options = options;
  }

  /** Throws PermissionError while sign-up is closed. */
  async requireOpen(): Promise<void> {
    const { users, signup } = this.#options;
    if (signup === 'closed') {
      throw new PermissionError('signup_closed', 'Sign-up is closed; ask an administrator for an account');
    }
    if (!(await users.hasAdmin())) {
      throw new PermissionError('no_administrator', 'Sign-up opens once the first administrator has been created');
    }
  }

  async signUp(input: Omit<NewUser, 'roles'>): Promise<TokenData> {
    const { users, store, signup, maxWaiting } = this.#options;
    await this.requireOpen();
    const user = { ...input, roles: ['user'] };
    if (signup === 'open') {
      await this.#refuseLookAlike(normalizeUsername(input.username));
      return users.register(user, anonymous, 'user_signed_up', null);
    }
    if ((await store.countWaiting()) >= maxWaiting) {
      throw new TryLaterError(
        429,
        'too_many_waiting_users',
        `At most ${maxWaiting} accounts may wait for approval; ask an administrator`,
        3600,
      );
    }
    try {
      return await users.register(user, anonymous, 'user_signed_up', Date.now());
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // As for a new name: strangers do not learn who has an account.
      return { username: normalizeUsername(input.username), roles: 'user', scopes: [] };
    }
  }

  /** Where nobody looks at a name before it works. Plain letters and digits are what they are: `user1` is not `userl`. */
  async #refuseLookAlike(username: string): Promise<void> {
    if (/^[\x20-\x7e]*$/.test(username)) return;
    const shape = shapeOf(username);
    const known = await this.#options.store.list();
    if (!known.some((other) => other.username !== username && shapeOf(other.username) === shape)) return;
    throw new ConflictError('user_exists', 'A user with a name that looks like this one exists');
  }

  /** Those that wait longest first. */
  async listWaiting(): Promise<WaitingUser[]> {
    const { store } = this.#options;
    const waiting = await store.listWaiting();
    const alike = Map.groupBy(waiting.length === 0 ? [] : await store.list(), ({ username }) => shapeOf(username));
    return waiting.map(({ username, waiting_since }) => {
      const other = alike.get(shapeOf(username))?.find((each) => each.username !== username);
      const since = new Date(waiting_since!).toISOString();
      return { username, waiting_since: since, ...(other && { looks_like: other.username }) };
    });
  }

  /** The account works from now on; one that does already is not changed. */
  async approve(username: string, by: Actor): Promise<TokenData> {
    const { store, audit } = this.#options;
    const also = audit.entry<UserRecord>(({ after }) => userEntry(by, after!, 'user_approved'));
    return toTokenData(orNotFound(await store.approve(normalizeUsername(username), also), 'User'));
  }

  /** Deletes the account. Throws ConflictError if it does not wait. */
  async refuse(username: string, by: Actor): Promise<void> {
    const { store, audit } = this.#options;
    const name = normalizeUsername(username);
    const also = audit.entry<UserRecord>(({ before }) => userEntry(by, before!, 'user_refused'));
    if (await store.removeWaiting(name, also)) return;
    if (!(await store.get(name))) throw notFound('User');
    throw new ConflictError(
      'user_not_waiting',
      'This account does not wait for approval; disable or delete it instead',
    );
  }
}

/** Letters of other scripts, and digits, that look like these Latin letters. */
const lookAlikes = 'а ɑ α a,е ҽ e,о ο σ 0 o,р ρ p,с ϲ c,у γ y,х χ x,і ι 1 l i,ј j,ѕ s,ԁ d,һ h,к κ k,м m,т τ t,ν v,ո n';
const latin = new Map(
  lookAlikes.split(',').flatMap((row) => {
    const letters = row.split(' ');
    return letters.map((letter) => [letter, letters.at(-1)!] as const);
  }),
);

/** The same for names that people take for one another. */
function shapeOf(username: string): string {
  return Array.from(nameKey(username).normalize('NFD'), (letter) => latin.get(letter) ?? letter)
    .filter((letter) => !/\p{M}/u.test(letter))
    .join('');
}
