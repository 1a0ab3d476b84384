// Ways to log in: a list that parts add theirs to. Every entrance asks all of it (http/request/credentials.ts reads
// requests).
import type { Caller } from './caller.ts';
import { AuthenticationError } from './errors.ts';
import { type Permission, requirePermission } from './rights/permission.ts';

export interface CredentialScheme {
  /** Of what it reads: of a token, wherever it stands, or of a name and a secret, with a colon between them. */
  readonly form: 'bearer' | 'basic';
  /** Only on routes that say so. Default: wherever callers are let in. */
  readonly only?: Permission['openTo'] | 'agent_password' | 'app_key';
  /** Undefined for a text of another scheme, which it tells by the look of it: nothing is looked up yet. */
  read(text: string, address: string): Shown | undefined;
}

/** What a request has shown. Sockets and streams keep it and ask again while they are open. */
export interface Shown {
  readonly scheme: string;
  /** Throws AuthenticationError once it has ended. No promise if all is in memory: this runs for every request. */
  admit(): Admitted | Promise<Admitted>;
  /** The caller, if all that `admit` would ask is in memory; else undefined. */
  remembered(): Caller | undefined;
  /** The session that it belongs to, if it is of one; known once it was let in. */
  readonly session?: SessionClaims | undefined;
}

export interface SessionClaims {
  /** Its id. */
  session: string;
  /** Of the caller's record when the token was issued. */
  ver: string;
  /** When the token ends; the session may be renewed. */
  expiresAtMs: number;
}

/** No caller, but leave to do one thing: about the job of that number, or with that enrolment token. */
export interface Pass {
  kind: 'job' | 'enrolment_token';
  name: string;
}

export type Admitted = Caller | Pass;

export function isPass(admitted: Admitted): admitted is Pass {
  return admitted.kind === 'job' || admitted.kind === 'enrolment_token';
}

/** The present caller, with the permission: for what stays open, and is asked about again and again. */
export function authorize(shown: Shown, permission: Permission): Caller | Promise<Caller> {
  const permitted = (admitted: Admitted): Caller => {
    if (isPass(admitted)) throw new AuthenticationError();
    requirePermission(permission, admitted);
    return admitted;
  };
  const admitted = shown.admit();
  return admitted instanceof Promise ? admitted.then(permitted) : permitted(admitted);
}
