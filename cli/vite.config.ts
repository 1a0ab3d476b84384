// How the command line becomes the one file that Weft hands out: with everything it needs, for Node 20 and newer.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  define: { __WEFT_COMMIT__: JSON.stringify(process.env.WEFT_BUILD_COMMIT ?? '') },
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: 'src/bin/weft.ts',
    target: 'node20',
    minify: true,
    emptyOutDir: true,
    reportCompressedSize: false,
    rollupOptions: {
      // Faster ways for sockets, which ws uses where they happen to be.
      external: ['bufferutil', 'utf-8-validate'],
      output: { codeSplitting: false, entryFileNames: 'weft.mjs' },
    },
  },
});
