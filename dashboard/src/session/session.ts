// Who is signed in. The token lives in this tab's session storage and nowhere else; other tabs of the same browser are
// told of a sign-out and of a new token, and a new tab may ask an old one to share.
import { computed, signal } from '@preact/signals';
import { parseObject } from '@weft/contract/is-object';
import { forget, keep, readKept } from '../data/kept.ts';

const storageKey = 'weft.session';

export interface Session {
  token: string;
  username: string;
  isAdmin: boolean;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** From when on the token should be replaced by a new one. Milliseconds since 1970. */
  renewAt: number;
}

type TabMessage =
  | { kind: 'signed_out'; username: string }
  | { kind: 'who_is_signed_in' }
  | { kind: 'session'; session: Session }
  | { kind: 'renewed'; oldToken: string; session: Session };

export type SignedOutBecause = 'chosen' | 'elsewhere';

export const session = signal<Session | undefined>(undefined);
/** True while the session has run out: the page stays, a dialog asks to sign in again. */
export const isExpired = signal(false);
export const signedOutBecause = signal<SignedOutBecause | undefined>(undefined);
export const isSignedIn = computed(() => session.value !== undefined && !isExpired.value);

/** Undefined in a browser that keeps its tabs apart: each then has a session of its own. */
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('weft-session') : undefined;
let expiryTimer: ReturnType<typeof setTimeout> | undefined;

export function sessionToken(): string | undefined {
  return isExpired.peek() ? undefined : session.peek()?.token;
}

/** Takes up what this tab had before a reload, or what another tab shares within a moment. */
export async function restoreSession(patienceMs = 120): Promise<void> {
  tabs?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => hearTab(data));
  const own = readStored();
  if (own) return begin(own);
  tabs?.postMessage({ kind: 'who_is_signed_in' } satisfies TabMessage);
  await new Promise<void>((resolve) => {
    const stop = session.subscribe((value) => value && resolve());
    setTimeout(() => {
      stop();
      resolve();
    }, patienceMs);
  });
}

export function begin(next: Session): void {
  keep('tab', storageKey, JSON.stringify(next));
  session.value = next;
  isExpired.value = false;
  signedOutBecause.value = undefined;
  clearTimeout(expiryTimer);
  // A timer of more than 24.8 days would fire at once.
  const leftMs = Math.min(Math.max(0, next.expiresAt - Date.now()), 2_000_000_000);
  expiryTimer = setTimeout(() => expireSession(next.token), leftMs);
}

/** A new token of the same session, here and in the other tabs that share it. */
export function replaceSession(next: Session): void {
  const oldToken = session.peek()?.token;
  begin(next);
  if (oldToken !== undefined) tabs?.postMessage({ kind: 'renewed', oldToken, session: next } satisfies TabMessage);
}

/** Nothing happens if another token has taken its place meanwhile. */
export function expireSession(token: string): void {
  if (session.peek()?.token !== token) return;
  forget('tab', storageKey);
  isExpired.value = true;
}

/** Here and in the other tabs; the token itself stays valid (see sign-out.ts). */
export function leaveSession(): void {
  const username = session.peek()?.username;
  end('chosen');
  if (username !== undefined) tabs?.postMessage({ kind: 'signed_out', username } satisfies TabMessage);
}

function end(because: SignedOutBecause): void {
  clearTimeout(expiryTimer);
  forget('tab', storageKey);
  session.value = undefined;
  isExpired.value = false;
  signedOutBecause.value = because;
}

function hearTab(message: TabMessage): void {
  const own = session.peek();
  if (message.kind === 'signed_out' && own?.username === message.username) end('elsewhere');
  else if (message.kind === 'who_is_signed_in' && own && !isExpired.peek()) {
    tabs?.postMessage({ kind: 'session', session: own } satisfies TabMessage);
  } else if (message.kind === 'session' && !own && signedOutBecause.peek() === undefined) begin(message.session);
  else if (message.kind === 'renewed' && own?.token === message.oldToken) begin(message.session);
}

function readStored(): Session | undefined {
  const stored = parseObject(readKept('tab', storageKey) ?? '') as Session | undefined;
  return stored && stored.expiresAt > Date.now() ? stored : undefined;
}
