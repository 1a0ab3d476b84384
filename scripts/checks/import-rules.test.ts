import { expect, test } from 'vitest';
import { findBreaches } from './import-rules.ts';

const src = 'controller/src';

test.each([
  ['contract/src/core/user.ts', "import { isIP } from 'node:net';", 'schema library'],
  ['contract/src/core/functions/glob.ts', "import * as Type from '../schema.ts';", 'needs no schema library'],
  ['contract/src/core/user.ts', "import Type from 'typebox';", 'schema.ts'],
  ['contract/src/core/functions/pause.ts', "import { Token } from '../tokens.ts';", 'needs no schema library'],
  ['broker/src/broker.amqp.ts', "import { Pool } from 'pg';", 'stands alone'],
  [
    'broker/src/broker.ts',
    "import type { JobStore } from '../../controller/src/jobs/store/job-store.ts';",
    'stands alone',
  ],
  ['broker/src/broker.ts', 'const port = process.env.PORT;', 'reads the environment'],
  ['timeseries/src/engine.ts', "import { ApId } from '@weft/contract';", 'knows nothing of Weft'],
  ['timeseries/src/blocks/tables.ts', "import { Head } from '../heads/head.ts';", 'order of folders'],
  [
    `${src}/core/jobs/job-worker.ts`,
    "import { openTimeSeries } from '@weft/timeseries';",
    'only by what stores telemetry',
  ],
  [
    'emulator/src/worker.ts',
    "import { AgentService } from '../../controller/src/agents/agent-service.ts';",
    'an outsider',
  ],
  ['cli/src/commands/data-command.ts', "import { Pool } from 'pg';", 'without a server'],
  ['cli/src/connection.ts', 'const { WEFT_URL } = process.env;', 'reads the environment'],
  [
    'examples/energy-saver/main.ts',
    "import { World } from '../../emulator/src/world/world.ts';",
    'what any author has',
  ],
  [
    'examples/trial/model-trial.ts',
    "import { serve } from '../../controller/src/serve.ts';",
    'trials without a server',
  ],
  ['emulator/src/world/world.ts', "import { connect } from 'node:net';", 'are mathematics'],
  ['sdk/src/core/app/stream.ts', "import { setTimeout } from 'node:timers/promises';", 'runs in browsers'],
  ['sdk/src/app.ts', "import { keptFetch } from './core/kept-connections.ts';", 'runs in browsers'],
  ['dashboard/src/pages/operations/map/map-page.tsx', "import { Agent } from '@weft/sdk';", 'runs in a browser'],
  ['dashboard/src/data/fleet.ts', "import { text } from '../pages/operations/map/map-page.tsx';", 'order of folders'],
  [
    `${src}/core/accounts/agents/agent-service.ts`,
    "import { matchesGlob } from '@weft/cli/glob';",
    'its own command line',
  ],
  [`${src}/core/base/config.ts`, "import { UsageError } from '@weft/cli';", 'its own command line'],
  [`${src}/core/base/mail/mailer.ts`, "import { request } from 'node:https';", 'the rules of trust'],
  [`${src}/core/jobs/job-worker.ts`, "import { connect } from 'amqplib';", 'by its package name'],
  [
    `${src}/core/jobs/job-worker.ts`,
    "import type { Broker } from '../../../../broker/src/broker.ts';",
    'by its package name',
  ],
  [
    `${src}/core/accounts/users/user-routes.ts`,
    "import type { UserStore } from './user-store.ts';",
    'routes and sockets',
  ],
  [`${src}/core/accounts/users/user-routes.ts`, "import { Pool } from 'pg';", 'routes and sockets'],
  [
    `${src}/core/accounts/users/user-service.ts`,
    "import { reply } from '../../http/route.ts';",
    'a service knows nothing',
  ],
  [`${src}/core/accounts/users/user-service.ts`, 'const users = new UserStore(database);', 'only parts'],
  [`${src}/core/http/server.ts`, "export * from '../base/storage/sql-database.sqlite.ts';", 'only parts'],
  [`${src}/core/http/server.ts`, "import { serve } from '../../serve.ts';", 'the top'],
  [`${src}/core/http/server.ts`, "const x = await import('../../bin/help.ts');", 'order of folders'],
  [
    `${src}/core/accounts/users/user-service.ts`,
    "import type { AuthService } from '../auth/auth-service.ts';",
    'order of folders',
  ],
  [`${src}/core/accounts/agents/agent-service.ts`, "import { x } from '../users/user-service.ts';", 'order of folders'],
  [
    `${src}/core/accounts/users/user-service.ts`,
    "import {\n  one,\n  two,\n} from '../../http/route.ts';",
    'a service knows nothing',
  ],
  [`${src}/core/http/a.ts`, 'const port = process.env.PORT;', 'reads the environment'],
  [`${src}/core/http/a.ts`, 'const size = socket._handle.writeQueueSize;', 'private field'],
  [`${src}/core/http/a.ts`, 'if ((socket as { _httpMessage?: unknown })) return;', 'private field'],
  ['sdk/src/a.ts', 'const { _handle: handle } = socket;', 'private field'],
  [`${src}/core/http/a.ts`, 'const timer = setInterval(work, 1_000);', 'a PeriodicTask'],
  ['examples/utils/text.ts', '', 'a folder is named'],
  [`${src}/core/telemetry/store/a.ts`, "import { b } from '../query/b.ts';", 'order of folders'],
  [`${src}/core/commands/delivery/poll/a.ts`, "import { b } from '../push/b.ts';", 'order of folders'],
  [`${src}/core/commands/grammar/a.ts`, "import { b } from '../delivery/push/b.ts';", 'order of folders'],
  ['timeseries/src/read/a.ts', "import { b } from '../write/b.ts';", 'order of folders'],
  ['timeseries/src/a.ts', "import { b } from '@weft/contract';", 'knows nothing of Weft'],
  [`${src}/core/jobs/a.ts`, "import { b } from '@weft/timeseries';", 'used by its package name'],
  [`${src}/core/accounts/users/a.test.ts`, "import { b } from '../../../../../e2e/b.ts';", 'what other tests need'],
  [`${src}/core/novelties/a.ts`, '', 'no place in the order of folders'],
  ['sdk/src/core/spool/novelties/a.ts', '', 'no place in the order of folders'],
  [`${src}/core/base/storage/a.ts`, "import { b } from '../../http/request/b.ts';", 'order of folders'],
  ['dashboard/src/data/a.ts', "import { b } from '../map/b.ts';", 'order of folders'],
  [`${src}/core/jobs/a.ts`, "import { b } from '../../operations/alarms/b.ts';", 'imports no tenant'],
  [`${src}/core/jobs/a.ts`, "import type { B } from '@weft/contract/operations';", 'imports no tenant'],
  [`${src}/core/jobs/a.ts`, "import { b } from '@weft/emulator/b';", 'imports no tenant'],
  [
    `${src}/operations/alarms/a.ts`,
    "import { b } from '../../lab/radio-map/b.ts';",
    'tenants do not import each other',
  ],
  ['contract/src/core/a.ts', "import { b } from '../lab/b.ts';", 'imports no tenant'],
  ['sdk/src/core/app/a.ts', "import type { B } from '@weft/contract/operations';", 'imports no tenant'],
  ['dashboard/src/pages/operations/map/a.ts', "import { b } from '../../lab/what-if/b.ts';", 'tenants do not import'],
  ['dashboard/src/pages/lab/emulator/a.ts', "import { b } from '../../operations/map/b.ts';", 'tenants do not import'],
])('%s with %j is found', (path, text, reason) => {
  expect(findBreaches([{ path, text }], [])).toEqual([expect.stringContaining(reason)]);
});

