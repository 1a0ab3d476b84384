// The SDK's App as this page uses it: always the origin the page came from, with the token of whoever is signed in. Pages
// show a failure at once and retry by themselves, so the App repeats no request; streams it keeps up on its own.
import { App } from '@weft/sdk/browser';
import { noteServerDate } from '../data/server-clock.ts';
import { expireSession, sessionToken } from '../session/session.ts';

export const weft = new App({
  // Tests of what imports this have no location.
  url: globalThis.location?.origin ?? '',
  token: sessionToken,
  onTokenRefused: expireSession,
  patienceMs: 0,
  backOff: { firstMs: 1000, longestMs: 15_000 },
  fetch: fetchFresh,
});

/** As fetch, past every cache. */
async function fetchFresh(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  const response = await fetch(input, { ...init, cache: 'no-store' });
  noteServerDate(response.headers.get('date'), sentAt, Date.now());
  return response;
}
