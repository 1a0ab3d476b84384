// The socket side of the server: plain or TLS, with timeouts that cut slow clients off.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type DirectConnectionsOptions, readDirectly } from '../direct/direct-connections.ts';

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
  handleDirectly?: DirectConnectionsOptions['handle'];
}

export function createListener(options: ListenerOptions, handler: http.RequestListener): http.Server {
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
    shouldUpgradeCallback: options.shouldUpgrade ?? (() => false),
  };
  const server = options.tls
    ? https.createServer(
        {
          ...settings,
          cert: readFileSync(options.tls.certFile),
          key: readFileSync(options.tls.keyFile),
          minVersion: 'TLSv1.2',
          ciphers,
        },
        handler,
      )
    : http.createServer(settings, handler);
  server.setTimeout(timeouts.idleMs);
  if (options.handleDirectly) {
    const { idleMs, keepAliveMs } = timeouts;
    const isTls = options.tls !== undefined;
    readDirectly(server as http.Server, { isTls, idleMs, keepAliveMs, handle: options.handleDirectly });
  }
  return server as http.Server;
}
