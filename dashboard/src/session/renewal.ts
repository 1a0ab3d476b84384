// Keeps a session that is in use: while the page is visible, or shows notifications, its token is replaced by a new one before it expires, for as
// long as Weft allows it.
import { call } from '../api/client.ts';
import { replaceSession, type Session, session } from './session.ts';
import { toSession } from './sign-in.ts';

const retryMs = 10_000;
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
    if (isStill(old)) plan(Date.now() + retryMs);
  }
}

function isStill({ token }: Session): boolean {
  return session.peek()?.token === token;
}
