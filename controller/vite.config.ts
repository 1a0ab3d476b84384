// How Weft becomes few files: read and linked in half of the time that its hundreds of modules take, with less memory.
import http from 'node:http';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** As deep as a folder of a build (scripts/build.mjs). */
const builtIn = join(import.meta.dirname, 'dist', 'build');
const places = /new URL\('(\.\/[\w-]+-thread)\.ts', import\.meta\.url\)|import\.meta\.(url|dirname)/g;

/** Threads become files of the build; data, migrations and pages are where the sources say. */
const keepPlaces: Plugin = {
  name: 'weft:keep-places',
  enforce: 'pre',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.')) return null;
    const moved = code.replace(places, (_, thread: string | undefined, what) => {
      if (thread !== undefined) {
        const fileName = `${thread.slice(2)}.js`;
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${thread}.ts`), fileName });
        return `new URL('./${fileName}', import.meta.url)`;
      }
      return what === 'url'
        ? `new URL(${JSON.stringify(relative(builtIn, id))}, import.meta.url).href`
        : `import.meta.dirname + ${JSON.stringify(`/${relative(builtIn, dirname(id))}`)}`;
    });
    // No line has moved.
    return { code: moved, map: null };
  },
};

/** A file with one character beyond ASCII takes twice the memory. */
const keepNarrow: Plugin = {
  name: 'weft:keep-narrow',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\x00-\x7f]/g, escapeUnit);
    }
  },
};

/** What it has at hand: its other properties are read when somebody asks for them. */
const ofHttp = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) => (get ? [] : [name]));

/** An import asks node:http for all of its properties, and so reads everything behind `fetch` at every start. */
const keepHttpSmall: Plugin = {
  name: 'weft:keep-http-small',
  enforce: 'pre',
  resolveId: (id, importer) => (id === 'node:http' && !importer?.includes('/node_modules/') ? '\0http' : null),
  load: (id) =>
    id === '\0http'
      ? `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${ofHttp} } = http;`
      : null,
};

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  define: { __WEFT_COMMIT__: JSON.stringify(process.env.WEFT_BUILD_COMMIT ?? '') },
  plugins: [keepPlaces, keepNarrow, keepHttpSmall],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: 'src/bin/weft.ts',
    target: 'node24',
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    rollupOptions: {
      // Native code, and what some packages use where it happens to be.
      external: ['@node-rs/argon2', 'bufferutil', 'pg-native', 'utf-8-validate'],
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
    },
  },
});
