// Regenerates the dashboard's typed list of operations from the OpenAPI document of a temporary server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../controller/src/config.ts';
import { serve } from '../controller/src/serve.ts';
import { clientTypes, type OpenApi } from './client-types.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'weft-client-'));
const env = { WEFT_PORT: '0', WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'silent' };
const weft = await serve(loadConfig({ env, file: {}, flags: {} }));
try {
  const document = (await (await fetch(`${weft.url}/openapi.json`)).json()) as OpenApi;
  writeFileSync(resolve(import.meta.dirname, '..', 'dashboard', 'src', 'api', 'operations.ts'), clientTypes(document));
} finally {
  await weft.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
