// Builds the SDK package in sdk/dist: plain JavaScript and declarations for Node 20 and browsers, as ES modules and, in the
// folder cjs, as CommonJS, with the
// types of the contract included, so that it needs neither the contract nor its schema library; its dependency is
// bundled; and a tarball of it. Inside this repository the sources are used directly. `--pack FOLDER` writes only the tarball, there,
// under a name with the version: a lock file that names it is never given other bytes. `--emulator` does the same with the worlds of the
// emulator and its environments to learn in, without what runs them for Weft.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, isNode24, node24, root, runInForeground } from './install.mjs';

/** Of the contract, what is code rather than a schema. */
const contractFile = /'@weft\/contract\/((?!(?:agent-channel|operations|lab)')[a-z-]+)'/g;
const contractImport = /(?:import|export) type \{([^}]*)\} from '@weft\/contract(?:\/operations|\/lab)?'/g;
/** Schemas that are checked while it runs: they are written as they are, beside the types. */
const schemaImport = /import \{([^}]*)\} from '@weft\/contract(?:\/agent-channel)?'/g;
/** Of the SDK, in the emulator: types. */
const sdkImport = /import type \{([^}]*)\} from '@weft\/sdk'/g;

const { exports: contractFiles } = JSON.parse(readFileSync(join(root, 'contract', 'package.json'), 'utf8'));

await ensureInstalled();
const args = process.argv.slice(2);
if (!isNode24()) process.exit(await runInForeground(node24(), [fileURLToPath(import.meta.url), ...args]));
const { values } = parseArgs({ args, options: { pack: { type: 'string' }, emulator: { type: 'boolean' } } });
const folder = join(root, values.emulator ? 'emulator' : 'sdk');
const built = join(folder, 'dist');
/** Of the emulator what its entries reach. */
const { entries, files, readme } = values.emulator
  ? {
      entries: { '.': 'worlds', './env': 'env/index' },
      files: reached('worlds.ts', 'env/index.ts'),
      readme: 'learning.md',
    }
  : { entries: { '.': 'index', './browser': 'browser', './testing': 'testing' }, files: allFiles(), readme: 'sdk.md' };
await build(values.pack);

