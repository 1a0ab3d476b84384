// V8's JSON.parse (12.8 and later) may give an escaped key (`"a\""`) the name that an earlier text had at its place (`a\`):
// one caller's names then change those of the next (nodejs/node issue 63785). Where the engine has this fault, importing
// this module puts a JSON.parse in its place that hands no escaped key to the engine. For the whole process, because
// drivers read back what is stored.

const native = JSON.parse;
const colon = /\s*:/y;

/** As JSON.parse. With a reviver it is that of the engine. */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  if (reviver || typeof text !== 'string' || !text.includes('\\')) return native(text, reviver);
  const keys: string[] = [];
  let hasEscapedKey = false;
  let numbered = '';
  let taken = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    colon.lastIndex = end;
    if (colon.test(text)) {
      const key = text.slice(start, end);
      hasEscapedKey ||= key.includes('\\');
      numbered += `${text.slice(taken, start)}"key ${keys.push(key) - 1}"`;
      taken = end;
    }
    start = text.indexOf('"', end);
  }
  if (!hasEscapedKey) return native(text);
  return named(native(numbered + text.slice(taken)), (key) => native(keys[Number(key.slice(4))]!));
}

/** Behind the closing quote of the string that begins there, or behind the text. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function named(value: unknown, nameOf: (key: string) => string): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => named(item, nameOf));
  const object = {};
  for (const [key, item] of Object.entries(value)) {
    // As for every key of JSON, `__proto__` is one of the object's own.
    const property = { value: named(item, nameOf), configurable: true, enumerable: true, writable: true };
    Object.defineProperty(object, nameOf(key), property);
  }
  return object;
}

native('{"json-parse":{},"a\\\\":0}');
const isFaulty = Object.hasOwn(native('{"json-parse":{},"a\\"":0}'), 'a\\');
if (isFaulty) JSON.parse = parseJson as typeof JSON.parse;
