// Requests that are almost right: for each operation of an OpenAPI document a valid request, and then something done to
// it that a broken or hostile client might do.
import fc from 'fast-check';
import { anyCharacter } from './pure/any-text.ts';
import type { RawRequest } from './raw-request.ts';

interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

interface OperationObject {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface OpenApi {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Undefined if it takes none. */
  body: Schema | undefined;
  isForm: boolean;
}

/** Values that make sense where their name stands, so that a good part of the requests gets past validation. */
export type KnownValues = Record<string, readonly unknown[]>;

export function listOperations({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
      const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const isForm = mediaType === 'application/x-www-form-urlencoded';
      const inUrl = parameters.filter(({ in: where }) => where !== 'header');
      return { id: operationId, method: method.toUpperCase(), path, parameters: inUrl, body: content?.schema, isForm };
    }),
  );
}

export const nastyStrings = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\ufeff',
  '\u202e\u2066',
  '😀'.repeat(40),
  'e\u0301'.repeat(100),
  'İ',
  '\r\nSet-Cookie: a=b',
  "' OR 1=1; --",
  '%',
  '%00',
  '%zz',
  '..',
  '../../etc/passwd',
  '/',
  '\\',
  '*',
  '?',
  '__proto__',
  'constructor',
  'NaN',
  'null',
  '1e999',
  '-1',
  '9'.repeat(400),
  'a'.repeat(2000),
  'a@'.repeat(1000),
];

const nastyValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 53,
    1e21,
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom(...nastyStrings),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 40 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))),
  fc.constantFrom(100, 70_000).map((length) => 'x'.repeat(length)),
  fc.constantFrom(10, 5000).map((length) => Array(length).fill('user')),
);

/** Requests of an operation that are right, or those that something was done to. */
export function requestsOf(
  operation: Operation,
  document: OpenApi,
  known: KnownValues,
  isMutated = true,
): fc.Arbitrary<RawRequest> {
  const spoilt = isMutated ? 1 : 0;
  const valueFor = (schema: Schema, name = ''): fc.Arbitrary<unknown> => {
    const values = known[name];
    if (values) return fc.constantFrom(...values);
    if (schema.$ref) return valueFor(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => valueFor(branch)));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.type === 'null') return fc.constant(null);
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'integer' || schema.type === 'number') {
      const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1);
      return fc.integer({ min, max: Math.min(schema.maximum ?? 1000, 100_000) });
    }
    if (schema.type === 'array') return fc.array(valueFor(schema.items ?? {}), { minLength: 1, maxLength: 3 });
    if (schema.properties) {
      const fields = Object.entries(schema.properties).map(([key, field]) => [key, valueFor(field, key)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
    }
    if (schema.type === 'object') return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }));
    return fc.string({ minLength: 1, maxLength: 20 });
  };

  const parameterValues = operation.parameters.map(({ name, schema }) =>
    fc.oneof(
      { weight: 3, arbitrary: valueFor(schema, name) },
      { weight: spoilt, arbitrary: fc.constantFrom(...nastyStrings) },
    ),
  );
  return fc
    .record({
      parameters: fc.tuple(...parameterValues),
      query: fc.array(fc.constantFrom('drop', 'twice', 'raw', 'extra'), { maxLength: 2 * spoilt }),
      body: operation.body ? valueFor(operation.body) : fc.constant(undefined),
      edits: fc.array(
        fc.record({ at: fc.nat(), kind: fc.constantFrom('drop', 'set', 'add', 'extra'), value: nastyValues }),
        { maxLength: 3 * spoilt },
      ),
      damage: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: spoilt, arbitrary: fc.nat() }),
      contentType: fc.oneof(
        { weight: 6, arbitrary: fc.constant(operation.isForm ? formType : jsonType) },
        { weight: spoilt, arbitrary: fc.constantFrom(...contentTypes) },
      ),
    })
    .map(({ parameters, query, body, edits, damage, contentType }) => {
      const edited = edits.reduce(edit, { root: structuredClone(body) }).root;
      const text = edited === undefined ? '' : operation.isForm ? toForm(edited) : JSON.stringify(edited);
      return {
        method: operation.method,
        path: fillIn(operation, parameters, query),
        contentType,
        body: damage === undefined ? text : breakText(text, damage),
      };
    });
}

const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';
const contentTypes = [
  undefined,
  '',
  'application/json; charset=utf-16',
  'application/problem+json',
  'text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary="',
  'application/octet-stream',
  formType,
  jsonType,
  ';;;',
  'a'.repeat(500),
];

/** Changes one spot of the value, which `at` chooses. */
function edit(holder: { root: unknown }, { at, kind, value: shared }: { at: number; kind: string; value: unknown }) {
  const value = structuredClone(shared);
  const spots = spotsOf(holder, 'root');
  const { parent, key } = spots[at % spots.length]!;
  const inside = parent[key];
  if (kind === 'drop') delete parent[key];
  else if (kind === 'add' && Array.isArray(inside)) inside.push(value);
  else if (kind === 'extra' && typeof inside === 'object' && inside !== null) {
    const name = ['__proto__', 'constructor', 'id', 'roles', 'is_admin', 'x'.repeat(2000), '\0', '\ud800'][at % 8]!;
    Object.defineProperty(inside, name, { value, enumerable: true, configurable: true, writable: true });
  } else parent[key] = value;
  return holder;
}

interface Spot {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON value, walked by key
  parent: any;
  key: string;
}

function spotsOf(parent: object, key: string): Spot[] {
  const value = (parent as Record<string, unknown>)[key];
  const here = { parent, key };
  if (typeof value !== 'object' || value === null) return [here];
  return [here, ...Object.keys(value).flatMap((inner) => spotsOf(value, inner))];
}

function toForm(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(
      ([name, field]) =>
        `${percentEncode(name)}=${percentEncode(typeof field === 'string' ? field : JSON.stringify(field))}`,
    )
    .join('&');
}

function breakText(text: string, seed: number): string {
  const at = seed % (text.length + 1);
  const inserts = ['', '"', '}', '\u0000', 'NaN', '%', '&&&==', '\\ud800', '1e999', '\n', ',,'];
  const insert = inserts[seed % inserts.length]!;
  return seed % 2 === 0 ? text.slice(0, at) + insert : text.slice(0, at) + insert + text.slice(at);
}

function fillIn({ path, parameters }: Operation, values: unknown[], mutations: string[]): string {
  let filled = path;
  const pairs: string[] = [];
  for (const [index, { name, in: where }] of parameters.entries()) {
    const value = String(values[index]);
    // One in several is not escaped, as far as a client can send it at all.
    const text = mutations.includes('raw') ? value.replace(/[^\x21-\x7e]/g, '%') : percentEncode(value);
    if (where === 'path') filled = filled.replace(`{${name}}`, () => text);
    else if (!mutations.includes('drop')) pairs.push(`${name}=${text}`);
    if (where === 'query' && mutations.includes('twice')) pairs.push(`${name}=${text}`, name);
  }
  if (mutations.includes('extra')) pairs.push('%ff=%zz', '=', '&', 'a=1;b=2');
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
