import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ownPassword } from './own-password.ts';

let folder: string;
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'weft-password-'));
  folder = join(made, 'state', 'roof-1');
  return () => rmSync(made, { recursive: true });
});

test('a password is made up once, for nobody else to read', () => {
  const password = ownPassword(folder);
  expect(password).toMatch(/^[\w-]{43}$/);
  expect(ownPassword(folder)).toBe(password);
  expect(readdirSync(folder)).toEqual(['password']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'password')).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('a file that holds none is not written over, and what is to be done is said', () => {
  ownPassword(folder);
  writeFileSync(join(folder, 'password'), '');
  expect(() => ownPassword(folder)).toThrow('does not contain a password. Remove it');
});
