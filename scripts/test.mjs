// `npm test`: installs what the tests need, including PostgreSQL, ClickHouse, RabbitMQ and a browser, and
// runs them. `--long` adds tests that take minutes, one file after the other: they measure what a whole machine
// does. `--every-page` loads all pages of the dashboard at all widths, and does nothing else. `--ring core` (operations, lab) runs the
// tests of one ring, without ClickHouse and the rounds that kill. `--changed` or `--changed=<commit>` runs
// those near what changed. All other arguments are passed to Vitest.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { changedTests, testsOfRing } from './changed-tests.mjs';
import { ensureInstalled, node24, root, runInForeground } from './install.mjs';
import { ensureServers } from './test-servers.mjs';

const isLong = process.argv.includes('--long');
const changed = process.argv.find((arg) => /^--changed(=|$)/.test(arg));
const isEveryPage = process.argv.includes('--every-page');
const ringAt = process.argv.indexOf('--ring');
const ring = ringAt < 0 ? undefined : process.argv[ringAt + 1];
const args = process.argv.slice(2).filter((arg) => !['--long', '--every-page', '--ring', ring, changed].includes(arg));
if (isEveryPage) args.push('e2e/dashboard-layout.test.ts');
if (ring !== undefined) args.push(...testsOfRing(ring));
if (changed !== undefined) {
  const files = changedTests(changed.split('=')[1]);
  process.stderr.write(
    `${files.length} test files are near what changed; e2e and other processes are not looked at.\n`,
  );
  if (files.length === 0) process.exit(0);
  args.push(...files);
}

await ensureInstalled();
// Pure tests need packages and nothing else.
const isPure = args.includes('--project=pure') || args[args.indexOf('--project') + 1] === 'pure';
if (!isPure) await ensureServers({ isLong });
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** @param {Record<string, string>} env */
const run = (env) => runInForeground(node24(), [vitest, 'run', ...args, ...(isLong ? ['--passWithNoTests'] : [])], env);
if (!isLong) process.exit(await run(isEveryPage ? { WEFT_TEST_EVERY_PAGE: '1' } : {}));
// One for both; `npm test` has that of the commit.
process.env.WEFT_TEST_SEED ||= String(randomInt(2 ** 32));
// Both, whatever the first one finds; with the name of a file either may have nothing to do.
const codes = [await run({ WEFT_TEST_LONG: '1' }), await run({ WEFT_TEST_LONG: 'only' })];
process.exit(codes.find((code) => code !== 0) ?? 0);
