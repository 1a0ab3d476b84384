// `weft doctor`: one line per check, with advice for those that fail.
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type CommandLine, exitCode, hasColor, type Surroundings, toInterfaceJson } from '@weft/cli';
import type { CheckResult } from '../backends.ts';
import { type Config, ConfigError } from '../core/base/config.ts';
import { openFileLimit } from './open-file-limit.ts';
import { readConfig } from './read-config.ts';

export async function doctorCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const results = [nodeCheck()];
  try {
    const config = readConfig(line, around.env);
    results.push(
      configurationCheck(config),
      originsCheck(config),
      ...(await machineChecks(config)),
      ...(await (await import('../serve.ts')).checkBackends(config)),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const detail of error.problems) results.push({ name: 'settings', ok: false, detail });
  }
  const isWell = results.every(({ ok }) => ok);
  around.stdout.write(line.has('json') ? `${toInterfaceJson(results, 2)}\n` : toText(results, around));
  return isWell ? exitCode.ok : exitCode.failure;
}

function configurationCheck({ warnings }: Config): CheckResult {
  if (warnings.length === 0) return { name: 'settings', ok: true, detail: 'all valid' };
  return { name: 'settings', ok: true, detail: `valid, with warnings: ${warnings.join(' ')}` };
}

/** A browser tells its page nothing about why it was refused. */
function originsCheck({ corsOrigins }: Config): CheckResult {
  const detail =
    corsOrigins.length === 0
      ? 'none; a page elsewhere gets only "Failed to fetch" until its origin is in WEFT_CORS_ORIGINS'
      : `${corsOrigins.join(', ')} (WEFT_CORS_ORIGINS)`;
  return { name: 'web pages of other origins', ok: true, detail };
}

function toText(results: CheckResult[], around: Surroundings): string {
  const paint = (code: number, text: string) =>
    hasColor(around.stdout, around.env) ? `\x1b[${code}m${text}\x1b[0m` : text;
  const width = Math.max(...results.map(({ name }) => name.length));
  return results
    .map(({ name, ok, detail, advice }) => {
      const mark = ok ? paint(32, '✓') : paint(31, '✗');
      const next = advice === undefined ? '' : `${' '.repeat(width + 4)}→ ${advice}\n`;
      return `${mark} ${name.padEnd(width)}  ${detail}\n${next}`;
    })
    .join('');
}

const oldestNode = 24;
const soonDays = 14;
const dayMs = 24 * 60 * 60 * 1000;

export function nodeCheck(version = process.versions.node): CheckResult {
  const ok = Number(version.split('.')[0]) >= oldestNode;
  const advice = `Weft needs Node ${oldestNode} or newer; npm start installs it.`;
  return { name: 'Node', ok, detail: version, ...(ok ? {} : { advice }) };
}

/** The checks of `weft doctor` on the machine. The backends are checked where they are created. */
export async function machineChecks(config: Config): Promise<CheckResult[]> {
  const checks = [dataFolderCheck(config), diskCheck(config), openFilesCheck(config), portCheck(config)];
  return [...(await Promise.all(checks)), ...(config.tls === undefined ? [] : [tlsCheck(config.tls)])];
}

async function dataFolderCheck({ dataDir }: Config): Promise<CheckResult> {
  const name = 'data folder';
  try {
    if (!existsSync(dataDir)) {
      await access(nearestFolder(dataDir), constants.W_OK);
      return { name, ok: true, detail: `${dataDir} will be created at the first start` };
    }
    // Write a file: permissions alone do not reveal a read-only disk.
    const probe = join(dataDir, `.doctor-${randomUUID()}`);
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    return { name, ok: true, detail: `${dataDir} can be written` };
  } catch (error) {
    const advice = 'Give the account that runs Weft write permission, or set WEFT_DATA_DIR.';
    return { name, ok: false, detail: `${dataDir} cannot be written: ${(error as Error).message}`, advice };
  }
}

async function diskCheck({ dataDir, diskReserveMb }: Config): Promise<CheckResult> {
  const name = 'disk space';
  try {
    const { bavail, bsize } = await statfs(nearestFolder(dataDir));
    const free = bavail * bsize;
    const detail = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    if (free >= diskReserveMb * 1024 ** 2) return { name, ok: true, detail };
    return { name, ok: false, detail, advice: 'Free some space, or move WEFT_DATA_DIR to a larger disk.' };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
}

async function openFilesCheck({ maxConnections }: Config): Promise<CheckResult> {
  const name = 'open files';
  const { limit, warning } = openFileLimit(maxConnections);
  if (warning === undefined)
    return { name, ok: true, detail: limit === undefined ? 'no limit known' : `up to ${limit}` };
  return { name, ok: false, detail: `up to ${limit}`, advice: warning };
}

async function portCheck(config: Config): Promise<CheckResult> {
  const name = 'port';
  const address = `${config.host}:${config.port}`;
  const error = await listenError(config);
  if (error === undefined) return { name, ok: true, detail: `${address} is free` };
  if (error.code !== 'EADDRINUSE') return { name, ok: false, detail: `${address}: ${error.message}` };
  const running = await askReadiness(config);
  if (running) {
    const { status, reasons = {}, advice } = running;
    const why = Object.entries(reasons).map(([part, reason]) => `${part}: ${reason}`);
    const state = status === 'ready' ? 'ready' : `not ready (${why.join(', ')})`;
    const detail = `${address} is in use; Weft runs there and is ${state}`;
    return { name, ok: status === 'ready', detail, ...(advice && { advice: advice.join(' ') }) };
  }
  return {
    name,
    ok: false,
    detail: `${address} is in use`,
    advice: 'Stop the program that listens there, or set WEFT_PORT.',
  };
}

function listenError({ host, port }: Config): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  const server = createServer();
  server.once('error', resolve);
  server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  return promise;
}

interface Readiness {
  status: string;
  reasons?: Record<string, string>;
  advice?: string[];
}

/** Undefined if what listens there is not Weft. */
async function askReadiness({ host, port, tls }: Config): Promise<Readiness | undefined> {
  const anyAddress = new Map([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
  ]);
  const target = anyAddress.get(host) ?? host;
  const url = `${tls === undefined ? 'http' : 'https'}://${target.includes(':') ? `[${target}]` : target}:${port}/readyz`;
  try {
    const body = (await (await fetch(url, { signal: AbortSignal.timeout(8000) })).json()) as Readiness | null;
    return typeof body?.status === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

export function tlsCheck({ certFile, keyFile }: { certFile: string; keyFile: string }, now = Date.now()): CheckResult {
  const name = 'TLS';
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))) {
      const advice = 'Use a certificate and private key that belong together.';
      return { name, ok: false, detail: 'WEFT_TLS_KEY does not match WEFT_TLS_CERT', advice };
    }
    const days = Math.floor((Date.parse(certificate.validTo) - now) / dayMs);
    const advice = 'Renew the certificate, then restart Weft.';
    if (days < 0) return { name, ok: false, detail: `the certificate expired on ${certificate.validTo}`, advice };
    if (Date.parse(certificate.validFrom) > now) {
      return { name, ok: false, detail: `the certificate is not valid before ${certificate.validFrom}` };
    }
    return { name, ok: true, detail: `valid for ${days} more days`, ...(days < soonDays ? { advice } : {}) };
  } catch (error) {
    const advice = 'Both files must be PEM: the certificate chain and its private key, without a passphrase.';
    return { name, ok: false, detail: (error as Error).message, advice };
  }
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
