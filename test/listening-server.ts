// Weft's own HTTP server with the routes that a test is about, on a port of its own.
import type { AddressInfo } from 'node:net';
import { ServiceMetrics } from '../controller/src/http/pages/service-metrics.ts';
import { createLogger } from '../controller/src/http/request/log.ts';
import { createServer } from '../controller/src/http/server/server.ts';
import { createFormats } from '../controller/src/input/formats.ts';
import { Validator } from '../controller/src/input/validator.ts';

type ServerOptions = Parameters<typeof createServer>[0];
type Authenticator = ServerOptions['authenticator'];

interface ListenOptions extends Partial<Omit<ServerOptions, 'authenticator'>> {
  authenticator: Pick<Authenticator, 'authenticate'> & Partial<Authenticator>;
  beforeClose?: () => void;
}

export const formats = createFormats({ passwordLength: { min: 8, max: 128 } });

export async function listen({ authenticator, beforeClose, ...options }: ListenOptions) {
  const server = createServer({
    routes: [],
    pages: [],
    validator: new Validator(formats),
    metrics: new ServiceMetrics(),
    log: createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 10_000,
    ...options,
    authenticator: {
      remembered: () => undefined,
      authenticateAgent: () => {
        throw new Error('no route of this server takes the password of an agent');
      },
      hasAdmin: async () => true,
      isEnrolmentToken: () => false,
      requireEnrolment: async () => {},
      mayReadServiceMetrics: () => false,
      ...authenticator,
    },
  });
  if (beforeClose) {
    server.addHook('preClose', (done) => {
      beforeClose();
      done();
    });
  }
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, inject: server.inject.bind(server), close: () => server.close() };
}
