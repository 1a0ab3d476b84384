// Each validator of the interface documents finds what it is there for. That both are clean is a check of its own. To read the
// validators is half of the work, and they change with their versions only: with the long run.
import { expect, test } from 'vitest';
import { isLong } from '../../test/rounds.ts';
import { interfaceDocuments } from '../interface-documents.ts';

interface Tree {
  // biome-ignore lint/suspicious/noExplicitAny: parts of every shape are broken here
  [key: string]: any;
}

/** Components that nothing names, and then those that only they named. */
function removeUnnamed(document: Tree): void {
  const text = JSON.stringify(document);
  let isDone = true;
  for (const [kind, parts] of Object.entries<Tree>(document.components)) {
    for (const name of Object.keys(parts)) {
      if (text.includes(kind === 'securitySchemes' ? `"${name}":[]` : `"#/components/${kind}/${name}"`)) continue;
      delete parts[name];
      isDone = false;
    }
  }
  if (!isDone) removeUnnamed(document);
}

test.runIf(isLong)('broken documents are reported by the validator that looks for it', async () => {
  const { interfaceProblems } = await import('./interface-rules.ts');
  const { openApi, asyncApi } = (await interfaceDocuments()) as Record<'openApi' | 'asyncApi', Tree>;
  // Of one operation, with what it names: the whole document takes seconds.
  const path = '/api/v1/users/{username}';
  openApi.paths = { [path]: { get: openApi.paths[path].get } };
  removeUnnamed(openApi);
  const { get } = openApi.paths[path];
  delete openApi.tags[0].description;
  delete get.description;
  delete get.parameters[0].description;
  asyncApi.channels.agent_data.bindings.amqp.exchange = { name: 'weft', type: 'direct' };
  delete asyncApi.servers;
  for (const channel of Object.values<Tree>(asyncApi.channels)) delete channel.servers;
  const problems = await interfaceProblems({ openApi, asyncApi });
  expect(problems.filter((line) => !line.startsWith('asyncapi.json'))).toEqual([
    expect.stringMatching(/^openapi\.json, Redocly: #\/tags\/0\/description: .*\(tag-description\)$/),
    expect.stringMatching(/^openapi\.json, Spectral: .*\(operation-description\)$/),
    expect.stringMatching(/^openapi\.json, Spectral: .*\(oas3-parameter-description\)$/),
  ]);
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^asyncapi\.json, AsyncAPI parser: channels\.agent_data\.bindings\.amqp: /),
      expect.stringMatching(/^asyncapi\.json, Spectral: .*\(asyncapi-servers\)$/),
    ]),
  );
});
