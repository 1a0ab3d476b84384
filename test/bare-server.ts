// The HTTP server of Weft without its features: one route of the fast lane, and callers of the test's own choice.

import * as Type from '../contract/src/core/schema/schema.ts';
import type { Caller } from '../controller/src/core/base/caller.ts';
import { createFormats } from '../controller/src/core/base/input/formats.ts';
import { Validator } from '../controller/src/core/base/input/validator.ts';
import { everyone } from '../controller/src/core/base/rights/permission.ts';
import { Shares } from '../controller/src/core/base/shares/shares.ts';
import { ServiceMetrics } from '../controller/src/core/http/pages/service-metrics.ts';
import { createLogger } from '../controller/src/core/http/request/log.ts';
import type { Route } from '../controller/src/core/http/request/route.ts';
import { createServer, type ServerOptions } from '../controller/src/core/http/server/server.ts';
import { schemeOf, shownBy } from './pure/shown.ts';

export const agent = { kind: 'agent', id: '1', name: 'ap-1' } as unknown as Caller;

export const agentsOnly = { admin: 'no', user: 'no', agent: 'yes', third_party_app: 'no' } as const;

/** A post that answers with its body. */
export const echo: Route = {
  operation: 'agent_update',
  permission: agentsOnly,
  method: 'POST',
  url: '/api/v1/agent_update/update',
  tag: 'Telemetry',
  summary: 'Echo',
  body: Type.Unknown(),
  fastLane: true,
  response: Type.Unknown(),
  handle: async ({ body }) => ({ body }),
};

interface BareOptions extends Partial<ServerOptions> {
  authenticate?: (token: string) => Caller | Promise<Caller>;
  remembered?: (token: string) => Caller | undefined;
}

/** Not listening yet. */
export function createBareServer({
  authenticate = async () => agent,
  remembered = () => agent,
  ...options
}: BareOptions = {}) {
  const shown = (token: string) =>
    shownBy(agent, { admit: () => authenticate(token), remembered: () => remembered(token) });
  return createServer({
    routes: [echo],
    pages: [{ operation: 'health', permission: everyone, url: '/healthz', handle: () => ({ status: 'ok' }) }],
    authenticator: {
      schemes: [schemeOf(shown)],
      hasAdmin: async () => true,
      mayReadServiceMetrics: () => false,
    },
    validator: new Validator(createFormats({ passwordLength: { min: 8, max: 128 } })),
    metrics: new ServiceMetrics(),
    log: createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 100_000,
    shares: new Shares(),
    ...options,
  });
}
