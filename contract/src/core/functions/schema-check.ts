// Whether a value that came over the wire has the shape of a schema of the contract: for programs that ship without a schema
// library. The controller has its own validator, which also says what is wrong in the words of the interface.
import { isObject } from './is-object.ts';

type Schema = Record<string, unknown>;

const kinds: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isObject,
  string: (value) => typeof value === 'string',
};

/** Words of an enumeration may be others: those of a newer Weft are no reason to ignore what it says. */
export function hasShape<Value>(schema: object, value: unknown): value is Value {
  const { anyOf, type, const: only, enum: words, items, properties, required, patternProperties } = schema as Schema;
  if (Array.isArray(anyOf)) return anyOf.some((each) => hasShape(each, value));
  if (only !== undefined) return value === only;
  if (Array.isArray(words)) return typeof value === typeof words[0];
  if (typeof type === 'string' && !kinds[type]!(value)) return false;
  if (Array.isArray(value)) return items === undefined || value.every((each) => hasShape(items as Schema, each));
  if (!isObject(value)) return true;
  const known = (properties ?? {}) as Record<string, Schema>;
  const [others] = Object.values((patternProperties ?? {}) as Record<string, Schema>);
  return (
    ((required ?? []) as string[]).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, each]) => {
      const schemaOf = Object.hasOwn(known, name) ? known[name] : others;
      return schemaOf === undefined || hasShape(schemaOf, each);
    })
  );
}
