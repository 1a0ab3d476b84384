// Asks Weft: every operation of the interface by its name, with the types of its parameters and answers. Always the
// origin the page came from, never any other.
import { noteServerDate } from '../data/server-clock.ts';
import { expireSession, sessionToken } from '../session/session.ts';
import { failureText } from '../text/failures.ts';
import { Failure, failureOf } from './failure.ts';
import { type Operations, operations } from './operations.ts';

export type OperationName = keyof Operations;
export type Answer<Name extends OperationName> = Operations[Name]['answer'];
export type Input<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

interface CallOptions {
  signal?: AbortSignal;
}

/** Optional where nothing of the input is required. */
type Rest<Name extends OperationName> =
  Record<string, never> extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions];

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  json?: unknown;
  form?: Record<string, unknown>;
  text?: string;
}

/** Resolves the answer; rejects with Failure, or with the signal's reason once that is aborted. */
export async function call<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Answer<Name>> {
  const [input, options] = rest;
  const response = await send(name, (input ?? {}) as AnyInput, options);
  return (await response.json()) as Answer<Name>;
}

/** As `call`, for answers that are not JSON: downloads and streams. */
export function open<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Response> {
  const [input, options] = rest;
  return send(name, (input ?? {}) as AnyInput, options);
}

/** The path of an operation with its parameters filled in. */
export function addressOf(name: OperationName, { path = {}, query = {} }: AnyInput = {}): string {
  const template = operations[name].split(' ')[1]!;
  const filled = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const part of Array.isArray(value) ? value : [value]) search.append(key, String(part));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

async function send(name: OperationName, input: AnyInput, { signal }: CallOptions = {}): Promise<Response> {
  const token = sessionToken();
  const headers = new Headers({ accept: 'application/json, */*' });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const body = bodyOf(input, headers);
  const sentAt = Date.now();
  let response: Response;
  try {
    response = await fetch(addressOf(name, input), {
      method: operations[name].split(' ')[0]!,
      headers,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, 'unreachable', failureText.unreachable);
  }
  noteServerDate(response.headers.get('date'), sentAt, Date.now());
  if (response.ok) return response;
  const failure = failureOf(response, await response.json().catch(() => undefined));
  if (response.status === 401 && token !== undefined) expireSession(token);
  throw failure;
}

function bodyOf({ json, form, text }: AnyInput, headers: Headers): BodyInit | undefined {
  if (json !== undefined) {
    headers.set('content-type', 'application/json');
    return JSON.stringify(json);
  }
  if (form) {
    const fields = Object.entries(form).filter(([, value]) => value !== undefined && value !== null);
    return new URLSearchParams(fields.map(([key, value]) => [key, String(value)]));
  }
  if (text !== undefined) headers.set('content-type', 'text/plain');
  return text;
}
