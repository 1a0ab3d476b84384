// Before all tests: builds what they start, finds or starts the real servers, and tells the tests where they are. Pure tests
// need none of it.

import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureBuilt } from '../scripts/build.mjs';
import { dashboardBuild, stampFile } from '../scripts/build-state.mjs';
import { needsOf } from '../scripts/changed-tests.mjs';
import { fillCompileCaches, tellBuilt } from './compile-cache.ts';
import { createMigratedDatabases, type MigratedDatabases } from './migrated-database.ts';
import { findPostgres, startPostgres } from './postgres.ts';
import { findRabbit, startSharedRabbit } from './rabbitmq.ts';
import { closeSeenStatuses, openSeenStatuses } from './seen-statuses.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined where there is no PostgreSQL; its half of the suites is then skipped. */
    postgresUrl: string | undefined;
    /** What fresh databases are copies of. */
    migrated: MigratedDatabases;
    /** Undefined where there is no RabbitMQ; its half of the suites is then skipped. */
    amqpUrl: string | undefined;
    /** A folder that names virtual hosts which nobody uses, if the RabbitMQ is one of this run. */
    freeVhosts: string | undefined;
  }
}

interface Server {
  title: string;
  /** Names one that runs elsewhere. */
  variable: string;
  debianPackage: string;
  isThere: boolean;
  start(): Promise<Started>;
}

interface Started {
  url: string | undefined;
  freeVhosts?: string;
  stop(): Promise<void>;
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.projects.every(({ name }) => name === 'pure')) return undefined;
  const needs = await needsOfRun(project);
  const statuses = openSeenStatuses();
  const [{ postgres, migrated }, rabbit] = await Promise.all([
    withMigrated({
      title: 'PostgreSQL',
      variable: 'TEST_POSTGRES_URL',
      debianPackage: 'postgresql',
      isThere: findPostgres() !== undefined,
      start: () => startPostgres({ isAlone: true }),
    }),
    needs.rabbit
      ? provide({
          title: 'RabbitMQ',
          variable: 'TEST_AMQP_URL',
          debianPackage: 'rabbitmq-server',
          isThere: findRabbit() !== undefined,
          start: startSharedRabbit,
        })
      : nothing,
    build(needs),
  ]);
  const { remove: removeMigrated, ...databases } = migrated;
  project.provide('postgresUrl', postgres.url);
  project.provide('migrated', databases);
  project.provide('amqpUrl', rabbit.url);
  project.provide('freeVhosts', rabbit.freeVhosts);
  return async () => {
    await removeMigrated();
    await Promise.all([postgres.stop(), rabbit.stop()]);
    checkStatuses(statuses, await isWholeRun(project));
  };
}

/** Servers in the process of a test serve the dashboard, of whatever sources. */
async function build(needs: { build: boolean }): Promise<void> {
  const isBuilt = !needs.build && existsSync(stampFile(dashboardBuild));
  if (!isBuilt && !(await ensureBuilt())) throw new Error('Weft could not be built: see above');
  if (!isBuilt) tellBuilt();
  await fillCompileCaches();
}

async function withMigrated(server: Server) {
  const postgres = await provide(server);
  return { postgres, migrated: await createMigratedDatabases(postgres.url) };
}

const nothing: Started = { url: undefined, stop: async () => {} };

/** Of some files, if the run is of some. */
async function needsOfRun({ vitest }: TestProject): Promise<{ build: boolean; rabbit: boolean }> {
  // Not in its types; without it, everything is started.
  const { filenamePattern } = vitest as { filenamePattern?: string[] };
  const specifications = await vitest.globTestSpecifications(filenamePattern);
  return needsOf(specifications.map(({ moduleId }) => relative(vitest.config.root, moduleId)));
}

async function isWholeRun({ vitest }: TestProject): Promise<boolean> {
  const isReal = ({ project }: { project: TestProject }) => project.name === 'real';
  const ran = vitest.state.getTestModules().filter(isReal);
  return ran.length >= (await vitest.globTestSpecifications()).filter(isReal).length;
}

/** Throws if an operation answered something that the interface document does not name, or was never audited. */
function checkStatuses(folder: string, isWhole: boolean): void {
  const { undocumented, unseen, unaudited } = closeSeenStatuses(folder);
  if (isWhole && unseen.length > 0) {
    process.stdout.write(`\nIn the interface document, and seen by no test: ${unseen.join(', ')}\n`);
  }
  if (isWhole && unaudited.length > 0) {
    throw new Error(
      `changes without an entry in the audit log, or \`changesNothing\` is missing: ${unaudited.join(', ')}`,
    );
  }
  if (undocumented.length === 0) return;
  throw new Error(
    `answered, but not in the interface document: ${undocumented.join(', ')}. Name each in \`failures\` of its route.`,
  );
}

async function provide(server: Server): Promise<Started> {
  const given = process.env[server.variable] || undefined;
  if (given === undefined && server.isThere) return server.start();
  if (given === undefined) reportMissing(server);
  return { url: given, stop: async () => {} };
}

function reportMissing({ title, variable, debianPackage }: Server): void {
  const cure = `Install it (Debian: apt-get install ${debianPackage}) or set ${variable}.`;
  if (process.env.CI === 'true') throw new Error(`There is no ${title} to test with. ${cure}`);
  const line = '!'.repeat(100);
  process.stderr.write(`\n${line}\nNo ${title} found: ITS HALF OF THE CONTRACT TESTS IS SKIPPED. ${cure}\n${line}\n\n`);
}
