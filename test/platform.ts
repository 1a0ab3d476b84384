// What the parts of Weft stand on, in a folder of a test's own: for tests that need no server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../controller/src/core/base/config.ts';
import { createEvents } from '../controller/src/core/events.ts';
import { createLogger } from '../controller/src/core/http/request/log.ts';
import { openPlatform } from '../controller/src/platform.ts';
import { countCost } from './costs/file-costs.ts';
import { copyMigrated, passwordCost } from './weft.ts';

/** `overrides` are settings by name. The tables are there. */
export async function openTestPlatform(overrides: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'weft-platform-'));
  const env = { WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'silent', ...overrides };
  await copyMigrated(dataDir);
  const config = loadConfig({ env, file: {}, flags: {} });
  countCost('platform');
  const events = createEvents();
  const platform = await openPlatform({
    config,
    events,
    log: createLogger('silent'),
    ownUrl: () => '',
    passwordCost,
    onFatal: (error) => {
      throw error;
    },
  });
  await platform.database.migrate();
  return {
    ...platform,
    events,
    async close(): Promise<void> {
      await platform.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
