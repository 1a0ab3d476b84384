// Which project a test file belongs to. `e2e` is the folder of that name: real processes and a browser. `contract` needs a
// server, a port or a real backend. `pure` needs nothing but packages; pure/no-servers.ts holds its files to that.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const packages = '{broker,cli,contract,controller,dashboard,emulator,examples,scripts,sdk,test,timeseries}';

/** Fixtures that start something, or what a test would start something with. */
const startsSomething =
  /^(?:import .*|\} )from '(?:[^']*\/test\/(?!pure\/)[^']*|node:(?:child_process|net|http|https|tls|dgram))'|\binject\(/m;

/** Start programs through code of the product. */
const startsPrograms = [
  'cli/src/access-point/commands/commands.test.ts',
  'cli/src/access-point/machine/followed-tool.test.ts',
];

export function testFiles(): { pure: string[]; contract: string[] } {
  const files = globSync(`${packages}/**/*.test.ts`, { cwd: root, exclude: (path) => path.includes('node_modules') });
  const isContract = (file: string) =>
    startsPrograms.includes(file) || startsSomething.test(readFileSync(join(root, file), 'utf8'));
  return { pure: files.filter((file) => !isContract(file)), contract: files.filter(isContract) };
}
