// Turns an OpenAPI document into the dashboard's typed list of operations: one type per component, one entry per
// operation with its parameters, body and answer.
import { declareType, key, type NameOf, type Schema, toType } from './schema-types.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const head = `// Generated from the server's OpenAPI document by scripts/generate-client.ts: all operations of Weft, with their types.
// Do not edit.
`;

const byReference: NameOf = ({ $ref }) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);

export function clientTypes({ paths, components }: OpenApi): string {
  const all = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .sort((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
  return [
    head,
    ...Object.entries(components.schemas).map(([name, schema]) => declareType(name, schema, byReference)),
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
    const fields = here.map(
      ({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${toType(schema, byReference)}`,
    );
    parts.push(`${place}${isOptional ? '?' : ''}: { ${fields.join('; ')} }`);
  }
  const body = Object.entries(requestBody?.content ?? {})[0];
  if (body) parts.push(`${bodyName(body[0])}: ${toType(body[1].schema, byReference)}`);
  const answer = Object.entries(responses['200']?.content ?? {})[0];
  parts.push(`answer: ${answer?.[0] === 'application/json' ? toType(answer[1].schema, byReference) : 'unknown'}`);
  return `{ ${parts.join('; ')} }`;
}

function bodyName(media: string): string {
  if (media === 'application/json') return 'json';
  return media === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}
