// The query of a request before anybody has read it: the framework's own reading is switched off.
import type { FastifyRequest } from 'fastify';

/** The query as it came, without its `?`. */
export function searchOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
