// From a name and a password to a session, and its end: how far Weft is set up, signing in, where to go then, renewing the token
// while the page is visible or shows notifications, and signing out.
import { signal } from '@preact/signals';
import { call, Failure, type Token, toFailure } from '../api/client.ts';
import { readSetup, type Setup } from '../api/service.ts';
import { showToast } from '../components/feedback.tsx';
import { formatMoment } from '../format.ts';
import { begin, leaveSession, replaceSession, type Session, session, sessionToken } from './session.ts';

const retryMs = 2000;

export const setup = signal<Setup | undefined>(undefined);
export const setupFailure = signal<Failure | undefined>(undefined);

let asking: Promise<void> | undefined;

/** Resolves once it has been answered, or has failed, once. */
export async function refreshSetup(): Promise<void> {
  try {
    setup.value = await readSetup();
    setupFailure.value = undefined;
  } catch (error) {
    setupFailure.value = toFailure(error);
  }
  if (setup.value === undefined || setup.value.has_admin === null) setTimeout(refreshSetup, retryMs);
}

/** For whoever is signed in: what few pages need of it is asked for there. */
export async function wantSetup(): Promise<void> {
  asking ??= refreshSetup();
  await asking;
}

/** Between two renewals at least, so that the last seconds of a session are not full of them. */
const minRenewMs = 10_000;

/** Rejects with Failure if the name or the password is not right. */
export async function signIn(username: string, password: string): Promise<void> {
  const token = await call('create_token', {
    query: { login_type: 'user' },
    form: { username, password },
  });
  begin(toSession(token, username.trim().toLowerCase()));
}

/** The session that this token gives; `username` if the token does not say. */
export function toSession({ access_token, expires_in }: Token, username: string, now = Date.now()): Session {
  const claims = claimsOf(access_token);
  return {
    token: access_token,
    username: claims.sub ?? username,
    isAdmin: (claims.roles ?? []).includes('admin'),
    expiresAt: now + expires_in * 1000,
    renewAt: now + Math.max(minRenewMs, expires_in * 500),
  };
}

/** What the token says about its owner, to choose what to show; the server decides for itself. */
function claimsOf(token: string): { sub?: string; roles?: string[] } {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}

const renewalRetryMs = 10_000;
/** A timer of more than 24.8 days would fire at once. */
const longestMs = 2_000_000_000;

/** Whether the session is used also while nobody looks at the page. */
let isKeptInBackground = () => false;
let timer: ReturnType<typeof setTimeout> | undefined;

export function startRenewal(isKept: () => boolean): void {
  isKeptInBackground = isKept;
  session.subscribe((current) => plan(current?.renewAt));
  document.addEventListener('visibilitychange', () => plan(session.peek()?.renewAt));
}

function plan(atMs: number | undefined): void {
  clearTimeout(timer);
  if (atMs === undefined || (document.hidden && !isKeptInBackground())) return;
  timer = setTimeout(renew, Math.min(Math.max(0, atMs - Date.now()), longestMs));
}

async function renew(): Promise<void> {
  const old = session.peek();
  if (!old || old.expiresAt <= Date.now()) return;
  try {
    const token = await call('renew_token');
    // Meanwhile somebody may have signed out, or another tab may have renewed it.
    if (isStill(old)) replaceSession(toSession(token, old.username));
  } catch {
    // Until it expires there is time to try again.
    if (isStill(old)) plan(Date.now() + renewalRetryMs);
  }
}

function isStill({ token }: Session): boolean {
  return session.peek()?.token === token;
}

const patienceMs = 5000;

export async function signOut(): Promise<void> {
  if (sessionToken() !== undefined) {
    const { expiresAt } = session.peek()!;
    try {
      await call('end_token', {}, { signal: AbortSignal.timeout(patienceMs) });
    } catch (error) {
      // 401: it has ended already.
      if (!(error instanceof Failure) || error.status !== 401) {
        const detail = `It expires by itself: ${formatMoment(expiresAt)}. To end it earlier, sign in again and open Settings.`;
        showToast({ kind: 'warning', title: 'You are signed out here, but Weft did not end your session', detail });
      }
    }
  }
  leaveSession();
}

export function safeNextPath(wish: string | null | undefined, isOurs: (path: string) => boolean): string {
  if (!wish || !/^\/(?![/\\])/.test(wish)) return '/';
  try {
    const base = 'http://weft.invalid';
    const { origin, pathname, search, hash } = new URL(wish, base);
    return origin === base && isOurs(pathname) ? pathname + search + hash : '/';
  } catch {
    return '/';
  }
}
