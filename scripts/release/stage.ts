// Everything that runs, and nothing else, in the folders in which the image and the Debian package have it. Equal for equal
// sources, wherever and however often it is made: `stage.ts FOLDER` writes `program/`, which belongs to root, and `state/`.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productionPackages } from './packages.ts';

export const root = resolve(import.meta.dirname, '..', '..');
export const home = '/usr/lib/weft';
/** As npm calls them: `x64`, `arm64`. */
export const machine = process.arch;

/** Files of packages that the build does not contain: native code, and what is read while Weft runs. */
const fromPackages: Record<string, string[]> = {
  [`@node-rs/argon2-linux-${machine}-gnu`]: [''],
  '@node-rs/argon2': ['package.json', 'index.js'],
  'swagger-ui-dist': ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  cities15000: ['package.json', 'cities15000.txt', 'countryInfo.txt'],
  ws: [''],
};

/** That there is one says that a build is whole; there are no sources to compare it with. */
const stamp = '\n';

export function stage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const program = join(folder, 'program', home);
  mkdirSync(join(program, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'state', 'weft'), { recursive: true, mode: 0o700 });
  copy(join(root, 'node_modules', `node-linux-${machine}`, 'bin', 'node'), join(program, 'bin', 'node'));
  copy(join(root, 'deploy', 'health.mjs'), join(program, 'bin', 'health.mjs'));
  writeFileSync(join(program, 'package.json'), '{"type":"module"}\n');
  stageController(join(program, 'controller'));
  for (const build of [join('dashboard', 'dist'), join('dist', 'manual')]) stageBuild(build, program);
  for (const [name, files] of Object.entries(fromPackages)) {
    const from = [join(root, 'controller', 'node_modules', name), join(root, 'node_modules', name)].find(existsSync)!;
    for (const file of files) copy(join(from, file), join(program, 'node_modules', name, file));
  }
  stageDemo(program);
  const command = join(folder, 'program', 'usr', 'bin', 'weft');
  mkdirSync(dirname(command), { recursive: true });
  writeFileSync(command, `#!${home}/bin/node --max-semi-space-size=16\nimport('${home}/controller/dist/weft.js');\n`);
  const documents = join(folder, 'program', 'usr', 'share', 'doc', 'weft');
  mkdirSync(documents, { recursive: true });
  writeFileSync(join(documents, 'third-party-licences.txt'), licenceTexts());
  setModes(join(folder, 'program'));
  for (const file of [command, join(program, 'bin', 'node')]) chmodSync(file, 0o755);
}

/** Under a name that is the same in every build; without maps of the sources, which are not there. */
function stageController(target: string): void {
  const source = join(root, 'controller');
  const [, build = ''] =
    /import '\.\/(.+)\/weft\.js'/.exec(readFileSync(join(source, 'dist', 'weft.js'), 'utf8')) ?? [];
  const from = join(source, 'dist', build);
  cpSync(from, join(target, 'dist', 'app'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const file of readdirSync(join(target, 'dist', 'app'))) {
    const path = join(target, 'dist', 'app', file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^#!.*\n|\n\/\/# sourceMappingURL=\S+\s*$/g, ''));
  }
  writeFileSync(join(target, 'dist', 'weft.js'), "import './app/weft.js';\n");
  writeFileSync(join(target, 'dist', '.sources'), stamp);
  for (const name of ['data', 'migrations']) copy(join(source, name), join(target, name));
}

function stageBuild(path: string, program: string): void {
  copy(join(root, path), join(program, path));
  writeFileSync(join(program, path, '.sources'), stamp);
}

/** The control program of `weft demo`, which is TypeScript as it is in the examples, and the SDK that it imports. */
function stageDemo(program: string): void {
  for (const name of ['energy-saver', 'fleet']) {
    const isProgram = (path: string) => !/\.(test\.ts|md)$/.test(path);
    cpSync(join(root, 'examples', name), join(program, 'examples', name), { recursive: true, filter: isProgram });
  }
  const isNeeded = (path: string) => !/\.(tgz|d\.ts)$|\/cjs$|dist\/node_modules$/.test(path);
  cpSync(join(root, 'sdk', 'dist'), join(program, 'node_modules', '@weft', 'sdk'), {
    recursive: true,
    filter: isNeeded,
  });
}

/** Of every package whose code is in a release, Node included. */
function licenceTexts(): string {
  return productionPackages()
    .map(({ name, version, licence, path }) => {
      const files = existsSync(path)
        ? readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
        : [];
      const texts = files.sort().map((file) => readFileSync(join(path, file), 'utf8').trim());
      return `${'='.repeat(80)}\n${name} ${version}: ${licence}\n\n${texts.join('\n\n')}\n`;
    })
    .join('\n');
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

/** Whatever the umask was. */
function setModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else chmodSync(path, 0o644);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  stage(resolve(process.argv[2] ?? 'staged'));
}
