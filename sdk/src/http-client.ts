// Posts to Weft over connections that all agents of a program share, also to a Weft whose certificate only this program
// knows.
import { X509Certificate } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

const maxAnswerBytes = 4 * 1024 * 1024;
const maxIdleConnections = 16;

export interface HttpClientOptions {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** PEM of the one certificate that may answer, whatever host it names; the usual authorities count unless given. */
  trustedCertificate?: string | undefined;
}

export interface HttpPost {
  path: string;
  body: string;
  /** The media type; JSON unless told. */
  type?: string;
  token?: string | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  text: string;
  headers: IncomingMessage['headers'];
}

export class HttpClient {
  readonly #url: string;
  readonly #connections: Connections;

  constructor({ url, trustedCertificate }: HttpClientOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#connections = connectionsFor(trustedCertificate);
  }

  /** Resolves whatever Weft answers; throws if there is no answer, in time, of a reasonable size. */
  async post(post: HttpPost): Promise<HttpAnswer> {
    try {
      return await this.#send(post);
    } catch (error) {
      // The other side closed an idle connection in the very moment it was to be used.
      if (!(error instanceof StaleConnection)) throw error;
      return this.#send(post);
    }
  }

  #send({ path, body, type = 'application/json', token, timeoutMs, signal }: HttpPost): Promise<HttpAnswer> {
    const url = new URL(this.#url + path);
    const isTls = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const request = (isTls ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent: isTls ? this.#connections.https : this.#connections.http,
        headers: {
          'Content-Type': type,
          'Content-Length': Buffer.byteLength(body),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
      });
      const timer = setTimeout(() => request.destroy(new Error('Weft did not answer in time')), timeoutMs);
      const abort = () => request.destroy(signal?.reason);
      signal?.addEventListener('abort', abort);
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      request.on('response', (response) => read(response).then(resolve, reject).finally(done));
      request.on('error', (error: NodeJS.ErrnoException) => {
        done();
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message) : error);
      });
      request.end(body);
    });
  }
}

class StaleConnection extends Error {
  override name = 'StaleConnection';
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

interface Connections {
  http: HttpAgent;
  https: HttpsAgent;
}

const byCertificate = new Map<string | undefined, Connections>();

function connectionsFor(trustedCertificate: string | undefined): Connections {
  const known = byCertificate.get(trustedCertificate);
  if (known) return known;
  const kept = { keepAlive: true, maxFreeSockets: maxIdleConnections };
  const connections = {
    http: new HttpAgent(kept),
    https: new HttpsAgent({ ...kept, ...trustOf(trustedCertificate) }),
  };
  byCertificate.set(trustedCertificate, connections);
  return connections;
}

async function read(response: IncomingMessage): Promise<HttpAnswer> {
  const { statusCode = 0, headers } = response;
  // A token must not go where somebody else points.
  if (statusCode >= 300 && statusCode < 400) {
    response.destroy();
    throw new Error(`Weft's address leads elsewhere: ${statusCode}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > maxAnswerBytes) throw new Error('the answer was too long');
    pieces.push(piece);
  }
  return { status: statusCode, text: Buffer.concat(pieces).toString(), headers };
}
