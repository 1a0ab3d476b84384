// The answer when no route matches: 405 with the methods that would, or 404.
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface NotFoundOptions {
  /** Takes over what a person's browser asks for; true if it has answered. */
  answerLost?: ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined;
}

/** Routes without a method are pages. Sockets are opened with GET, and with nothing else. */
export function createNotFoundHandler(
  routes: readonly { url: string; method?: string; has?: (name: string) => boolean }[],
  sockets: readonly { url: string }[],
  { answerLost }: NotFoundOptions = {},
) {
  const patterns = [
    ...routes.flatMap(({ url, method = 'GET', has = anything }) => {
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
      return methods.map((each) => ({ segments: toSegments(url), method: each, has }));
    }),
    ...sockets.map(({ url }) => ({ segments: toSegments(url), method: 'GET', has: anything })),
  ];
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const segments = toSegments(request.url.split('?', 1)[0]!);
    const fitting = patterns
      .filter((pattern) => fits(pattern.segments, segments) && pattern.has(segments.at(-1)!))
      .map(({ method }) => method);
    if (fitting.length > 0) {
      const allow = [...new Set(fitting)].sort().join(', ');
      reply.code(405).header('allow', allow).send({ detail: 'Method Not Allowed', code: 'method_not_allowed' });
    } else if (!answerLost?.(request, reply)) {
      reply.code(404).send({ detail: 'Not Found', code: 'not_found' });
    }
  };
}

const anything = () => true;

function toSegments(path: string): string[] {
  return path.replace(/\/$/, '').split('/');
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((segment, index) => (segment.startsWith(':') ? path[index] !== '' : segment === path[index]))
  );
}
