// The guard before every route: who is calling, and may they. It runs before a byte of the body is read, so that
// nobody without a right can make Weft work.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../base/caller.ts';
import { AuthenticationError, adminExists, PermissionError } from '../../base/errors.ts';
import { readQuery, valuesOf } from '../../base/input/query-reader.ts';
import { isLoopback } from '../../base/loopback.ts';
import { type Permission, requirePermission } from '../../base/rights/permission.ts';
import { pathParameter, type Route, searchOf } from './route.ts';
import { isForwarded } from './setup-check.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    enrolmentToken: string | undefined;
    /** Why it is refused, for the log. */
    refusalCode: string | undefined;
    /** Set for a request with the callback token of this job: it may proceed, and has no caller. */
    callbackJob: string | undefined;
  }
  interface FastifyContextConfig {
    operation?: string;
    permission?: Permission;
    rawBody?: Route['rawBody'];
    logSuccess?: Route['logSuccess'];
  }
}

/** What the guard needs from the features that have callers. */
export interface Authenticator {
  authenticate(token: string): Caller | Promise<Caller>;
  /** The caller, if it is cached. */
  remembered(token: string): Caller | undefined;
  /** For `ap_id:password` in place of a token; failures count as failed logins from that address. */
  authenticateAgent(credentials: string, address: string): Caller | Promise<Caller>;
  /** For `app_name:api_key` in place of a token, in the same way. */
  authenticateApp(credentials: string, address: string): Caller | Promise<Caller>;
  /** Told of a caller that may not do this. */
  refused?(caller: Caller, operation: string, address: string): void;
  hasAdmin(): Promise<boolean>;
  isEnrolmentToken(token: string): boolean;
  requireEnrolment(token: string): Promise<void>;
  mayReadServiceMetrics(request: FastifyRequest): boolean;
  /** The number of the job whose callbacks the token opens; undefined for every other token. Default: no token does. */
  callbackJob?(token: string): string | undefined;
}

type GuardedRoute = Pick<
  Route,
  'operation' | 'permission' | 'target' | 'tokenInQuery' | 'takesAgentPassword' | 'takesAppKey'
>;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** A callback hook, not an async one: remembered callers pass without a promise. */
export function createGuard(route: GuardedRoute, authenticator: Authenticator): Hook {
  const { openTo } = route.permission;
  if (openTo === 'anyone') return (_request, _reply, done) => done();
  const admit = (request: FastifyRequest, caller: Caller | undefined): void => {
    try {
      requirePermission(route.permission, caller, targetOf(request, route.target));
    } catch (error) {
      if (caller && error instanceof PermissionError) authenticator.refused?.(caller, route.operation, request.ip);
      throw error;
    }
    request.caller = caller;
  };
  return (request, _reply, done) => {
    try {
      const password = secretOf(request, route);
      const token = password === undefined ? tokenOf(request, route.tokenInQuery, route.takesAgentPassword) : undefined;
      const special = passWithoutCaller(request, token);
      if (special) {
        special.then(() => done(), done);
        return;
      }
      const caller =
        password !== undefined
          ? authenticateSecret(password, request.ip)
          : token === undefined
            ? undefined
            : authenticator.authenticate(token);
      if (caller instanceof Promise) {
        caller.then((found) => admit(request, found)).then(() => done(), done);
        return;
      }
      admit(request, caller);
      done();
    } catch (error) {
      done(error as Error);
    }
  };

  function authenticateSecret(credentials: string, address: string): Caller | Promise<Caller> {
    if (route.takesAppKey) return authenticator.authenticateApp(credentials, address);
    return authenticator.authenticateAgent(credentials, address);
  }

  function passWithoutCaller(request: FastifyRequest, token: string | undefined): Promise<void> | undefined {
    if (openTo === 'metrics_network') {
      if (!authenticator.mayReadServiceMetrics(request)) throw new PermissionError();
      return Promise.resolve();
    }
    if (openTo === 'anyone_until_first_admin' && token === undefined) {
      return authenticator.hasAdmin().then((exists) => {
        if (exists) throw adminExists();
      });
    }
    if (openTo === 'enrolment_token' && token !== undefined && authenticator.isEnrolmentToken(token)) {
      request.enrolmentToken = token;
      return authenticator.requireEnrolment(token);
    }
    const callbackJob =
      openTo === 'callback_token' && token !== undefined ? authenticator.callbackJob?.(token) : undefined;
    if (callbackJob !== undefined) {
      const named = targetOf(request, route.target);
      if (named !== undefined && named !== callbackJob) throw new PermissionError();
      request.callbackJob = callbackJob;
      return Promise.resolve();
    }
    return undefined;
  }
}

/** The token that a request shows, or undefined; the header comes before the query. */
export function tokenOf(request: FastifyRequest, isInQuery = false, isOfInflux = false): string | undefined {
  const { authorization } = request.headers;
  // InfluxDB's own scheme, which carries any of our tokens as well as Bearer does.
  const isToken = isOfInflux && authorization?.slice(0, 6).toLowerCase() === 'token ';
  const token = bearerToken(isToken ? `Bearer ${authorization!.slice(6)}` : authorization);
  if (token !== undefined || !isInQuery) return token;
  const query = readQuery(searchOf(request));
  return (query.get('token') ?? query.get('access_token'))?.at(-1);
}

/** A name and a secret in place of a token, where the route takes them. */
function secretOf(request: FastifyRequest, { takesAgentPassword, takesAppKey }: GuardedRoute): string | undefined {
  const { authorization } = request.headers;
  if (takesAgentPassword) return authorization === undefined ? passwordInQuery(request) : agentPassword(authorization);
  return takesAppKey && authorization?.slice(0, 6).toLowerCase() === 'basic '
    ? agentPassword(authorization)
    : undefined;
}

/** `?u=&p=`, as clients of InfluxDB 1 send it: only where nobody on the way can read it. */
function passwordInQuery(request: FastifyRequest): string | undefined {
  const query = readQuery(searchOf(request));
  const [name, password] = [query.get('u')?.at(-1), query.get('p')?.at(-1)];
  if (name === undefined || password === undefined) return undefined;
  if (request.protocol === 'https' || (isLoopback(request.ip) && !isForwarded(request.headers))) {
    return `${name}:${password}`;
  }
  throw new AuthenticationError('password_in_clear', 'A password in the address is accepted over TLS only');
}

/** What stands in place of a token: the text of `Basic`, or of a `Token` with a colon, which no token of ours has. */
function agentPassword(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const scheme = header.slice(0, 6).toLowerCase();
  if (scheme === 'basic ') return Buffer.from(header.slice(6).trim(), 'base64').toString('utf8');
  return scheme === 'token ' && header.includes(':') ? header.slice(6).trim() : undefined;
}

/** Throws for a scheme other than Bearer, an empty token, or more than one. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') throw new AuthenticationError();
  const token = header.slice(7).trim();
  if (token === '' || token.includes(' ') || token.includes(',')) throw new AuthenticationError();
  return token;
}

function targetOf(request: FastifyRequest, target: string | undefined): string | undefined {
  if (target === undefined) return undefined;
  if (target.startsWith('?'))
    return valuesOf(readQuery(searchOf(request)), target.slice(1))
      ?.at(-1)
      ?.normalize('NFC');
  return pathParameter(request, target);
}
