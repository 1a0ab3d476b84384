// Asks Weft: every operation of the interface by its name, with the types of its parameters and answers.
import { toFailure } from './failure.ts';
import { type Operations, operations } from './operations.ts';
import { weft } from './weft.ts';

/** Those that take plain text are for agents. */
export type OperationName = {
  [Name in keyof Operations]: 'text' extends keyof Operations[Name] ? never : Name;
}[keyof Operations];
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
  query?: Record<string, string | number | boolean | string[] | undefined>;
  json?: unknown;
  form?: Record<string, unknown>;
}

/** Resolves the answer; rejects with Failure, or with the signal's reason once that is aborted. */
export async function call<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Answer<Name>> {
  const response = await open(name, ...rest);
  return (await response.json()) as Answer<Name>;
}

/** As `call`, for answers that are not JSON: downloads. */
export async function open<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<Response> {
  const { path = {}, query = {}, json, form } = (rest[0] ?? {}) as AnyInput;
  const { signal } = rest[1] ?? {};
  const [method, template] = operations[name].split(' ') as ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string];
  const address = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''));
  try {
    return await weft.open(method, address, {
      query,
      json,
      ...(form && { form: toForm(form) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw toFailure(error);
  }
}

function toForm(form: Record<string, unknown>): Record<string, string> {
  const fields = Object.entries(form).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields.map(([key, value]) => [key, String(value)]));
}
