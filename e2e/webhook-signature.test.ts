// The functions that docs/events-and-webhooks.md shows know a request of Weft from a forgery.
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { root, temporaryFolder } from './weft-process.ts';

const document = readFileSync(join(root, 'docs', 'events-and-webhooks.md'), 'utf8');
const shown = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(document)![1]!;
const body = '{"text":"ä"}';
const seconds = Math.floor(Date.now() / 1000);
const sign = (secret: string, at: number) =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
const headers = [sign('secret', seconds), sign('other', seconds), sign('secret', seconds - 600), '', 'v1=x'];
const expected = [true, false, false, false, false];

test('in JavaScript', async () => {
  const file = join(temporaryFolder(), 'verify.mjs');
  writeFileSync(file, shown('js'));
  const { isFromWeft } = await import(pathToFileURL(file).href);
  expect(headers.map((header) => isFromWeft('secret', header, Buffer.from(body)))).toEqual(expected);
});

test('in Python', () => {
  const program = `${shown('python')}
import json, sys
headers, body = json.load(sys.stdin)
print(json.dumps([is_from_weft("secret", header, body.encode()) for header in headers]))
`;
  const out = execFileSync('python3', ['-c', program], { input: JSON.stringify([headers, body]), encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual(expected);
});
