// `npm test`: installs what the tests need, including PostgreSQL, ClickHouse, RabbitMQ and a browser, and
// runs them. `--long` adds tests that take minutes, one file after the other: they measure what a whole machine
// does. All other arguments are passed to Vitest.
import { join } from 'node:path';
import { ensureInstalled, node24, root, runInForeground } from './install.mjs';
import { ensureServers } from './test-servers.mjs';

const isLong = process.argv.includes('--long');
const args = process.argv.slice(2).filter((arg) => arg !== '--long');

await ensureInstalled();
// Pure tests need packages and nothing else.
const isPure = args.includes('--project=pure') || args[args.indexOf('--project') + 1] === 'pure';
if (!isPure) await ensureServers();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** @param {Record<string, string>} env */
const run = (env) => runInForeground(node24(), [vitest, 'run', ...args, ...(isLong ? ['--passWithNoTests'] : [])], env);
if (!isLong) process.exit(await run({}));
// Both, whatever the first one finds; with the name of a file either may have nothing to do.
const codes = [await run({ WEFT_TEST_LONG: '1' }), await run({ WEFT_TEST_LONG: 'only' })];
process.exit(codes.find((code) => code !== 0) ?? 0);
