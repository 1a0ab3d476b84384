// Preloaded into a server to see whether the tests of flushing notice: nothing is ever flushed to disk.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

fs.fdatasync = Object.assign(
  (/** @type {number} */ _handle, /** @type {fs.NoParamCallback} */ done) => void setImmediate(done, null),
  { __promisify__: async () => {} },
);
fs.fdatasyncSync = () => {};
fs.fsyncSync = () => {};
syncBuiltinESMExports();
