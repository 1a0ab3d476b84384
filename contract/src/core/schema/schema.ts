// Builds the schemas: plain JSON Schema objects, with the types of TypeBox. Its own builders are 370 modules, which cost
// every process a sixth of its start and 20 MB; those that are needed here are these few.
import type * as TypeBox from 'typebox';

export type { Static, TObject, TSchema } from 'typebox';

type Options = Record<string, unknown>;
type Schema = Options & { '~optional'?: true };

const simple = (type: string) => (options?: Options) => ({ type, ...options });

function object(properties: Record<string, Schema>, options?: Options) {
  const required = Object.keys(properties).filter((name) => properties[name]!['~optional'] !== true);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

const builders = {
  Array: (items: Schema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: simple('boolean'),
  /** Of words. */
  Enum: (values: readonly string[], options?: Options) => ({ enum: values, type: 'string', ...options }),
  Integer: simple('integer'),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: simple('null'),
  Number: simple('number'),
  Object: object,
  /** The mark is not part of the schema: it is in no document, and gone in a copy. */
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, '~optional', { value: true }),
  Record: (_key: Schema, value: Schema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: simple('string'),
  Union: (anyOf: readonly Schema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: Schema) => schema,
};

// Under names of their own first, because some are those of globals.
const {
  Array: arrayOf,
  Boolean: booleanOf,
  Enum: enumOf,
  Integer: integerOf,
  Literal: literalOf,
  Null: nullOf,
  Number: numberOf,
  Object: objectOf,
  Optional: optionalOf,
  Record: recordOf,
  String: stringOf,
  Union: unionOf,
  Unknown: unknownOf,
  Unsafe: unsafeOf,
} = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;

export {
  arrayOf as Array,
  booleanOf as Boolean,
  enumOf as Enum,
  integerOf as Integer,
  literalOf as Literal,
  nullOf as Null,
  numberOf as Number,
  objectOf as Object,
  recordOf as Record,
  stringOf as String,
  unionOf as Union,
  unknownOf as Unknown,
  unsafeOf as Unsafe,
};

type Optionally<Schema extends TypeBox.TSchema> = ReturnType<typeof TypeBox.Optional<Schema>>;
type OfValues = <Values extends TypeBox.TEnumValue[]>(
  values: readonly [...Values],
  options?: Options,
) => Optionally<TypeBox.TEnum<Values>>;
type OfItems = <Items extends TypeBox.TSchema>(items: Items, options?: Options) => Optionally<TypeBox.TArray<Items>>;
type OfFields = <Fields extends TypeBox.TProperties>(
  fields: Fields,
  options?: Options,
) => Optionally<TypeBox.TObject<Fields>>;
type OfNames = <Value extends TypeBox.TSchema>(
  key: TypeBox.TString,
  value: Value,
  options?: Options,
) => Optionally<ReturnType<typeof TypeBox.Record<TypeBox.TString, Value>>>;

/** Around any schema; with the name of a builder, one of it that is optional: `Type.Optional.String()`. */
export const Optional = Object.assign(optionalOf as typeof TypeBox.Optional, {
  Array: ((items, options) => optionalOf(arrayOf(items, options))) as OfItems,
  Boolean: (options?: Options) => optionalOf(booleanOf(options)),
  Enum: ((values, options) => optionalOf(enumOf(values as never, options))) as OfValues,
  Integer: (options?: Options) => optionalOf(integerOf(options)),
  Number: (options?: Options) => optionalOf(numberOf(options)),
  Object: ((fields, options) => optionalOf(objectOf(fields, options))) as OfFields,
  Record: ((key, value, options) => optionalOf(recordOf(key, value, options))) as OfNames,
  String: (options?: Options) => optionalOf(stringOf(options)),
  Unknown: (options?: Options) => optionalOf(unknownOf(options)),
});

export const Timestamp = stringOf({ format: 'date-time' });

export function OrNull<Schema extends TypeBox.TSchema>(schema: Schema, options?: Options) {
  return unionOf([schema, nullOf()], options);
}

/** An object that the interface documents know by this title. */
export function Named<Fields extends TypeBox.TProperties>(title: string, fields: Fields): TypeBox.TObject<Fields> {
  return objectOf(fields, { title });
}
