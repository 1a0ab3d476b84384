// Pages about the service itself: health, readiness, metrics, set-up state, the API documents and their viewer, and the
// start page that is served if the dashboard is not built.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../base/loopback.ts';
import { everyone } from '../../base/rights/permission.ts';
import { searchOf } from '../request/route.ts';
import { isForwarded } from '../request/setup-check.ts';
import type { Page } from './page.ts';
import { docsPage, docsScript, resetPage, resetScript, welcomePage } from './page-texts.ts';
import type { ServiceMetrics } from './service-metrics.ts';

const javascript = 'text/javascript; charset=utf-8';
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

/** What an operator can do, by the code of the reason or of the warning. */
const adviceFor: Record<string, string> = {
  no_answer: 'It has not answered within six seconds: it hangs, or the network to it does.',
  disk_full: 'Free some space on the disk that the log names, or move WEFT_DATA_DIR to a larger one.',
  telemetry_damaged:
    'A part of the stored telemetry is missing or cannot be read; the log names the file. The rest is served. Restore a backup to get it back.',
  stopping: 'This process is ending; others, or the next one, serve from then on.',
  cut_off: 'Other nodes reach the database, or this one reaches nothing: look at its network.',
  clock_wrong:
    'The clock of this node differs from those of the database and of most nodes: look at its time synchronisation.',
  foreign_queue:
    'RabbitMQ has a queue or exchange of the same name with other arguments; the log names it. Delete it once it is empty, or use another virtual host in WEFT_AMQP_URL.',
};

const maxWantedParts = 20;

/** Whether a part works, writing included, and the code of the reason if not. */
export interface PartState {
  name: string;
  ok: boolean;
  reason?: string;
}

const documentation = { operation: 'documentation', permission: everyone };

export interface ServicePagesOptions {
  metrics: ServiceMetrics;
  /** What describes the interface, for machines. */
  documents: () => { openApi: object; asyncApi: object };
  /** One entry per part, and what will become a problem. With names, only those are looked at. */
  readiness: (wanted: readonly string[] | undefined) => Promise<{ parts: PartState[]; warnings: string[] }>;
  hasAdmin: () => Promise<boolean>;
  setupCodeNeeded: boolean;
  signup: 'open' | 'approve' | 'closed';
  passwordLength: { min: number; max: number };
  mapTiles: { url: string; attribution: string } | null;
}

export function servicePages(options: ServicePagesOptions): Page[] {
  // Hundreds of kilobytes that most never ask for.
  let texts: { openApi: string; asyncApi: string } | undefined;
  const documents = () => {
    if (texts) return texts;
    const { openApi, asyncApi } = options.documents();
    texts = { openApi: JSON.stringify(openApi), asyncApi: JSON.stringify(asyncApi) };
    return texts;
  };
  const isCodeNeeded = ({ ip, headers }: FastifyRequest) =>
    options.setupCodeNeeded || !isLoopback(ip) || isForwarded(headers);
  return [
    { operation: 'health', permission: everyone, url: '/healthz', handle: () => ({ status: 'ok' }) },
    { operation: 'health', permission: everyone, url: '/livez', handle: () => ({ status: 'ok' }) },
    {
      operation: 'readiness',
      permission: everyone,
      url: '/readyz',
      async handle(request, reply) {
        const { parts, warnings } = await options.readiness(wantedParts(request));
        const failing = parts.filter(({ ok }) => !ok);
        const isReady = failing.length === 0;
        const codes = [...parts.map(({ reason = '' }) => reason), ...warnings];
        const advice = [...new Set(codes.flatMap((code) => adviceFor[code] ?? []))];
        request.refusalCode = failing[0]?.reason;
        if (!isReady) reply.code(503).header('retry-after', '2');
        return {
          status: isReady ? 'ready' : 'not ready',
          parts: Object.fromEntries(parts.map(({ name, ok }) => [name, ok ? 'ok' : 'failing'])),
          ...(isReady
            ? {}
            : { reasons: Object.fromEntries(failing.map(({ name, reason }) => [name, reason ?? 'failing'])) }),
          ...(advice.length > 0 ? { advice } : {}),
          ...(warnings.length > 0 ? { warnings } : {}),
        };
      },
    },
    {
      operation: 'service_metrics',
      permission: { admin: 'no', user: 'no', agent: 'no', third_party_app: 'no', openTo: 'metrics_network' },
      url: '/metrics',
      async handle(_request, reply) {
        reply.header('content-type', options.metrics.contentType);
        return await options.metrics.text();
      },
    },
    {
      ...documentation,
      url: '/setup.json',
      async handle(request) {
        return {
          has_admin: await options.hasAdmin().catch(() => null),
          code_needed: isCodeNeeded(request),
          signup: options.signup,
          password_length: options.passwordLength,
          map_tiles: options.mapTiles,
        };
      },
    },
    {
      ...documentation,
      url: '/',
      async handle(request, reply) {
        reply.headers(pageHeaders);
        const hasAdmin = await options.hasAdmin().catch(() => undefined);
        const origin = `${request.protocol}://${request.host}`;
        return welcomePage({ hasAdmin, setupCodeNeeded: isCodeNeeded(request), origin });
      },
    },
    ...(['openApi', 'asyncApi'] as const).map(
      (name): Page => ({
        ...documentation,
        url: `/${name.toLowerCase()}.json`,
        handle: (_request, reply) => reply.header('content-type', 'application/json').send(documents()[name]),
      }),
    ),
    ...['/docs', '/redoc'].map(
      (url): Page => ({
        ...documentation,
        url,
        unlessJson: true,
        handle: (_request, reply) => reply.headers(pageHeaders).send(docsPage),
      }),
    ),
    script('/docs/start.js', docsScript),
    {
      ...documentation,
      url: '/reset-password',
      isDocument: true,
      handle: (_request, reply) => reply.headers(pageHeaders).send(resetPage),
    },
    script('/reset-password/page.js', resetScript),
    swaggerAsset('swagger-ui.css', 'text/css; charset=utf-8'),
    swaggerAsset('swagger-ui-bundle.js', javascript),
  ];
}

function script(url: string, text: string): Page {
  const handle: Page['handle'] = (_request, reply) => reply.header('content-type', javascript).send(text);
  return { ...documentation, url, handle };
}

/** `?parts=database`: a load balancer asks for what this node needs to answer, not for everything. */
function wantedParts(request: FastifyRequest): string[] | undefined {
  const query = new URLSearchParams(searchOf(request));
  return query.get('for') === 'traffic' ? ['traffic'] : query.get('parts')?.split(',', maxWantedParts);
}

/** Served from the installed package, so the documentation works without internet access. */
function swaggerAsset(name: string, contentType: string): Page {
  let content: Promise<{ plain: Buffer; zipped: Buffer }> | undefined;
  return {
    ...documentation,
    url: `/docs/${name}`,
    async handle(request: FastifyRequest, reply: FastifyReply) {
      content ??= load(name);
      const { plain, zipped } = await content;
      reply.headers({
        'content-type': contentType,
        'cache-control': 'public, max-age=86400',
        vary: 'Accept-Encoding, Origin',
      });
      const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      if (takesGzip) reply.header('content-encoding', 'gzip');
      return reply.send(takesGzip ? zipped : plain);
    },
  };
}

async function load(name: string): Promise<{ plain: Buffer; zipped: Buffer }> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const plain = await readFile(join(folder, name));
  return { plain, zipped: await promisify(gzip)(plain) };
}
