// Posts that are read directly are a part of those that node:http takes, and are answered alike; head-fuzz.long.test.ts sends
// many more heads.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { echo } from '../../../../../test/bare-server.ts';
import { seedOf } from '../../../../../test/draw.ts';
import { compareScript, fuzzHeads } from '../../../../../test/fuzz/head-fuzz.ts';
import { rounds } from '../../../../../test/rounds.ts';

it('heads of all kinds, cut anywhere and pipelined, have the same answers as from node:http', async () => {
  await fuzzHeads({ heads: 20_000, seed: seedOf('heads') });
});

it.each([false, true])('a head that once ended the process is a 400, whoever reads it (TLS: %s)', async (isTls) => {
  const head = 'POST x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
  const { direct, byNode } = await compareScript([head], isTls ? createCertificate() : undefined);
  expect(direct).toEqual(byNode);
  expect(direct).toMatchObject({ isClosed: true, received: expect.stringContaining('HTTP/1.1 400 Bad Request') });
});

it('what waits for its answer has it before a CONNECT behind it is refused, whoever reads it', async () => {
  const lines = ['Host: localhost', 'Authorization: Bearer cached', 'Content-Type: application/json'];
  const post = [`POST ${echo.url} HTTP/1.1`, ...lines, 'Content-Length: 1', '', ''].join('\r\n');
  const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const { direct, byNode } = await compareScript([`${post}x${post}2${connect}`]);
  expect(direct).toEqual(byNode);
  expect(direct.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 200', 'HTTP/1.1 400']);
});

it('heads over TLS have the same answers too', async () => {
  await fuzzHeads({ heads: rounds(500, 60), seed: seedOf('heads'), tls: createCertificate() });
});

function createCertificate(): { certFile: string; keyFile: string } {
  const folder = mkdtempSync(join(tmpdir(), 'weft-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const files = ['-subj', '/CN=localhost', '-keyout', tls.keyFile, '-out', tls.certFile];
  execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' });
  return tls;
}