/** @param {string | undefined} tarball */
async function build(tarball) {
  const work = mkdtempSync(join(tmpdir(), 'weft-sdk-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));
    const { names, schemas } = copySources(join(work, 'src'));
    writeFileSync(join(work, 'src', 'contract.ts'), await contractTypes(names, schemas));
    const fresh = join(work, 'dist');
    compile(work, 'module', fresh);
    compile(work, 'commonjs', join(fresh, 'cjs'));
    writeFileSync(join(fresh, 'cjs', 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
    writeFileSync(join(fresh, 'package.json'), `${JSON.stringify(packageFile(), null, 2)}\n`);
    cpSync(join(root, 'docs', readme), join(fresh, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(fresh, 'LICENSE'));
    for (const name of Object.keys(packageFile().dependencies)) {
      cpSync(join(root, 'node_modules', name), join(fresh, 'node_modules', name), { recursive: true });
    }
    if (tarball === undefined) replace(fresh);
    pack(tarball === undefined ? built : fresh, tarball ?? built);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (tarball !== undefined) return;
  const made = readdirSync(built).find((name) => name.endsWith('.tgz'));
  process.stdout.write(`Built ${relative(root, built)}, and ${made} in it\n`);
}

/**
 * The names that are imported from the contract. Imports of its types become imports of a local file; its code is copied
 * into a folder.
 * @param {string} target
 */
function copySources(target) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Set<string>} */
  const schemas = new Set();
  for (const entry of files) {
    const text = readFileSync(join(folder, 'src', entry), 'utf8');
    for (const [, imported = ''] of text.matchAll(schemaImport)) {
      for (const name of imported.split(',')) schemas.add(plainName(name));
    }
    for (const [, name = ''] of text.matchAll(contractFile)) copyContractFile(contractFiles[`./${name}`], target);
    for (const [, listed = ''] of text.matchAll(contractImport)) {
      for (const name of listed.split(',')) if (name.trim()) names.add(plainName(name));
    }
    const path = join(target, entry);
    mkdirSync(dirname(path), { recursive: true });
    const top = entry.includes('/') ? '../'.repeat(entry.split('/').length - 1).slice(0, -1) : '.';
    for (const [, imported = ''] of text.matchAll(sdkImport)) copySdkTypes(imported.split(',').map(plainName), target);
    const standalone = text
      .replaceAll(/'@weft\/contract(\/(agent-channel|operations|lab))?'/g, `'${top}/contract.ts'`)
      .replaceAll(contractFile, `'${top}/contract/$1.ts'`)
      .replaceAll("'@weft/sdk'", `'${top}/sdk.ts'`);
    writeFileSync(path, standalone);
  }
  // What the compiler knows of `request`.
  const operations = join(target, 'core', 'app', 'operations.ts');
  if (existsSync(operations)) cpSync(join(root, 'dashboard', 'src', 'api', 'operations.ts'), operations);
  for (const name of schemas) names.add(name);
  return { names, schemas };
}

/**
 * With the files that it imports, all of them beside it.
 * @param {string} file where the contract has it
 * @param {string} target
 */
function copyContractFile(file, target) {
  const path = join(target, 'contract', basename(file));
  if (existsSync(path)) return;
  const text = readFileSync(join(root, 'contract', file), 'utf8');
  mkdirSync(dirname(path), { recursive: true });
  const relativeImport = /from '(\.[a-z./-]*\/)([a-z-]+\.ts)'/g;
  writeFileSync(path, text.replaceAll(relativeImport, "from './$2'"));
  for (const [, way = '', name = ''] of text.matchAll(relativeImport))
    copyContractFile(join(dirname(file), way, name), target);
}

function allFiles() {
  const all = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  return all.filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.test.ts'));
}

/** @param {string[]} names */
function reached(...names) {
  /** @type {Set<string>} */
  const found = new Set();
  const visit = (/** @type {string} */ entry) => {
    if (found.has(entry)) return;
    found.add(entry);
    const text = readFileSync(join(folder, 'src', entry), 'utf8');
    for (const [, other = ''] of text.matchAll(/from '(\.[^']+)'/g)) visit(join(dirname(entry), other));
  };
  for (const name of names) visit(name);
  return [...found];
}

/**
 * Interfaces that need nothing else.
 * @param {string[]} names
 * @param {string} target
 */
function copySdkTypes(names, target) {
  const sources = ['settings-keeper.ts', 'settings-storage.ts'].map((name) =>
    readFileSync(join(root, 'sdk', 'src', 'core', name), 'utf8'),
  );
  const texts = names.map((name) => {
    const found = new RegExp(`export interface ${name} \\{.*?^\\}$`, 'ms').exec(sources.join('\n'));
    if (!found)
      throw new Error(`the emulator imports ${name} of the SDK, which is in none of the files that are read here`);
    return found[0];
  });
  writeFileSync(join(target, 'sdk.ts'), `${texts.join('\n\n')}\n`);
}

/** @param {string} name */
function plainName(name) {
  return name.trim().replaceAll(/^type | as .*$/g, '');
}

/**
 * @param {string} work
 * @param {'module' | 'commonjs'} type
 * @param {string} outDir
 */
function compile(work, type, outDir) {
  const options = {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      rootDir: 'src',
      outDir,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      verbatimModuleSyntax: type === 'module',
      isolatedModules: true,
      skipLibCheck: true,
      noEmitOnError: true,
    },
    include: ['src'],
  };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(options));
  writeFileSync(join(work, 'package.json'), JSON.stringify({ type }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', work], { cwd: work, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  for (const entry of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    const path = join(outDir, entry);
    if (entry.endsWith('.d.ts')) {
      // Not every compiler accepts a declaration that refers to a source file.
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replaceAll(/(from '|from "|import\(")(\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'));
    } else if (entry.endsWith('.js')) {
      // The types are in separate files; type checks of JavaScript should skip this file.
      writeFileSync(path, `// @ts-nocheck\n${readFileSync(path, 'utf8')}`);
    }
  }
}

function packageFile() {
  const {
    private: _private,
    exports: _exports,
    dependencies,
    ...own
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  /** @param {string} file */
  const bothKinds = (file) => ({
    import: { types: `./${file}.d.ts`, default: `./${file}.js` },
    require: { types: `./cjs/${file}.d.ts`, default: `./cjs/${file}.js` },
  });
  const needed = Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith('@weft/')));
  const all = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, bothKinds(file)]));
  const { './browser': browser } = all;
  const main = entries['.'];
  return {
    ...own,
    engines: { node: '>=20' },
    sideEffects: false,
    main: `./cjs/${main}.js`,
    module: `./${main}.js`,
    types: `./${main}.d.ts`,
    exports: { ...all, '.': { ...(browser && { browser }), ...bothKinds(main) } },
    files: ['**/*.js', '**/*.d.ts', 'cjs/package.json'],
    dependencies: needed,
    bundleDependencies: Object.keys(needed),
  };
}

/**
 * @param {string} fresh
 * @param {string} target
 */
function pack(fresh, target) {
  const { status } = spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: fresh, stdio: 'ignore' });
  const made = readdirSync(fresh).find((name) => name.endsWith('.tgz'));
  if (status !== 0 || made === undefined) throw new Error('npm pack failed');
  if (fresh === target) return;
  mkdirSync(target, { recursive: true });
  cpSync(join(fresh, made), join(target, made));
}

/** @param {string} fresh */
function replace(fresh) {
  const beside = join(folder, `dist.${process.pid}`);
  cpSync(fresh, beside, { recursive: true });
  rmSync(built, { recursive: true, force: true });
  renameSync(beside, built);
}

/**
 * TypeScript for these schemas, and for those that they refer to; and some schemas themselves.
 * @param {Set<string>} names
 * @param {Set<string>} schemas
 */
async function contractTypes(names, schemas) {
  const { declareType } = await import('./schema-types.ts');
  /** @type {Record<string, any>} */
  const contract = {
    ...(await import('../contract/src/index.ts')),
    ...(await import('../contract/src/operations/index.ts')),
    ...(await import('../contract/src/lab/index.ts')),
  };
  /** @type {Map<string, string>} */
  const written = new Map();
  /** @param {string} name */
  const write = (name) => {
    const schema = contract[name];
    if (written.has(name) || !schema) return;
    written.set(name, '');
    written.set(name, declareType(name, schema, byTitle));
  };
  /** @type {import('./schema-types.ts').NameOf} */
  const byTitle = ({ title }) => {
    if (typeof title !== 'string' || !contract[title]) return undefined;
    write(title);
    return title;
  };

  for (const name of names) write(name);
  for (const name of schemas)
    written.set(`${name} itself`, `export const ${name} = ${JSON.stringify(contract[name])};\n`);
  return `// What crosses the wire.\n${[...written.values()].join('\n')}`;
}
