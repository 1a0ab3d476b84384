import { expect, test } from 'vitest';
import { testsOf } from './changed-tests.mjs';

const importers = new Map([
  [
    'controller/src/users/user-store.ts',
    ['controller/src/users/user-service.ts', 'controller/src/users/user-store.test.ts'],
  ],
  ['controller/src/users/user-service.ts', ['controller/src/parts.ts', 'controller/src/audit/changes.test.ts']],
  ['controller/src/parts.ts', ['test/weft.ts']],
  ['test/weft.ts', ['controller/src/jobs/jobs.test.ts']],
  ['controller/src/users/user-store.test.ts', []],
  ['controller/src/users/user-routes.test.ts', []],
  ['controller/src/audit/changes.test.ts', []],
  ['controller/src/jobs/jobs.test.ts', []],
]);

test('near a store are the tests of its folder, and those that import it through others, but not through the whole server', () => {
  expect(testsOf(['controller/src/users/user-store.ts'], importers)).toEqual([
    'controller/src/audit/changes.test.ts',
    'controller/src/users/user-routes.test.ts',
    'controller/src/users/user-store.test.ts',
  ]);
});

test('a fixture that changed concerns all who use it', () => {
  expect(testsOf(['test/weft.ts'], importers)).toEqual(['controller/src/jobs/jobs.test.ts']);
});
