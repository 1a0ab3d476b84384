// What JSON calls an object, neither null nor a list; and what reads text that may be no JSON at all.

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for what is none. Bytes are UTF-8 throughout. */
export function parseJson(given: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof given === 'string' ? given : new TextDecoder('utf-8', { fatal: true }).decode(given));
  } catch {
    return undefined;
  }
}

/** Undefined for what is no object in JSON. */
export function parseObject(given: string | Uint8Array): Record<string, unknown> | undefined {
  const value = parseJson(given);
  return isObject(value) ? value : undefined;
}

/** By a name that a stranger may have chosen: of the object itself, never of what all objects have. */
export function ownOf<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
