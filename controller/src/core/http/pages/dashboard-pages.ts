// Serves the built dashboard: its files, and its first page for every address that is a page of it; and the manual. What there
// is to serve is listed once, at start; no request names a file.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFoundError } from '../../base/errors.ts';
import { everyone } from '../../base/rights/permission.ts';
import { acceptsHtml, type Page } from './page.ts';

/** The list of the dashboard's addresses, which the build leaves beside its files. */
const pageList = 'pages.json';
const firstPage = 'index.html';

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.sh': 'text/x-shellscript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
};

/** `images` are origins beside this one from which pictures may come. */
const documentHeaders = (images: readonly string[]) => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${["'self'", 'data:', ...images].join(' ')}; connect-src 'self'; font-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
});

export interface Dashboard {
  pages: Page[];
  /** Shows the dashboard's own words to somebody who mistyped an address; false if the request is not such a one. */
  answerLost: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/** Undefined if there is no build in the folder. `tileUrl` is the operator's map server. */
export function openDashboard(folder: string, tileUrl?: string): Dashboard | undefined {
  if (!existsSync(join(folder, pageList)) || !existsSync(join(folder, firstPage))) return undefined;
  const addresses: string[] = JSON.parse(readFileSync(join(folder, pageList), 'utf8'));
  const document = new ServedFile(join(folder, firstPage), {
    ...documentHeaders(tileUrl === undefined ? [] : [new URL(tileUrl).origin]),
    'cache-control': 'no-cache',
  });
  const isServed = (path: string) =>
    contentTypes[extname(path)] !== undefined && path !== firstPage && path !== pageList;
  const files = new Map<string, ServedFile>();
  const assets = new Map<string, ServedFile>();
  for (const path of filesIn(folder).filter(isServed)) {
    const file = new ServedFile(join(folder, path), { 'cache-control': cacheControl(path) });
    if (path.startsWith('assets/')) assets.set(path.slice('assets/'.length), file);
    else files.set(path, file);
  }
  // Browsers ask for it on pages that name no icon.
  const icon = files.get('favicon.svg');
  if (icon) files.set('favicon.ico', icon);
  return {
    pages: [
      ...addresses.map(
        (url): Page => ({
          operation: 'documentation',
          permission: everyone,
          url,
          ...(url !== '/' && { isDocument: true }),
          handle: document.handle,
        }),
      ),
      ...Array.from(files, ([path, { handle }]): Page => {
        return { operation: 'documentation', permission: everyone, url: `/${path}`, handle };
      }),
      // One page for all of them: an address for each of so many files was half of the work of a start.
      {
        operation: 'documentation',
        permission: everyone,
        url: '/assets/:name',
        has: (name) => assets.has(name),
        handle: (request, reply) => assets.get((request.params as { name: string }).name)!.handle(request, reply),
      },
    ],
    answerLost: (request, reply) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const isVisit = isRead && acceptsHtml(request.headers.accept);
      if (!isVisit || /^\/api(\/|$)/.test(request.url)) return false;
      reply.code(404);
      void document.handle(request, reply).then((body) => reply.send(body));
      return true;
    },
  };
}

/** Its pages link to each other by their names alone, so that they work from a folder as well. Empty if it is not built. */
export function manualPages(folder: string): Page[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => contentTypes[extname(name)]) : [];
  if (names.length === 0) return [];
  const headers = { ...documentHeaders([]), 'cache-control': 'no-cache' };
  const files = new Map(names.map((name) => [name, new ServedFile(join(folder, name), headers)]));
  const page = { operation: 'documentation', permission: everyone };
  return [
    { ...page, url: '/manual', handle: (_request, reply) => reply.redirect('/manual/index.html', 308) },
    {
      ...page,
      url: '/manual/:name',
      has: (name) => files.has(name),
      handle: (request, reply) => files.get((request.params as { name: string }).name)!.handle(request, reply),
    },
  ];
}

/** With `recursive`, Node would ask the system once more for each of them. */
function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}${entry.name}`;
    return entry.isDirectory() ? filesIn(folder, `${path}/`) : [path];
  });
}

/** Names in `assets` change with what is in the files; the command line must be that of the server. */
function cacheControl(path: string): string {
  if (path.startsWith('assets/')) return 'public, max-age=31536000, immutable';
  return path.startsWith('install/') ? 'no-cache' : 'public, max-age=3600';
}

interface Content {
  etag: string;
  plain: Buffer;
  encoded: { br?: Buffer; gzip?: Buffer };
}

/** One file, read when it is first asked for, in the shortest form that the client takes. */
class ServedFile {
  readonly #path: string;
  readonly #headers: Record<string, string>;
  #content: Promise<Content> | undefined;

  constructor(path: string, headers: Record<string, string>) {
    this.#path = path;
    this.#headers = headers;
  }

  handle = async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> => {
    this.#content ??= load(this.#path);
    const { etag, plain, encoded } = await this.#content.catch((error: NodeJS.ErrnoException) => {
      this.#content = undefined;
      throw error.code === 'ENOENT' ? replaced() : error;
    });
    reply.headers({ ...this.#headers, etag, vary: 'Accept-Encoding, Origin' });
    if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) {
      reply.code(304);
      return undefined;
    }
    reply.header('content-type', contentTypes[extname(this.#path)]!);
    const accepted = String(request.headers['accept-encoding'] ?? '');
    for (const name of ['br', 'gzip'] as const) {
      const body = encoded[name];
      if (!body || !new RegExp(`\\b${name}\\b`).test(accepted)) continue;
      reply.header('content-encoding', name);
      return body;
    }
    return plain;
  };
}

function replaced(): NotFoundError {
  return new NotFoundError(
    'file_replaced',
    'The dashboard was rebuilt since Weft started: restart Weft, then reload the page',
  );
}

async function load(path: string): Promise<Content> {
  const [plain, br, gzip] = await Promise.all([readFile(path), readIfThere(`${path}.br`), readIfThere(`${path}.gz`)]);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { etag, plain, encoded: { ...(br && { br }), ...(gzip && { gzip }) } };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  return existsSync(path) ? await readFile(path) : undefined;
}
