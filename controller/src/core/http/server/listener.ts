// The socket side of the server: plain or TLS, with timeouts that cut slow clients off; how it begins to listen, and how it ends.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../base/errors.ts';
import type { DirectConnection, DirectOptions } from '../direct/direct-connection.ts';
import { createEntrance } from '../direct/direct-entrance.ts';

/**
 * Connections that wait to be accepted; Linux cuts it to net.core.somaxconn (4,096 by default). With Node's 511, connections of a
 * fleet that came back at once were lost without a word, and their clients sent into the void for half a minute and more.
 */
const backlog = 4096;

const maxHeaderBytes = 16 * 1024;
/** TLS 1.3, and of TLS 1.2 what authenticates as it encrypts, with keys that are forgotten afterwards. */
const ciphers = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDSA', 'RSA'].flatMap((key) => [
    `ECDHE-${key}-AES256-GCM-SHA384`,
    `ECDHE-${key}-CHACHA20-POLY1305`,
    `ECDHE-${key}-AES128-GCM-SHA256`,
  ]),
].join(':');
const defaultTimeouts: Timeouts = { headersMs: 10_000, requestMs: 18_000, idleMs: 120_000, keepAliveMs: 65_000 };

/** How long a client may take. Not settings: only tests change them. */
export interface Timeouts {
  /** From the first byte to the end of the headers. */
  headersMs: number;
  /** From the first byte to the end of the body. */
  requestMs: number;
  /** Without a byte either way. */
  idleMs: number;
  /** Between two requests. */
  keepAliveMs: number;
}

export interface ListenerOptions {
  tls: { certFile: string; keyFile: string } | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** Which requests become something else than HTTP; without it, none. */
  shouldUpgrade?: ((request: http.IncomingMessage) => boolean) | undefined;
  /** Handles plain posts before node:http reads them; without it, all requests are node:http's. */
  handleDirectly?: DirectOptions['handle'] | undefined;
  /** What time answers say it is, where the clock of this machine does not decide. */
  clock?: (() => number) | undefined;
  onFault: DirectOptions['onFault'];
}

export interface Listener {
  server: http.Server;
  /** What accepts the connections: the server itself, or what stands before it. */
  entrance: Server;
  /** Connections of which the server does not know, because their posts are read directly. */
  direct: ReadonlySet<DirectConnection>;
}

export function createListener(options: ListenerOptions, handler: http.RequestListener): Listener {
  const { shouldUpgrade = () => false, handleDirectly: handle, clock = () => Date.now(), onFault } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    // Refused by ourselves, with the body that every refusal has.
    requireHostHeader: false,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs),
    keepAliveTimeout: timeouts.keepAliveMs,
    noDelay: true,
    shouldUpgradeCallback: shouldUpgrade,
  };
  const tls = options.tls && {
    cert: readFileSync(options.tls.certFile),
    key: readFileSync(options.tls.keyFile),
    minVersion: 'TLSv1.2' as const,
    ciphers,
  };
  const server: http.Server = tls
    ? https.createServer({ ...settings, ...tls }, handler)
    : http.createServer(settings, handler);
  server.setTimeout(timeouts.idleMs);
  if (!handle) return { server, entrance: server, direct: new Set() };
  const { idleMs, keepAliveMs } = timeouts;
  const { entrance, open } = createEntrance(server, { tls, backlog, idleMs, keepAliveMs, handle, clock, onFault });
  return { server, entrance, direct: open };
}

/** Resolves the address. Throws StartError. */
export async function listen(
  server: FastifyInstance,
  { host, port, tls }: { host: string; port: number; tls: unknown },
): Promise<string> {
  try {
    await server.listen({ host, port, backlog });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} on ${host} is in use: stop the program that uses it, or set WEFT_PORT`);
    if (code === 'EACCES')
      throw new StartError(`port ${port} needs more privileges: set WEFT_PORT to a port above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`this machine has no address ${host}: see WEFT_HOST`);
    throw error;
  }
  const { port: actualPort } = server.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}:${actualPort}`;
}

/**
 * What a graceful stop needs besides Fastify's own. Answers sent while `isStopping` should end their connection: one that is
 * kept alive would be waited for.
 */
export function prepareGracefulStop(app: FastifyInstance, { entrance, direct }: Listener, isTls: boolean) {
  const sockets = new Set<Socket>();
  const stop = { isStopping: false };
  let closed: Promise<void> | undefined;
  entrance.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    stop.isStopping = true;
    // One that does not listen has nothing to close, and would never say so.
    if (entrance.listening) closed = new Promise((resolve) => entrance.once('close', resolve));
    // Browsers open some in advance; to Node they are not idle, and it would wait for them.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    for (const connection of direct) connection.closeIfIdle();
    done();
  });
  app.addHook('onClose', () => closed);
  return stop;
}
