// How the dashboard is built: small hashed files, nothing inline, so that the strict content policy holds. While it is
// being worked on, `npx vite dashboard` serves it with the interface of the Weft at WEFT_URL behind it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineConfig, type Plugin } from 'vite';
import { routes } from './src/routes.ts';

const weft = process.env.WEFT_URL ?? 'http://127.0.0.1:8000';

/** Leaves the addresses of the pages beside the files, for the server that answers them. */
const pageList: Plugin = {
  name: 'page-list',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(routes.map(({ path }) => path)) });
  },
};

/** The places of the gazetteer for the names on the map, the largest first: name, latitude, longitude, thousands of people. */
const placeList: Plugin = {
  name: 'place-list',
  generateBundle() {
    for (const [fileName, source] of placeFiles()) this.emitFile({ type: 'asset', fileName, source });
  },
  configureServer({ middlewares }) {
    const files = placeFiles();
    middlewares.use((request, response, next) => {
      const source = files.get(request.url?.slice(1) ?? '');
      if (source === undefined) return next();
      response.setHeader('content-type', 'application/json').end(source);
    });
  },
};

function placeFiles(): Map<string, string> {
  // The controller looks places up in the same table.
  const table = createRequire(new URL('../controller/package.json', import.meta.url)).resolve(
    'cities15000/cities15000.txt',
  );
  const places = readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 14)
    .map((fields): [string, number, number, number] => [
      fields[1]!,
      Number(Number(fields[4]).toFixed(3)),
      Number(Number(fields[5]).toFixed(3)),
      Math.round(Number(fields[14]) / 1000),
    ])
    .sort((a, b) => b[3] - a[3]);
  const isCity = ([, , , thousands]: (typeof places)[number]) => thousands >= 100;
  return new Map([
    ['places/cities.json', JSON.stringify(places.filter(isCity))],
    ['places/all.json', JSON.stringify(places)],
  ]);
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [pageList, placeList],
  // As modules: the other form needs another file to be loaded.
  resolve: { alias: { leaflet: 'leaflet/dist/leaflet-src.esm.js' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A page is few requests: what all pages share, its own part, and for some the map or the charts.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/setup.json', '/readyz', '/openapi.json', '/docs'].map((path) => [
        path,
        { target: weft, changeOrigin: true, ws: path === '/api' },
      ]),
    ),
  },
});
