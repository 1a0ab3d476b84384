// What the service tells about itself outside of its interface: how far it is set up, whether its parts are well, its version, its
// figures.
import type { InstallChecksums } from '@weft/contract/enrolment-line';
import { parseObject } from '@weft/contract/is-object';
import { failureText } from '../text/components.ts';
import { Failure, failureOf } from './client.ts';

export interface Readiness {
  isReady: boolean;
  /** Name of a part -> whether it is well. */
  parts: Record<string, boolean>;
}

/** Rejects with Failure only if there is no answer: a part that is out of order is one. */
export async function readReadiness(): Promise<Readiness> {
  const response = await get('/readyz');
  const text = await response.text().catch(() => '');
  const body = parseObject(text) as { parts?: Record<string, string> } | undefined;
  if (!body?.parts) throw failureOf(response, text);
  const parts = Object.fromEntries(Object.entries(body.parts).map(([name, word]) => [name, word === 'ok']));
  return { isReady: response.ok, parts };
}

export async function readVersion(): Promise<string> {
  const response = await get('/openapi.json');
  const text = await response.text().catch(() => '');
  const body = parseObject(text) as { info?: { version?: string } } | undefined;
  if (!response.ok || !body?.info?.version) throw failureOf(response, text);
  return body.info.version;
}

/** What a line for an access point says about the program that it downloads. Undefined where that is not built. */
export async function readChecksums(): Promise<InstallChecksums | undefined> {
  const response = await get('/install/checksums.json');
  return response.ok ? (parseObject(await response.text()) as InstallChecksums | undefined) : undefined;
}

/** The figures without labels, by name, and sums of those with; undefined where this machine may not see them. */
export async function readFigures(): Promise<Map<string, number> | undefined> {
  const response = await get('/metrics');
  return response.ok ? parseFigures(await response.text()) : undefined;
}

export function parseFigures(text: string): Map<string, number> {
  const figures = new Map<string, number>();
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{.*\})?\s+(\S+)/.exec(line);
    if (!found) continue;
    const value = Number(found[2]);
    if (Number.isFinite(value)) figures.set(found[1]!, (figures.get(found[1]!) ?? 0) + value);
  }
  return figures;
}

/** Without a token: for what anybody may ask. Rejects with Failure if there is no answer. */
export function get(path: string): Promise<Response> {
  return fetch(path, { credentials: 'omit', cache: 'no-store' }).catch(() => {
    throw new Failure(0, 'unreachable', failureText.unreachable);
  });
}

export interface Setup {
  /** Null while the database does not answer. */
  has_admin: boolean | null;
  /** Whether creating the first administrator needs the code that was printed at start. */
  code_needed: boolean;
  signup: 'open' | 'approve' | 'closed';
  password_length: { min: number; max: number };
  /** The operator's map server; null: the map draws its own ground. */
  map_tiles: { url: string; attribution: string } | null;
}

/** Rejects with Failure. */
export async function readSetup(): Promise<Setup> {
  const response = await get('/setup.json');
  if (!response.ok) throw failureOf(response, await response.text().catch(() => ''));
  return (await response.json()) as Setup;
}
