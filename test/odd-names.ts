// The names that every object of JavaScript knows, put wherever a stranger may put one; and whether any of them got through to all
// objects.
import fc from 'fast-check';
import type { RawRequest } from './raw-request.ts';

export const oddNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'] as const;
/** What would be rights, labels and limits if it were found where they are absent. */
const poison = {
  weftZzz: 'polluted',
  config: 'roll_out',
  alarms: true,
  callbacks: true,
  selector: '',
  openTo: 'anyone',
};

const shared = Object.getOwnPropertyNames(Object.prototype).map((name) => Reflect.get(Object.prototype, name));
const roots = [Object, Function.prototype, Array.prototype, String.prototype, ...shared, Object.prototype].filter(
  (root) => root !== null && (typeof root === 'object' || typeof root === 'function'),
);
const picture = () =>
  roots.flatMap((root) => Reflect.ownKeys(root).map((key) => [key, Object.getOwnPropertyDescriptor(root, key)?.value]));
const untouched = picture();

/** The names that are on all objects now and were not; nothing may be. */
export function addedNames(): unknown[] {
  const now = picture();
  if (
    now.length === untouched.length &&
    now.every(([key, value], n) => untouched[n]![0] === key && untouched[n]![1] === value)
  )
    return [];
  return now.filter(([key, value]) => !untouched.some((known) => known[0] === key && known[1] === value)).map(String);
}

/** As JSON.parse makes one, also of `__proto__`. */
function put(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** In each object at every depth. */
export function withOddKeys(value: unknown, name: string, added: unknown = poison): unknown {
  if (Array.isArray(value)) return value.map((item) => withOddKeys(item, name, added));
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [key, item] of Object.entries(value)) put(copy, key, withOddKeys(item, name, added));
  put(copy, name, added);
  return copy;
}

/** Each key of the objects in it may be called otherwise, and each text may be the name; `at` chooses which one. */
function withOddName(value: unknown, name: string, at: number): unknown {
  let left = at;
  const isChosen = () => left-- === 0;
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part === 'string') return isChosen() ? name : part;
    if (typeof part !== 'object' || part === null) return part;
    const copy = {};
    for (const [key, item] of Object.entries(part)) put(copy, isChosen() ? name : key, walk(item));
    return copy;
  };
  return walk(value);
}

/** `known` values of requests, with the names beside those that are texts. */
export function withOddValues(known: Record<string, readonly unknown[]>): Record<string, readonly unknown[]> {
  const odd = (values: readonly unknown[]) => {
    if (values.every((value) => typeof value === 'string')) return [...values, ...oddNames];
    if (values.every((value) => Array.isArray(value) && value.every((item) => typeof item === 'string'))) {
      return [...values, ...oddNames.map((name) => [name])];
    }
    return values;
  };
  return Object.fromEntries(Object.entries(known).map(([key, values]) => [key, odd(values)]));
}

/** The same requests with one of the names in body and query. */
export function withOddNames(requests: fc.Arbitrary<RawRequest>): fc.Arbitrary<RawRequest> {
  const how = fc.record({
    name: fc.oneof(fc.constant('__proto__'), fc.constantFrom(...oddNames)),
    body: fc.constantFrom('key', 'nested', 'name'),
    at: fc.nat({ max: 12 }),
    query: fc.boolean(),
  });
  return fc.tuple(requests, how).map(([request, { name, body, at, query }]) => {
    const isJson = request.contentType === 'application/json' && request.body !== '';
    const extra = `${encodeURIComponent(name)}=x&${encodeURIComponent(name)}[weftZzz]=1`;
    const path = query ? `${request.path}${request.path.includes('?') ? '&' : '?'}${extra}` : request.path;
    if (!isJson) return { ...request, path, body: request.body === '' ? '' : `${request.body}&${extra}` };
    const given = JSON.parse(request.body);
    const nested = withOddKeys({}, name, poison);
    const changed =
      body === 'name' ? withOddName(given, name, at) : withOddKeys(given, name, body === 'key' ? poison : nested);
    return { ...request, path, body: JSON.stringify(changed) };
  });
}
