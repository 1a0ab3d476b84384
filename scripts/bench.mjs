// `npm run bench -- auth`: runs bench/auth.ts; without a name, every file of bench/ one after the other, but the soak of two hours.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, fail, node24, root, runInForeground } from './install.mjs';

await ensureInstalled();
const folder = join(root, 'bench');
const known = (existsSync(folder) ? readdirSync(folder) : [])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
const [name, ...args] = process.argv.slice(2);
if (name !== undefined && !known.includes(name)) fail(`There is no benchmark ${name}. There are: ${known.join(', ')}.`);

if (!(await ensureBuilt())) process.exit(1);
let worst = 0;
for (const bench of name === undefined ? known.filter((each) => each !== 'soak') : [name]) {
  worst = Math.max(worst, await runInForeground(node24(), [join(folder, `${bench}.ts`), ...args]));
}
process.exit(worst);
