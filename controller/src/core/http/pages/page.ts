// What people and machines fetch that is not an operation: pages, documents, health. No body, no validation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../base/rights/permission.ts';
import { type AnswerEncoder, type EncodingRule, plainRule } from '../request/answer-encoding.ts';
import { toObject } from '../request/json-answer.ts';

export interface Page {
  operation: string;
  permission: Permission;
  url: string;
  /** Shown by browsers: only for those who accept `text/html` by name. For all others the address does not exist. */
  isDocument?: true;
  /** For everybody who does not prefer JSON to HTML. */
  unlessJson?: true;
  /** Of a page whose address ends with `:name`: which names there are. */
  has?: (name: string) => boolean;
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** Whether `Accept` names HTML: browsers do, programs that mean the interface do not. */
export function acceptsHtml(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}

/** Whether `Accept` gives JSON more weight than HTML; the most specific range counts for each. */
export function prefersJson(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? '').split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1];
      return [type, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const of = (type: string, all: string) => weights.get(type) ?? weights.get(all) ?? weights.get('*/*') ?? 0;
  return of('application/json', 'application/*') > of('text/html', 'text/*');
}

const rule: EncodingRule = { ...plainRule, tagsAll: false };
const text = /^(?:text\/|application\/json)/;

/**
 * A hook that runs before a page is sent: compresses and tags the long texts, such as interface documents and metrics. Files
 * of the dashboard come with their own ETag and encoding.
 */
export function createPageEncoding(encoder: AnswerEncoder) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
    const isOurs = reply.hasHeader('etag') || reply.hasHeader('content-encoding');
    if (!isWhole || isOurs || reply.statusCode !== 200 || !text.test(String(reply.getHeader('content-type')))) {
      return payload;
    }
    const encoded = await encoder.encode(rule, request.headers, payload, request.ip);
    if (!encoded) return payload;
    reply.headers(toObject(encoded.headers, reply)).removeHeader('content-length');
    if (encoded.status === 200) return encoded.body;
    reply.code(304);
    return null;
  };
}
