// TypeScript types for JSON schemas, with their descriptions as comments: the dashboard's from the OpenAPI document
// (client-types.ts), the SDK's from the contract (build-sdk.mjs).
export type Schema = Record<string, unknown>;

/** The name under which a schema is declared elsewhere, if it is. */
export type NameOf = (schema: Schema) => string | undefined;

/** `export type` for one schema. */
export function declareType(name: string, schema: Schema, nameOf: NameOf): string {
  return `${comment(schema, '')}export type ${name} = ${describe(schema, nameOf, '')};\n`;
}

/** What a schema describes, or its name. */
export function toType(schema: Schema, nameOf: NameOf, indent = ''): string {
  return nameOf(schema) ?? describe(schema, nameOf, indent);
}

function describe(schema: Schema, nameOf: NameOf, indent: string): string {
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((part) => toType(part, nameOf, indent)).join(' | ');
  switch (schema.type) {
    case 'array':
      return `(${toType((schema.items ?? {}) as Schema, nameOf, indent)})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'object':
      return describeObject(schema, nameOf, indent);
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function describeObject(schema: Schema, nameOf: NameOf, indent: string): string {
  const { required = [], additionalProperties } = schema;
  const deeper = `${indent}  `;
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, field]) => {
    const mark = (required as string[]).includes(name) ? '' : '?';
    return `${comment(field, deeper)}${deeper}${key(name)}${mark}: ${toType(field, nameOf, deeper)};\n`;
  });
  const [values] = Object.values((schema.patternProperties ?? {}) as Record<string, Schema>);
  if (fields.length === 0) return `Record<string, ${values ? toType(values, nameOf, indent) : 'unknown'}>`;
  return `{\n${fields.join('')}${indent}}${additionalProperties === true ? ' & Record<string, unknown>' : ''}`;
}

/** A property name, in quotes where it needs them. */
export function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/[\\']/g, '\\$&')}'` : String(value);
}

function comment({ description }: Schema, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : '';
}
