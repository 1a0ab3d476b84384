import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGeneratedSecret } from '@weft/sdk';
import { beforeEach, expect, test } from 'vitest';
import { keepPassword, ownPassword } from './own-password.ts';

let folder: string;
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'weft-password-'));
  folder = join(made, 'state', 'roof-1');
  return () => rmSync(made, { recursive: true });
});

test('a password is made up once, for nobody else to read', () => {
  const own = ownPassword(folder);
  expect(isGeneratedSecret(own.password)).toBe(true);
  expect(ownPassword(folder)).toEqual(own);
  expect(readdirSync(folder)).toEqual(['password']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'password')).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('a new one is kept with the one before, and one of an earlier version counts', () => {
  ownPassword(folder);
  const older = 'a'.repeat(43);
  writeFileSync(join(folder, 'password'), `${older}\n`);
  expect(ownPassword(folder)).toEqual({ password: older });
  keepPassword(folder, 'b'.repeat(43), older);
  expect(ownPassword(folder)).toEqual({ password: 'b'.repeat(43), formerPassword: older });
  expect(readdirSync(folder)).toEqual(['password']);
  expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
});

test('a file that holds none is not written over, and what is to be done is said', () => {
  ownPassword(folder);
  writeFileSync(join(folder, 'password'), '');
  expect(() => ownPassword(folder)).toThrow('does not contain a password. Remove it');
  expect(readFileSync(join(folder, 'password'), 'utf8')).toBe('');
});
