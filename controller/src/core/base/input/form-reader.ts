// Reads the login form, which real clients send url-encoded or as multipart/form-data, and checks it against a schema.
import type { Static, TObject } from '@weft/contract/schema';
import { type Problem, UnusableRequestError } from '../errors.ts';
import { decodeFormText, splitPairs } from './query-reader.ts';
import type { Validator } from './validator.ts';

const MAX_FIELDS = 100;
const MAX_PART_HEADER_BYTES = 8192;
const MAX_BOUNDARY_LENGTH = 200;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The fields by name; of equal names the last counts, and files are left out. A body of any other content type has no
 * fields. Throws UnusableRequestError (400) for bytes that are not UTF-8, a broken multipart body and over 100 fields.
 */
export function readForm(contentType: string | undefined, bytes: Uint8Array): Map<string, string> {
  const [mediaType = '', ...parameters] = splitParameters(contentType ?? '');
  try {
    if (mediaType.toLowerCase() === 'application/x-www-form-urlencoded') return readUrlEncoded(bytes);
    if (mediaType.toLowerCase() === 'multipart/form-data') return readMultipart(parameters, bytes);
  } catch {
    throw new UnusableRequestError(400, 'unreadable_body', 'There was an error parsing the body');
  }
  return new Map();
}

/** An empty field counts as absent, as it does for a form in a browser. */
export function checkForm<S extends TObject>(
  validator: Validator,
  schema: S,
  fields: ReadonlyMap<string, string>,
  problems: Problem[],
): Static<S> {
  const input: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(schema.properties)) {
    const value = fields.get(name);
    if (value !== undefined && value !== '') input[name] = value;
  }
  return validator.check(schema, input, ['body'], problems);
}

function readUrlEncoded(bytes: Uint8Array): Map<string, string> {
  const text = utf8.decode(bytes);
  // Before the pairs are made: a million of them would take long. Empty ones, as at the end, are no fields.
  if (text.split('&', MAX_FIELDS + 2).length > MAX_FIELDS + 1) throw new Error('too many separators');
  const pairs = splitPairs(text);
  if (pairs.length > MAX_FIELDS) throw new Error('too many fields');
  return new Map(pairs.map(([name, value]) => [decodeFormText(name, utf8), decodeFormText(value, utf8)]));
}

function readMultipart(parameters: string[], bytes: Uint8Array): Map<string, string> {
  const boundary = parameterValue(parameters, 'boundary');
  if (!boundary || boundary.length > MAX_BOUNDARY_LENGTH) throw new Error('no usable boundary');
  // With a line break put in front, the first delimiter looks like all the others.
  const body = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const fields = new Map<string, string>();
  let at = body.indexOf(delimiter);
  for (let count = 0; ; count += 1) {
    if (at < 0 || count > MAX_FIELDS) throw new Error('unfinished or too long');
    const start = at + delimiter.length;
    if (body.toString('latin1', start, start + 2) === '--') return fields;
    const end = body.indexOf(delimiter, start);
    if (end < 0) throw new Error('unfinished');
    readPart(body.subarray(start, end), fields);
    at = end;
  }
}

/** `part` is what follows its delimiter: the rest of that line, headers, an empty line, the content. */
function readPart(part: Buffer, fields: Map<string, string>): void {
  const headerEnd = part.indexOf('\r\n\r\n');
  if (headerEnd < 0 || headerEnd > MAX_PART_HEADER_BYTES) throw new Error('no headers');
  const [restOfLine = '', ...headers] = utf8.decode(part.subarray(0, headerEnd)).split('\r\n');
  if (restOfLine.trim() !== '') throw new Error('text after the boundary');
  const disposition = headers.find((header) => /^content-disposition\s*:/i.test(header)) ?? '';
  const [kind, ...parameters] = splitParameters(disposition.slice(disposition.indexOf(':') + 1));
  const name = parameterValue(parameters, 'name');
  if (kind?.toLowerCase() !== 'form-data' || name === undefined) throw new Error('a part without a name');
  const isFile = parameters.some((parameter) => /^filename\*?\s*=/i.test(parameter));
  if (!isFile) fields.set(name, utf8.decode(part.subarray(headerEnd + 4)));
}

/** `a/b; x=1; y="2;3"` in its pieces; a semicolon inside quotes does not separate. */
function splitParameters(header: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let isInQuotes = false;
  for (let index = 0; index < header.length; index += 1) {
    const character = header[index];
    if (isInQuotes && character === '\\') index += 1;
    else if (character === '"') isInQuotes = !isInQuotes;
    else if (character === ';' && !isInQuotes) {
      pieces.push(header.slice(start, index).trim());
      start = index + 1;
    }
  }
  pieces.push(header.slice(start).trim());
  return pieces;
}

function parameterValue(parameters: string[], name: string): string | undefined {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== name) continue;
    const value = parameter.slice(equals + 1).trim();
    const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
    return isQuoted ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
  }
  return undefined;
}
