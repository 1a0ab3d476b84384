// Which statuses the servers of the tests answer, beside those that the interface document names for each operation, and which
// operations left an entry in the audit log. Every test process writes what it sees into a folder; global-setup.ts compares at
// the end.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceMetrics } from '../controller/src/core/http/pages/service-metrics.ts';
import type { Route } from '../controller/src/core/http/request/route.ts';
import {
  canBeUnchanged,
  failuresOf,
  successOf,
  universalStatuses,
} from '../controller/src/core/http/request/route-statuses.ts';

const variable = 'WEFT_TEST_SEEN_STATUSES';

/** Written once per process, like `seen update_user 409`. */
const written = new Set<string>();
/** Routes that were noted: to find out again for each server what was written is a fifteenth of its start. */
const noted = new Set<string>();

function write(kind: 'seen' | 'documented' | 'changing' | 'audited', operation: string, status?: number): void {
  const folder = process.env[variable];
  const line = `${kind} ${operation}${status === undefined ? '' : ` ${status}`}\n`;
  if (folder === undefined || written.has(line)) return;
  written.add(line);
  appendFileSync(join(folder, String(process.pid)), line);
}

/** Counts requests as the product does, and keeps what was answered. */
export class SeenStatuses extends ServiceMetrics {
  readonly #changing = new Set<string>();
  #isAudited = false;

  override observe(operation: string, status: number, elapsedMs: number): void {
    super.observe(operation, status, elapsedMs);
    write('seen', operation, status);
    if (!this.#changing.has(operation)) return;
    if (this.#isAudited && status < 300) write('audited', operation);
    this.#isAudited = false;
  }

  /** The audit log has a new entry: of the request that is answered next, unless several are under way. */
  noteAudited(): void {
    this.#isAudited = true;
  }

  noteRoutes(routes: readonly Route[]): void {
    for (const { operation, method, changesNothing } of routes) {
      if (method !== 'GET' && !changesNothing) this.#changing.add(operation);
    }
    for (const route of routes) {
      const name = `${route.operation} ${route.url}`;
      if (noted.has(name)) continue;
      noted.add(name);
      if (this.#changing.has(route.operation)) write('changing', route.operation);
      noteDocumented(route);
    }
  }
}

function noteDocumented(route: Route): void {
  write('documented', route.operation, successOf(route));
  if (canBeUnchanged(route)) write('documented', route.operation, 304);
  for (const [status] of failuresOf(route)) write('documented', route.operation, status);
}

/** For the processes that start from now on. */
export function openSeenStatuses(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-statuses-'));
  process.env[variable] = folder;
  return folder;
}

/** Removes the folder. */
export function closeSeenStatuses(folder: string): { undocumented: string[]; unseen: string[]; unaudited: string[] } {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  rmSync(folder, { recursive: true });
  const pick = (kind: string) =>
    new Set(lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1)));
  const unaudited = findUnaudited(pick('changing'), pick('seen'), pick('audited'));
  return { ...compareStatuses(pick('seen'), pick('documented')), unaudited };
}

/**
 * `undocumented`: answered by an operation of the document, which does not name it. `unseen`: in the document, and no test
 * has seen it, without what every operation can answer.
 */
export function compareStatuses(
  seen: ReadonlySet<string>,
  documented: ReadonlySet<string>,
): { undocumented: string[]; unseen: string[] } {
  const operations = new Set([...documented].map(operationOf));
  // What is unchanged is decided in one place for all operations.
  const universal = new Set(['304', ...universalStatuses.map(String)]);
  return {
    undocumented: [...seen].filter((line) => operations.has(operationOf(line)) && !documented.has(line)).sort(),
    unseen: [...documented].filter((line) => !seen.has(line) && !universal.has(line.split(' ')[1]!)).sort(),
  };
}

/** What was called with success and never left an entry, though its route does not say that it changes nothing. */
export function findUnaudited(
  changing: ReadonlySet<string>,
  seen: ReadonlySet<string>,
  audited: ReadonlySet<string>,
): string[] {
  const isCalled = (operation: string) => seen.has(`${operation} 200`) || seen.has(`${operation} 204`);
  return [...changing].filter((operation) => isCalled(operation) && !audited.has(operation)).sort();
}

function operationOf(line: string): string {
  return line.split(' ')[0]!;
}
