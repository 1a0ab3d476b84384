// Sends the answer of an operation. Nearly every answer is a 200 with a JSON body and headers that never change, so
// those bytes are written directly; everything else goes through the framework.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { isObject } from '@weft/contract/is-object';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../base/shares/shares.ts';
import { inSlices } from '../../base/time-slices.ts';
import { type AnswerEncoder, type EncodedAnswer, type EncodingRule, knownTags } from './answer-encoding.ts';

export interface AnswerSenderOptions {
  headers: Record<string, string>;
  /** Whether no answer has headers beside these. */
  mayWriteStraight: () => boolean;
  encoder: AnswerEncoder;
}

/** `rule` is undefined for answers that go as they are. */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Readable | string | Uint8Array,
  rule: EncodingRule | undefined,
) => Promise<void>;

/** Names the parameters of the query that nothing reads. */
export const ignoredHeader = 'x-weft-ignored';
/** From here on the elements of a list become text in slices. */
const longList = 32;
const pieceLength = 16 * 1024;

/** What a handler resolves as it is sent: whole, or as it is read. */
export async function toBody(answer: unknown): Promise<Readable | string | Uint8Array> {
  if (typeof answer === 'string' || answer instanceof Uint8Array || answer instanceof Readable) return answer;
  if (!isLong(answer) && !(isObject(answer) && Object.values(answer).some(isLong))) return JSON.stringify(answer) ?? '';
  // Each piece to bytes at once, and into the tag: for the whole it would take long.
  const pieces: Buffer[] = [];
  const tag = createHash('sha1');
  let text = '';
  const flush = () => {
    const bytes = Buffer.from(text);
    tag.update(bytes);
    pieces.push(bytes);
    text = '';
  };
  await writeJson(answer, (part) => {
    text += part;
    if (text.length > pieceLength) flush();
  });
  flush();
  const body = Buffer.concat(pieces);
  knownTags.set(body, tag.digest('base64url'));
  return body;
}

function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > longList;
}

/** As JSON.stringify writes it, with the long lists of an object, or one that is the whole answer, in slices. */
async function writeJson(value: unknown, write: (part: string) => void): Promise<void> {
  if (Array.isArray(value)) {
    await inSlices(value, (item, index) => write((index > 0 ? ',' : '[') + (JSON.stringify(item) ?? 'null')));
    write(value.length > 0 ? ']' : '[]');
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value as object)) {
    const text = isLong(member) ? '' : JSON.stringify(member);
    if (text === undefined) continue;
    write(`${before}${JSON.stringify(name)}:${text}`);
    if (isLong(member)) await writeJson(member, write);
    before = ',';
  }
  write(before === '{' ? '{}' : '}');
}

export function createSendAnswer({ headers, mayWriteStraight, encoder }: AnswerSenderOptions): SendAnswer {
  const fixed = Object.entries(headers).flat();
  return async (request, reply, answer, rule) => {
    const principal = request.caller ? principalOf(request.caller) : request.ip;
    const canEncode = rule !== undefined && reply.statusCode === 200;
    if (answer instanceof Readable) {
      if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json');
      const stream = request.method === 'HEAD' ? emptied(answer) : answer;
      const encoded = canEncode ? encoder.stream(request.headers, stream, principal) : undefined;
      reply.headers(toObject(encoded?.headers ?? [], reply)).send(encoded?.body ?? stream);
      return;
    }
    const ownTag = reply.getHeader('etag') as string | undefined;
    const encoded = canEncode ? await encoder.encode(rule, request.headers, answer, principal, ownTag) : undefined;
    const { status, headers: more, body }: EncodedAnswer = encoded ?? { status: 200, headers: [], body: answer };
    if (reply.statusCode !== 200 || ownTag !== undefined || reply.hasHeader(ignoredHeader) || !mayWriteStraight()) {
      if (status === 304) reply.code(304);
      else reply.header('content-type', 'application/json');
      reply.headers(toObject(more, reply)).send(status === 304 ? undefined : body);
      return;
    }
    reply.hijack();
    writeAnswer(reply.raw, status, [...fixed, 'x-request-id', request.id, ...more], body);
  };
}

/** What would have been read is not. */
function emptied(stream: Readable): Readable {
  stream.destroy();
  return Readable.from([]);
}

/** Added to what `Vary` says already. */
export function toObject(headers: readonly string[], reply: FastifyReply): Record<string, string> {
  const object: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) object[headers[index]!] = headers[index + 1]!;
  const vary = reply.getHeader('vary');
  if (object.vary !== undefined && vary !== undefined) object.vary = `${object.vary}, ${vary}`;
  return object;
}

/** `headers` are names and values in turn, all of them lower case and harmless. */
function writeAnswer(response: ServerResponse, status: number, headers: string[], body: string | Uint8Array): void {
  if (status === 304) {
    response.writeHead(status, headers);
    response.end();
    return;
  }
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, headers.concat('content-type', 'application/json', 'content-length', length));
  response.end(body);
}
