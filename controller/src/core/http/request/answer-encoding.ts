// What reading costs on the wire: an answer that the client has already is a 304, and a long one is compressed, if the
// client takes that. Compressing is work of other threads, a little at a time: when too much waits, answers go as they
// are.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { availableParallelism } from 'node:os';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import type { Shares } from '../../base/shares/shares.ts';
import type { Route } from './route.ts';

export type Encoding = 'br' | 'gzip';

/** How the answers of an operation may be sent. */
export interface EncodingRule {
  /** Below this, compressing saves less than it costs. */
  minBytes: number;
  /** Whether short answers have an ETag too. */
  tagsAll: boolean;
}

/** `headers` are names and values in turn, to be added to those of every answer. */
export interface EncodedAnswer {
  status: 200 | 304;
  headers: string[];
  body: string | Uint8Array;
}

// From here on a higher quality costs several times as much and saves a few percent.
const brotliQuality = 4;
const gzipLevel = 6;
/** Each waits a few milliseconds for those before it; beyond this, answers go as they are. */
const maxWaiting = 16;
const maxStreams = 32;

/** On the fast lane time counts more than bytes. */
const fastLaneRule: EncodingRule = { minBytes: 4096, tagsAll: false };
export const plainRule: EncodingRule = { minBytes: 1024, tagsAll: true };

/** Of long bodies, whose hashes are made while they are written. */
export const knownTags = new WeakMap<Uint8Array, string>();

const secretName = /"(?:\w+_)?(?:api_key|password|secret|token)":/;
/** By schema: to look through all of them took a tenth of a start. */
const keepsSecret = new WeakMap<object, boolean>();

/**
 * Undefined: an answer goes as it is. So do answers to changes, streams of events, and whatever holds a secret: beside text
 * that somebody else has chosen, its compressed length could tell it (BREACH).
 */
export function encodingRule({ method, media, response, fastLane }: Route): EncodingRule | undefined {
  if (method !== 'GET' || media?.includes('text/event-stream')) return undefined;
  if (!keepsSecret.has(response)) keepsSecret.set(response, secretName.test(JSON.stringify(response)));
  if (keepsSecret.get(response)) return undefined;
  return fastLane ? fastLaneRule : plainRule;
}

export class AnswerEncoder {
  readonly #turns: FairTurns;
  readonly #streams: FairTurns;

  constructor(shares: Shares) {
    this.#turns = shares.turns('compression', { slots: Math.max(1, availableParallelism() - 1) });
    // A slow reader keeps its slot for long, and works little.
    this.#streams = shares.turns('compressed_streams', { slots: maxStreams, perPrincipal: maxStreams / 4 });
  }

  /** Undefined if there is nothing to add. A promise only if the answer is compressed. `ownTag`: the ETag, if the operation has one. */
  encode(
    rule: EncodingRule,
    request: IncomingHttpHeaders,
    body: string | Uint8Array,
    principal: string,
    ownTag?: string,
  ): EncodedAnswer | undefined | Promise<EncodedAnswer> {
    const isLong = Buffer.byteLength(body) >= rule.minBytes;
    if (!isLong && !rule.tagsAll) return undefined;
    const known = typeof body === 'string' ? undefined : knownTags.get(body);
    const etag = ownTag ?? `W/"${known ?? hash('sha1', body, 'base64url')}"`;
    const headers = isLong ? ['etag', etag, 'vary', 'Accept-Encoding'] : ['etag', etag];
    if (isNamed(request['if-none-match'], etag)) return { status: 304, headers, body: '' };
    const encoding = isLong ? chooseEncoding(request['accept-encoding']) : undefined;
    if (encoding === undefined || this.#turns.waiting >= maxWaiting) return { status: 200, headers, body };
    return this.#compress(encoding, body, principal).then((bytes) => ({
      status: 200,
      headers: [...headers, 'content-encoding', encoding],
      body: bytes,
    }));
  }

  /** For what is too long to lie in memory whole. The body and what is returned end each other. */
  stream(request: IncomingHttpHeaders, body: Readable, principal: string): { headers: string[]; body: Readable } {
    const headers = ['vary', 'Accept-Encoding'];
    const encoding = chooseEncoding(request['accept-encoding']);
    if (encoding === undefined || !this.#streams.hasFree(principal)) return { headers, body };
    const compressed: Transform =
      encoding === 'br' ? createBrotliCompress({ params: brotliParams }) : createGzip({ level: gzipLevel });
    // Taken at once: a slot is free.
    const slot = this.#streams.acquire(principal);
    pipeline(body, compressed, () => slot.then((giveBack) => giveBack()));
    return { headers: [...headers, 'content-encoding', encoding], body: compressed };
  }

  async #compress(encoding: Encoding, body: string | Uint8Array, principal: string): Promise<Buffer> {
    const giveBack = await this.#turns.acquire(principal);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const done = (error: Error | null, bytes: Buffer) => (error ? reject(error) : resolve(bytes));
    if (encoding === 'br') {
      const params = { ...brotliParams, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
      brotliCompress(body, { params }, done);
    } else {
      gzip(body, { level: gzipLevel }, done);
    }
    return promise.finally(giveBack);
  }
}

const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };

/** Of what `Accept-Encoding` takes: brotli before gzip, unless it likes gzip better. */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of String(header).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1];
    const weight = q === undefined ? 1 : Number(q);
    if (name !== '') weights.set(name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, zipped] = [weightOf('br'), weightOf('gzip')];
  if (br === 0 && zipped === 0) return undefined;
  return br >= zipped ? 'br' : 'gzip';
}

/** By the weak comparison: the same content, however it is encoded. */
function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}
