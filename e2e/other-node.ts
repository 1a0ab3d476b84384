// The Node of the machine, as the people have it who read the documents: not the one that comes with Weft.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Undefined if there is none of version 20 or newer. */
function findOtherNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path));
  return found.find((path) => Number(/^v(\d+)/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stdout)?.[1]) >= 20);
}

export const otherNode = findOtherNode();
if (!otherNode) {
  process.stderr.write(
    '\n!!! NO NODE 20 OR NEWER ON THE PATH: what others would run is run with the Node of Weft.\n\n',
  );
}

/** The folder of that Node, or of the one that comes with Weft; stands first on the PATH of a reader. */
export const folderOfNode = dirname(otherNode ?? process.execPath);