test('a known import through a wall passes, and has to leave the list with the import', () => {
  const known = [`${src}/core/jobs/a.ts -> @weft/contract/lab`];
  const file = { path: `${src}/core/jobs/a.ts`, text: "import { B } from '@weft/contract/lab';" };
  expect(findBreaches([file], known)).toEqual([]);
  expect(findBreaches([{ ...file, text: '' }], known)).toEqual([expect.stringContaining('take it out of')]);
});

test('an import cycle is found, through types too', () => {
  const a = { path: `${src}/a.ts`, text: "import { b } from './b.ts';" };
  const b = { path: `${src}/b.ts`, text: "import type { A } from './a.ts';" };
  expect(findBreaches([a, b], [])).toEqual([`import cycle: ${src}/a.ts -> ${src}/b.ts -> ${src}/a.ts`]);
});

test('what the rules allow passes, and so do tests', () => {
  const files = [
    { path: 'contract/src/core/user.ts', text: "import * as Type from './schema/schema.ts';" },
    {
      path: `${src}/core/accounts/users/user-routes.ts`,
      text: "import { User } from '@weft/contract';\nimport type { UserService } from './user-service.ts';\nimport { route } from '../../http/route.ts';",
    },
    {
      path: `${src}/core/accounts/auth/auth-service.ts`,
      text: "import type { UserStore } from '../users/user-store.ts';",
    },
    {
      path: 'broker/src/broker.amqp.ts',
      text: "import amqp from 'amqplib';\nimport { taskTypes } from '@weft/contract';",
    },
    { path: `${src}/core/jobs/job-service.ts`, text: "import type { Broker } from '@weft/broker';" },
    { path: `${src}/core/accounts/users/users-part.ts`, text: 'const users = new UserStore(database);' },
    { path: `${src}/bin/weft.ts`, text: "await import('../serve.ts');\nawait import('@weft/cli');\nprocess.env;" },
    { path: 'contract/src/core/functions/back-off.ts', text: "import { pauseUnless } from './pause.ts';" },
    { path: 'sdk/src/core/agent.ts', text: "import { BackOff } from '@weft/contract/back-off';" },
    { path: `${src}/core/accounts/users/user-store.contract.test.ts`, text: 'const users = new UserStore(database);' },
    { path: `${src}/core/accounts/users/user-store.ts`, text: "export const sql = `select * from 'x'`;" },
  ];
  expect(findBreaches(files, [])).toEqual([]);
});
