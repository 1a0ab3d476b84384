// Logins as security events. A refused one names its account only if there is one: what people type into the field of the
// name may be their password.
import type { LoginType } from '@weft/contract';
import type { SecurityLog } from '../audit/security-log.ts';
import { anonymous, type PrincipalSource } from '../caller.ts';
import type { LoginAttempt, LoginOutcome } from './login-failures.ts';

interface LoginNotesOptions {
  security: SecurityLog;
  principals: Record<LoginType, PrincipalSource>;
  onError: (error: unknown, message: string) => void;
}

/** Returns at once: what it has to look up must not delay an answer, or its time would tell which names exist. */
export function createLoginNotes({ security, principals, onError }: LoginNotesOptions) {
  const note = async ({ kind, username, address }: LoginAttempt, outcome: LoginOutcome) => {
    // Agents and apps log in every hour: once a day for each address tells enough.
    if (outcome === 'accepted_again' && kind !== 'user') return;
    const name = kind === 'user' ? username.trim().normalize('NFC').toLowerCase() : username;
    const caller = (await principals[kind].principal(name))?.caller;
    const target = { kind, name: caller?.name ?? 'unknown' };
    const isAccepted = outcome !== 'refused' && caller !== undefined;
    const action = isAccepted ? 'login' : 'login_refused';
    security.note({ actor: isAccepted ? caller : anonymous, action, target, address });
  };
  return (attempt: LoginAttempt, outcome: LoginOutcome): void => {
    note(attempt, outcome).catch((error) => onError(error, 'a login was not noted for the audit log'));
  };
}
