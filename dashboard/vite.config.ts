// How the dashboard is built: small hashed files, nothing inline, so that the strict content policy holds. While it is
// being worked on, `npx vite dashboard` serves it with the interface of the Weft at WEFT_URL behind it.
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [pageList],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
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
