// Reads a query string as Python's urllib does and checks it against a schema with one field per parameter.

import type { Static, TObject } from '@weft/contract/schema';
import type { Problem } from '../errors.ts';
import { unknownName } from './unknown-keys.ts';
import type { Validator } from './validator.ts';
import { invalidValue } from './value-rules.ts';

/** All values of each name, in their order. */
export type QueryParams = ReadonlyMap<string, readonly string[]>;

const MAX_PARAMETERS = 1000;
/** What clients call an access point, or several. An operation documents one of them, and takes the others in its place. */
export const agentNames = ['agent', 'agents', 'agent_id', 'ap_id'];
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Takes the query with or without its `?`. A `%` that begins no escape stands for itself, and escaped bytes that are not
 * UTF-8 become U+FFFD. Throws ValidationError above 1,000 parameters.
 */
export function readQuery(search: string): QueryParams {
  const params = new Map<string, string[]>();
  const pairs = splitPairs(search.startsWith('?') ? search.slice(1) : search);
  if (pairs.length > MAX_PARAMETERS) {
    throw invalidValue(['query'], `the query has more than ${MAX_PARAMETERS} parameters`);
  }
  for (const [name, value] of pairs) {
    const key = decodeFormText(name, lenientUtf8);
    const values = params.get(key);
    if (values) values.push(decodeFormText(value, lenientUtf8));
    else params.set(key, [decodeFormText(value, lenientUtf8)]);
  }
  return params;
}

/** All values of a parameter, under whichever of its names they were sent. */
export function valuesOf(params: QueryParams, name: string): readonly string[] | undefined {
  const values = params.get(name);
  if (values || !agentNames.includes(name)) return values;
  return agentNames.map((other) => params.get(other)).find((found) => found !== undefined);
}

/** The names in a query that nothing reads; of many the first ones. */
export function unreadNames(search: string, read: ReadonlySet<string>): string[] {
  const sent = new Set(splitPairs(search).map(([name]) => decodeFormText(name, lenientUtf8)));
  const agentName = agentNames.find((name) => read.has(name));
  const inItsPlace = agentName !== undefined && !sent.has(agentName) && agentNames.find((name) => sent.has(name));
  return [...sent].filter((name) => !read.has(name) && name !== inItsPlace).slice(0, 10);
}

/** As the value of a header. */
export function escapedNames(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed())).join(', ');
}

/** A filter whose name is mistyped would let everything through: each such name is a problem that tells the nearest known one. */
export function unknownParameter(name: string, known: readonly string[]): Problem {
  const inItsPlace = agentNames.includes(name) && known.find((other) => agentNames.includes(other));
  return unknownName(['query', name], 'parameter', known, inItsPlace ? ` Send ${inItsPlace} alone.` : '');
}

/** The last value of a parameter counts, except where the schema wants a list: that gets them all. */
export function checkQuery<S extends TObject>(
  validator: Validator,
  schema: S,
  params: QueryParams,
  problems: Problem[],
): Static<S> {
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, field] of Object.entries(schema.properties)) {
    const values = valuesOf(params, name);
    if (values) input[name] = isList(field) ? [...values] : values.at(-1);
  }
  return validator.check(schema, input, ['query'], problems);
}

/** The pairs of `a=1&b=2`, not yet decoded; empty ones are left out, a name alone has an empty value. */
export function splitPairs(text: string): [name: string, value: string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** Plus signs and percent escapes; what `utf8` throws for bytes that are not UTF-8 passes through. */
export function decodeFormText(text: string, utf8: InstanceType<typeof TextDecoder>): string {
  const spaced = text.includes('+') ? plusToSpace(text) : text;
  if (!spaced.includes('%')) return spaced;
  try {
    // The same for whole escapes of whole UTF-8, in a fraction of the time.
    return decodeURIComponent(spaced);
  } catch {
    return decodeLeniently(spaced, utf8);
  }
}

/** A million of them with `replaceAll` take a tenth of a second. */
function plusToSpace(text: string): string {
  const units = Buffer.from(text, 'utf16le');
  for (let at = 0; at < units.length; at += 2) {
    if (units[at] === 0x2b && units[at + 1] === 0) units[at] = 0x20;
  }
  return units.toString('utf16le');
}

function decodeLeniently(text: string, utf8: InstanceType<typeof TextDecoder>): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    utf8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex')),
  );
}

function isList(field: { type?: unknown; anyOf?: unknown }): boolean {
  return field.type === 'array' || (Array.isArray(field.anyOf) && field.anyOf.some(isList));
}
