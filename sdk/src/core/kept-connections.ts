// Connections of Node that stay open and are shared by all agents of a program, also to a Weft whose certificate only this
// program knows. The platform's own `fetch` can do neither.
import { X509Certificate } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { onAbort } from '@weft/contract/pause';
import type { Fetch, FetchAnswer, FetchInit } from './http-client.ts';

const maxAnswerBytes = 4 * 1024 * 1024;
const maxIdleConnections = 16;

interface Connections {
  http: HttpAgent;
  https: HttpsAgent;
}

/** Weft reads posts fastest on connections that had nothing else: logins have their own. */
type Purpose = 'requests' | 'logins';

const known = new Map<string, Connections>();

/**
 * A `fetch` over connections that are shared with all others of the same certificate and purpose. Resolves with the whole
 * answer, of a reasonable size.
 */
export function keptFetch(trustedCertificate?: string, purpose: Purpose = 'requests'): Fetch {
  const connections = connectionsFor(trustedCertificate, purpose);
  return async (url, init) => {
    try {
      return await send(connections, url, init);
    } catch (error) {
      // The other side closed an idle connection in the very moment it was to be used.
      if (!(error instanceof StaleConnection)) throw error;
      return send(connections, url, init);
    }
  };
}

/** What a TLS connection must know to trust this certificate and no other. */
export function trustOf(trustedCertificate: string | undefined): ConnectionOptions {
  if (trustedCertificate === undefined) return {};
  const { raw } = new X509Certificate(trustedCertificate);
  return {
    ca: trustedCertificate,
    // The certificate itself is enough, though somebody else has issued it.
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, peer) => (raw.equals(peer.raw) ? undefined : new Error('another certificate answers')),
  };
}

class StaleConnection extends Error {
  override name = 'StaleConnection';
}

function connectionsFor(trustedCertificate: string | undefined, purpose: Purpose): Connections {
  const key = `${purpose} ${trustedCertificate}`;
  const before = known.get(key);
  if (before) return before;
  const kept = { keepAlive: true, maxFreeSockets: maxIdleConnections };
  const connections = {
    http: new HttpAgent(kept),
    https: new HttpsAgent({ ...kept, ...trustOf(trustedCertificate) }),
  };
  known.set(key, connections);
  return connections;
}

function send(connections: Connections, url: string, init: FetchInit): Promise<FetchAnswer> {
  const { method, headers, body, signal } = init;
  const isTls = url.startsWith('https:');
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = (isTls ? httpsRequest : httpRequest)(url, {
      method,
      agent: isTls ? connections.https : connections.http,
      headers: { ...headers, ...(body !== null && { 'content-length': Buffer.byteLength(body) }) },
    });
    const done = onAbort(signal, () => request.destroy(signal.reason));
    request.on('response', (response) => read(response).then(resolve, reject).finally(done));
    request.on('error', (error: NodeJS.ErrnoException) => {
      done();
      reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message) : error);
    });
    request.end(body ?? undefined);
  });
}

async function read(response: IncomingMessage): Promise<FetchAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new Error(`Weft's address leads elsewhere: ${status}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > maxAnswerBytes) throw new Error('the answer was too long');
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  return {
    status,
    headers: { get: (name) => toText(headers[name]) },
    text: async () => text,
  };
}

function toText(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value);
}
