// Turns an OpenAPI document into the dashboard's typed list of operations: one interface per component, one entry per
// operation with its parameters, body and answer.
type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

const head = `// Generated from the server's OpenAPI document by scripts/generate-client.ts: all operations of Weft, with their types.
// Do not edit.
`;

export function clientTypes({ paths, components }: OpenApi): string {
  const all = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .sort((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
  return [
    head,
    ...Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${toType(schema)};\n`),
    'export interface Operations {',
    ...all.map(({ operation }) => `  ${operation.operationId}: ${operationType(operation)};`),
    '}\n',
    'export const operations = {',
    ...all.map(({ path, method, operation }) => `  ${operation.operationId}: '${method} ${path}',`),
    '} as const satisfies Record<keyof Operations, string>;\n',
  ].join('\n');
}

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const parts: string[] = [];
  for (const place of ['path', 'query']) {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) continue;
    const isOptional = here.every(({ required }) => !required);
    const fields = here.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${toType(schema)}`);
    parts.push(`${place}${isOptional ? '?' : ''}: { ${fields.join('; ')} }`);
  }
  const body = Object.entries(requestBody?.content ?? {})[0];
  if (body) parts.push(`${bodyName(body[0])}: ${toType(body[1].schema)}`);
  const answer = Object.entries(responses['200']?.content ?? {})[0];
  parts.push(`answer: ${answer?.[0] === 'application/json' ? toType(answer[1].schema) : 'unknown'}`);
  return `{ ${parts.join('; ')} }`;
}

function bodyName(media: string): string {
  if (media === 'application/json') return 'json';
  return media === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}

function toType(schema: Json): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((part) => toType(part as Json)).join(' | ');
  switch (schema.type) {
    case 'array':
      return `(${toType((schema.items ?? {}) as Json)})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'object':
      return objectType(schema);
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: Json): string {
  const fields = Object.entries((properties ?? {}) as Record<string, Json>).map(
    ([name, schema]) => `${key(name)}${(required as string[]).includes(name) ? '' : '?'}: ${toType(schema)}`,
  );
  const open = 'Record<string, unknown>';
  if (fields.length === 0) return open;
  const fixed = `{ ${fields.join('; ')} }`;
  return additionalProperties ? `${fixed} & ${open}` : fixed;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
}
