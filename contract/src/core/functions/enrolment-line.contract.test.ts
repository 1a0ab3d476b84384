// The install line, read by a real shell.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { enrolmentLine, toShellWord } from './enrolment-line.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-line-'));
  return () => rmSync(folder, { recursive: true });
});

const program = 'the program\n';
const sha256 = createHash('sha256').update(program).digest('hex');
const options = { url: 'https://weft.example.org', ap_id: 'roof-1', token: 'weft-enrol-x' };

/** Runs the line with a `curl` that delivers `download`, and commands that write down how they were called. */
function run(line: string, { download = program, user = '1000' } = {}) {
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  writeFileSync(join(folder, 'download'), download);
  tool('curl', `echo "curl $*" >> ${folder}/calls\nfor last; do :; done\ncp ${folder}/download "$last"`);
  tool('node', `echo "node $*" >> ${folder}/calls\ncat > ${folder}/input`);
  tool('sudo', `echo "sudo $*" >> ${folder}/calls\nexec "$@"`);
  tool('id', `echo ${user}`);
  const { status } = spawnSync('sh', ['-c', line], { env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder } });
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return '';
    }
  };
  return { status, calls: read('calls'), input: read('input') };
}

test('a word is one word for a shell, whatever is in it', () => {
  const words = fc.sample(
    fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
    200,
  );
  const all = [...words, `$(touch x)`, "it's", '`id`', '--set', 'a\nb'];
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${all.map(toShellWord).join(' ')}`], { encoding: 'utf8' });
  expect(stdout.split('\0').slice(0, -1)).toEqual(all);
});

test('the line downloads the program and installs it; the token is on standard input and in no command line', () => {
  const line = enrolmentLine({ ...options, checksums: { 'weft.mjs': sha256 }, more: ['--set', "site=St. Mary's"] });
  const { status, calls, input } = run(line);
  expect(status).toBe(0);
  expect(input).toBe('weft-enrol-x');
  expect(calls).not.toContain('weft-enrol-x');
  expect(calls).toContain('curl -fsSL https://weft.example.org/install/weft.mjs -o ');
  expect(calls).toMatch(/^sudo node .*weft\.mjs agent install --enrolment-token-file - --url/m);
  expect(calls).toContain("--ap-id roof-1 --set site=St. Mary's");
});

test('root needs no sudo', () => {
  const { status, calls } = run(enrolmentLine({ ...options, checksums: { 'weft.mjs': sha256 } }), { user: '0' });
  expect(status).toBe(0);
  expect(calls).not.toContain('sudo');
  expect(calls).toMatch(/^node /m);
});

test('another program than the one that Weft vouched for is not run', () => {
  const line = enrolmentLine({ ...options, checksums: { 'weft.mjs': sha256 } });
  const { status, calls } = run(line, { download: 'somebody else’s program\n' });
  expect(status).not.toBe(0);
  expect(calls).not.toContain('node');
});

test('a certificate that no authority has signed is pinned for the download and for the agent', () => {
  const certificate = { public_key: 'abc+/=', fingerprint: 'AA:BB' };
  const { calls } = run(enrolmentLine({ ...options, checksums: { 'weft.mjs': sha256, certificate } }));
  expect(calls).toContain('curl -fsSL -k --pinnedpubkey sha256//abc+/= https://');
  expect(calls).toContain('--fingerprint AA:BB');
});
