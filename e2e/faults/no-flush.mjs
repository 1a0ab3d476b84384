// Preloaded into a server to see whether the tests of flushing notice: nothing is ever flushed to disk.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

fs.fdatasyncSync = () => {};
fs.fsyncSync = () => {};
syncBuiltinESMExports();
