// Headers that every answer carries, and CORS for the origins that the operator names. Default: none.
import type { FastifyReply, FastifyRequest } from 'fastify';

export function answerHeaders(isTls: boolean): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

const maxNamedOrigins = 100;
const plainOrigin = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/**
 * Returns a function that adds CORS headers for the named origins; it resolves true if it has answered a preflight. The page
 * itself is told nothing about one that is refused: `onRefused` gets each origin once, as far as so many can be remembered.
 */
export function createCors(origins: readonly string[], onRefused: (origin: string) => void = () => {}) {
  const allowed = new Set(origins);
  const refused = new Set<string>();
  const isPreflight = ({ method, headers }: FastifyRequest) =>
    method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (allowed.size > 0) reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined) return false;
    if (!allowed.has(origin)) {
      const isNews = isPreflight(request) && refused.size < maxNamedOrigins && plainOrigin.test(origin);
      if (isNews && !refused.has(origin)) onRefused(origin);
      if (isNews) refused.add(origin);
      return false;
    }
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'X-Request-ID, Retry-After, X-Weft-Ignored',
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (!isPreflight(request)) return false;
    reply
      .headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, X-Request-ID',
        'access-control-max-age': '600',
      })
      .code(204)
      .send();
    return true;
  };
}
