// The guard before every route: who is calling, and may they. It runs before a byte of the body is read, so that
// nobody without a right can make Weft work.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../base/caller.ts';
import { type Admitted, type CredentialScheme, isPass, type Pass, type Shown } from '../../base/credential.ts';
import { adminExists, PermissionError } from '../../base/errors.ts';
import { readQuery, valuesOf } from '../../base/input/query-reader.ts';
import { type Permission, requirePermission } from '../../base/rights/permission.ts';
import { CredentialReader, type CredentialRoute } from './credentials.ts';
import { pathParameter, type Route, searchOf } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the guard has asked, for what stays open, and for the session that it belongs to. */
    shown: Shown | undefined;
    caller: Caller | undefined;
    /** In place of a caller. */
    pass: Pass | undefined;
    /** Why it is refused, for the log. */
    refusalCode: string | undefined;
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
  /** The ways to log in. */
  schemes: readonly CredentialScheme[];
  /** Told of a caller that may not do this. */
  refused?(caller: Caller, operation: string, address: string): void;
  hasAdmin(): Promise<boolean>;
  mayReadServiceMetrics(request: FastifyRequest): boolean;
}

type GuardedRoute = Pick<Route, 'operation' | 'target'> & CredentialRoute;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** A callback hook, not an async one: remembered callers pass without a promise. */
export function createGuard(route: GuardedRoute, authenticator: Authenticator): Hook {
  const { openTo } = route.permission;
  if (openTo === 'anyone') return (_request, _reply, done) => done();
  const reader = new CredentialReader(route, authenticator.schemes);
  const admit = (request: FastifyRequest, admitted: Admitted | undefined): void => {
    if (admitted && isPass(admitted)) {
      const named = targetOf(request, route.target);
      if (named !== undefined && named !== admitted.name) throw new PermissionError();
      request.pass = admitted;
      return;
    }
    try {
      requirePermission(route.permission, admitted, targetOf(request, route.target));
    } catch (error) {
      if (admitted && error instanceof PermissionError) authenticator.refused?.(admitted, route.operation, request.ip);
      throw error;
    }
    request.caller = admitted;
  };
  return (request, _reply, done) => {
    try {
      const shown = reader.read(request);
      request.shown = shown;
      if (openTo === 'metrics_network') {
        if (!authenticator.mayReadServiceMetrics(request)) throw new PermissionError();
        done();
        return;
      }
      if (openTo === 'anyone_until_first_admin' && !shown) {
        requireNoAdmin(authenticator).then(() => done(), done);
        return;
      }
      const admitted = shown?.admit();
      if (admitted instanceof Promise) {
        admitted.then((found) => admit(request, found)).then(() => done(), done);
        return;
      }
      admit(request, admitted);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

async function requireNoAdmin({ hasAdmin }: Authenticator): Promise<void> {
  if (await hasAdmin()) throw adminExists();
}

function targetOf(request: FastifyRequest, target: string | undefined): string | undefined {
  if (target === undefined) return undefined;
  if (target.startsWith('?'))
    return valuesOf(readQuery(searchOf(request)), target.slice(1))
      ?.at(-1)
      ?.normalize('NFC');
  return pathParameter(request, target);
}
