// Every request that the controller makes by itself goes through here, and so do the rules of trust: redirects are not
// followed, the address that was judged is the one connected to, time and size are bounded, and no error tells an address
// or a credential.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

export interface OutgoingHttpOptions {
  /** For all of a request: its address, its connection and the whole answer. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Connections that stay open, at most so many at once; default: each request has its own, and closes it. */
  maxKeptConnections?: number;
  /** Whom to trust over TLS; default: the usual authorities. */
  tls?: ConnectionOptions;
}

export interface OutgoingRequest {
  /** Protocol, host and port; the rest of it is not used. */
  origin: URL;
  /** Sent as it is, with its query. */
  path: string;
  headers?: Record<string, string>;
  body: string | Uint8Array;
  /** The address to connect to, in place of what the host's name stands for. What it throws is thrown. */
  addressOf?: (signal: AbortSignal) => Promise<string>;
  /** Sending it twice does no harm: it is sent again if a kept connection turns out to be closed. */
  isRepeatable?: boolean;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  status: number;
  /** Empty for a redirect: it is not read. */
  text: string;
}

export interface OutgoingBytes {
  status: number;
  /** Empty for a redirect: it is not read. */
  bytes: Buffer;
}

/** There was no answer, or none that may be used. Its message is safe to show to anybody. */
export class OutgoingError extends Error {
  override name = 'OutgoingError';
  /** Of the operating system or of TLS; ETIMEDOUT for the time limit. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export class AnswerTooLong extends OutgoingError {
  override name = 'AnswerTooLong';
}

/** The other side closed a kept connection in the very moment it was used. */
class StaleConnection extends OutgoingError {
  override name = 'StaleConnection';
}

export class OutgoingHttp {
  readonly #options: OutgoingHttpOptions;
  readonly #agents: { 'http:': HttpAgent; 'https:': HttpsAgent };
  #isClosed = false;

  constructor(options: OutgoingHttpOptions) {
    this.#options = options;
    const { maxKeptConnections, tls } = options;
    const kept =
      maxKeptConnections === undefined ? { keepAlive: false } : { keepAlive: true, maxSockets: maxKeptConnections };
    this.#agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent({ ...tls, ...kept }) };
  }

  /** Resolves whatever is answered. Throws OutgoingError, or the reason of the signal. */
  async post(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { status, bytes } = await this.postForBytes(request);
    return { status, text: bytes.toString() };
  }

  /** The same, for answers that are no text. */
  async postForBytes(request: OutgoingRequest): Promise<OutgoingBytes> {
    const { isRepeatable = false } = request;
    const { maxKeptConnections = 0 } = this.#options;
    for (let stale = 0; ; stale++) {
      if (this.#isClosed) throw new OutgoingError('the connections are closed');
      try {
        return await this.#attempt(request);
      } catch (error) {
        if (!(isRepeatable && error instanceof StaleConnection) || stale >= maxKeptConnections) throw error;
      }
    }
  }

  /** Requests under way fail. */
  close(): void {
    this.#isClosed = true;
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #attempt(request: OutgoingRequest): Promise<OutgoingBytes> {
    const { timeoutMs } = this.#options;
    const { signal, addressOf } = request;
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      return await this.#send(request, await addressOf?.(either), either);
    } catch (error) {
      signal?.throwIfAborted();
      if (!deadline.aborted) throw error;
      throw new OutgoingError(`there was no whole answer within ${timeoutMs / 1000} s`, 'ETIMEDOUT');
    }
  }

  #send(
    { origin, path, headers, body }: OutgoingRequest,
    address: string | undefined,
    signal: AbortSignal,
  ): Promise<OutgoingBytes> {
    const isTls = origin.protocol === 'https:';
    const host = origin.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const options = {
      method: 'POST',
      agent: this.#agents[isTls ? 'https:' : 'http:'],
      host: address ?? host,
      port: origin.port || (isTls ? 443 : 80),
      path,
      setHost: false,
      headers: { ...headers, Host: origin.host, 'Content-Length': Buffer.byteLength(body) },
      ...(isTls && isIP(host) === 0 && { servername: host }),
      signal,
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? httpsRequest : httpRequest)(options);
      request.on('response', (response) => {
        this.#read(response).then(resolve, (error) => reject(toOutgoingError(error, false)));
      });
      // Without a listener Node would end the connection, and neither a response nor an error would come.
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new OutgoingError('its answer was no HTTP answer'));
      });
      request.on('error', (error) => reject(toOutgoingError(error, request.reusedSocket)));
      request.end(body);
    });
  }

  async #read(response: IncomingMessage): Promise<OutgoingBytes> {
    const { maxAnswerBytes } = this.#options;
    const status = response.statusCode!;
    if (status >= 300 && status < 400) {
      response.destroy();
      return { status, bytes: Buffer.alloc(0) };
    }
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of response) {
      size += piece.length;
      // Leaving the loop ends the connection.
      if (size > maxAnswerBytes) throw new AnswerTooLong(`its answer was longer than ${maxAnswerBytes} bytes`);
      pieces.push(piece);
    }
    return { status, bytes: Buffer.concat(pieces) };
  }
}

/** The code of a connection error says enough; its message may name an address. */
function toOutgoingError(error: NodeJS.ErrnoException, isOnOldConnection: boolean): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const message = error.code ?? 'the connection failed';
  const isStale = isOnOldConnection && error.code !== 'ETIMEDOUT';
  return isStale ? new StaleConnection(message, error.code) : new OutgoingError(message, error.code);
}
