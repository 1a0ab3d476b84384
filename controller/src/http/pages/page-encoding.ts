// Compresses and tags the long texts among the pages: interface documents, metrics. Files of the dashboard come with their
// own ETag and encoding.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnswerEncoder, type EncodingRule, plainRule } from '../request/answer-encoding.ts';

const rule: EncodingRule = { ...plainRule, tagsAll: false };
const text = /^(?:text\/|application\/json)/;

/** A hook that runs before a page is sent. */
export function createPageEncoding(encoder: AnswerEncoder) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
    const isOurs = reply.hasHeader('etag') || reply.hasHeader('content-encoding');
    if (!isWhole || isOurs || reply.statusCode !== 200 || !text.test(String(reply.getHeader('content-type')))) {
      return payload;
    }
    const encoded = await encoder.encode(rule, request.headers, payload, request.ip);
    if (!encoded) return payload;
    for (let index = 0; index < encoded.headers.length; index += 2) {
      reply.header(encoded.headers[index]!, encoded.headers[index + 1]!);
    }
    reply.removeHeader('content-length');
    if (encoded.status === 200) return encoded.body;
    reply.code(304);
    return null;
  };
}
