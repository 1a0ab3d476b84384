import { expect, test } from 'vitest';
import { needsOf, testsOf } from './changed-tests.mjs';

const importers = new Map([
  [
    'controller/src/core/accounts/users/user-store.ts',
    [
      'controller/src/core/accounts/users/user-service.ts',
      'controller/src/core/accounts/users/user-store.test.ts',
      'e2e/ledger-folder.ts',
    ],
  ],
  [
    'controller/src/core/accounts/users/user-service.ts',
    ['controller/src/parts.ts', 'controller/src/core/accounts/audit/changes.test.ts'],
  ],
  ['controller/src/parts.ts', ['test/weft.ts']],
  ['test/weft.ts', ['controller/src/core/jobs/jobs.test.ts']],
  ['e2e/ledger-folder.ts', ['e2e/backup.test.ts']],
  ['e2e/backup.test.ts', []],
  ['controller/src/core/accounts/users/users.long.test.ts', []],
  ['controller/src/core/accounts/users/user-store.test.ts', []],
  ['controller/src/core/accounts/users/user-routes.test.ts', []],
  ['controller/src/core/accounts/audit/changes.test.ts', []],
  ['controller/src/core/jobs/jobs.test.ts', []],
]);

test('near a store are the tests of its folder, and those that import it through others, but not through the whole server; none that takes long', () => {
  expect(testsOf(['controller/src/core/accounts/users/user-store.ts'], importers)).toEqual([
    'controller/src/core/accounts/audit/changes.test.ts',
    'controller/src/core/accounts/users/user-routes.test.ts',
    'controller/src/core/accounts/users/user-store.test.ts',
  ]);
});

test('a fixture that changed concerns all who use it', () => {
  expect(testsOf(['test/weft.ts'], importers)).toEqual(['controller/src/core/jobs/jobs.test.ts']);
});

test.each([
  ['controller/src/core/accounts/users/user-store.contract.test.ts', { build: false, rabbit: false }],
  ['controller/src/core/accounts/users/login-limits.contract.test.ts', { build: false, rabbit: false }],
  ['controller/src/bin/weft.contract.test.ts', { build: true, rabbit: false }],
  ['controller/src/core/commands/api/command-listener.contract.test.ts', { build: false, rabbit: true }],
  ['broker/src/broker.contract.test.ts', { build: false, rabbit: true }],
  ['e2e/dashboard-map.test.ts', { build: true, rabbit: false }],
  ['e2e/cluster.test.ts', { build: true, rabbit: true }],
])('what %s needs is started, and nothing else', (path, needs) => {
  expect(needsOf([path])).toEqual(needs);
});
