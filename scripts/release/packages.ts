// The packages whose code is in a release, from the lock file: for the lists of parts (SBOM) and the texts of licences.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');

export interface ReleasedPackage {
  name: string;
  version: string;
  licence: string;
  /** As the lock file has it: `sha512-…`. */
  integrity: string;
  /** The folder, which exists if the package is for this machine. */
  path: string;
}

interface Locked {
  version?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  resolved?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/**
 * What these workspaces need to run, of this machine, by name. All of them if none is named, with the Node that is pinned.
 */
export function productionPackages(workspaces = ['controller', 'dashboard', 'cli']): ReleasedPackage[] {
  const found = new Map<string, ReleasedPackage>();
  const seen = new Set<string>();
  const visit = (from: string) => {
    if (seen.has(from)) return;
    seen.add(from);
    const { dependencies, optionalDependencies } = lock.packages[from]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolvePackage(from, name);
      const locked = lock.packages[path]!;
      if (locked.link) {
        visit(locked.resolved ?? path);
      } else if (isForHere(locked)) {
        const folder = join(root, path);
        const licence = locked.license ?? licenceIn(folder);
        const { version = '', integrity = '' } = locked;
        found.set(`${name}@${version}`, { name, version, licence, integrity, path: folder });
        visit(path);
      }
    }
  };
  for (const workspace of workspaces) visit(workspace);
  if (workspaces.includes('controller')) visit('');
  const byName = (a: ReleasedPackage, b: ReleasedPackage) =>
    `${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1;
  return [...found.values()].sort(byName);
}

/** Where Node would find it: in the folder of who asks, or of whatever holds that. */
function resolvePackage(from: string, name: string): string {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in lock.packages) return path;
    if (at === '') throw new Error(`${name} is not in the lock file`);
  }
}

function isForHere({ os, cpu, libc }: Locked): boolean {
  const takes = (wanted: string[] | undefined, here: string) => wanted === undefined || wanted.includes(here);
  return takes(os, process.platform) && takes(cpu, process.arch) && takes(libc, 'glibc');
}

function licenceIn(folder: string): string {
  const file = join(folder, 'package.json');
  const { license } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return typeof license === 'string' ? license : (license?.type ?? 'unknown');
}
