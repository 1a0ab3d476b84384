// Signing out: ends the session in Weft, so that its token is worth nothing any more, and then here.
import { call } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { showToast } from '../components/feedback/toasts.tsx';
import { formatMoment } from '../format/times.ts';
import { sessionText } from '../text/session.ts';
import { leaveSession, session, sessionToken } from './session.ts';

const patienceMs = 5000;

export async function signOut(): Promise<void> {
  if (sessionToken() !== undefined) {
    const { expiresAt } = session.peek()!;
    try {
      await call('end_token', {}, { signal: AbortSignal.timeout(patienceMs) });
    } catch (error) {
      // 401: it has ended already.
      if (!(error instanceof Failure) || error.status !== 401) {
        const detail = sessionText.notEndedWords(formatMoment(expiresAt));
        showToast({ kind: 'warning', title: sessionText.notEnded, detail });
      }
    }
  }
  leaveSession();
}
