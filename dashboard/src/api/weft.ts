// The SDK's App as this page uses it: always the origin the page came from, with the token of whoever is signed in. Pages
// show a failure at once and retry by themselves, so the App repeats no request; streams it keeps up on its own.
import { App } from '@weft/sdk/browser';
import { noteServerDate } from '../data/server-clock.ts';
import { expireSession, sessionToken } from '../session/session.ts';
import { KnownAnswers } from './known-answers.ts';

export const weft = new App({
  // Tests of what imports this have no location.
  url: globalThis.location?.origin ?? '',
  token: sessionToken,
  onTokenRefused: expireSession,
  patienceMs: 0,
  backOff: { firstMs: 1000, longestMs: 15_000 },
  fetch: fetchFresh,
});

const known = new KnownAnswers();

/** As fetch, past every cache; what this page knows already is not sent again. */
async function fetchFresh(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  const headers = new Headers(init?.headers);
  // Of one session: the next may be that of somebody else.
  const key = `${headers.get('authorization')} ${String(input)}`;
  const isRead = init?.method === 'GET';
  const etag = isRead ? known.etag(key) : undefined;
  if (etag !== undefined) headers.set('if-none-match', etag);
  const response = await fetch(input, { ...init, headers, cache: 'no-store' });
  noteServerDate(response.headers.get('date'), sentAt, Date.now());
  return isRead ? known.resolve(key, response) : response;
}

/** When a session ends. */
export function forgetAnswers(): void {
  known.clear();
}
