// The dashboard's list of operations is that of the server.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startWeft } from '../test/weft.ts';
import { clientTypes } from './client-types.ts';

it('is up to date; if not, run npx weft run scripts/generate-client.ts', async () => {
  const weft = await startWeft();
  try {
    const document = (await weft.request('GET', '/openapi.json')).body;
    const file = resolve(import.meta.dirname, '..', 'dashboard', 'src', 'api', 'operations.ts');
    expect(clientTypes(document)).toBe(readFileSync(file, 'utf8'));
  } finally {
    await weft.stop();
  }
});

it('writes every kind of schema as a type', () => {
  const text = clientTypes({
    paths: {
      '/things/{id}': {
        put: {
          operationId: 'put_thing',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'dry-run', in: 'query', required: false, schema: { type: 'boolean' } },
          ],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['kind'],
          properties: {
            kind: { enum: ['a', "b'c"] },
            parts: {
              type: 'array',
              description: 'In order.',
              items: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
            },
            free: { type: 'object', additionalProperties: true },
            counts: { type: 'object', patternProperties: { '^.*$': { type: 'integer' } } },
            fixed: { const: true },
            any: {},
          },
        },
      },
    },
  });
  expect(text).toContain(
    `export type Thing = {
  kind: 'a' | 'b\\'c';
  /** In order. */
  parts?: (number | null)[];
  free?: Record<string, unknown>;
  counts?: Record<string, number>;
  fixed?: true;
  any?: unknown;
};`,
  );
  expect(text).toContain(
    "put_thing: { path: { id: string }; query?: { 'dry-run'?: boolean }; json: Thing; answer: Thing };",
  );
  expect(text).toContain("put_thing: 'PUT /things/{id}',");
});
