// Both interface documents as Weft serves them, and the routes they are made of, from its parts without starting a server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../controller/src/core/base/config.ts';
import { createEvents } from '../controller/src/core/events.ts';
import { createLogger } from '../controller/src/core/http/request/log.ts';
import type { Route } from '../controller/src/core/http/request/route.ts';
import type { SocketRoute } from '../controller/src/core/http/sockets/socket-route.ts';
import type { Part } from '../controller/src/core/part.ts';
import { createDocuments } from '../controller/src/pages.ts';
import { createParts } from '../controller/src/parts.ts';
import { openPlatform } from '../controller/src/platform.ts';

interface Interface {
  openApi: object;
  asyncApi: object;
  routes: Route[];
  sockets: SocketRoute[];
}

export async function interfaceDocuments(): Promise<Interface> {
  const dataDir = await mkdtemp(join(tmpdir(), 'weft-documents-'));
  const env = { WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'silent' };
  const config = loadConfig({ env, file: {}, flags: {} });
  const events = createEvents();
  const platform = await openPlatform({
    config,
    events,
    log: createLogger('silent'),
    ownUrl: () => '',
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    const parts: Part[] = Object.values(createParts(platform, events));
    const routes = parts.flatMap((part) => part.routes ?? []);
    const sockets = parts.flatMap((part) => part.sockets?.routes ?? []);
    return { ...createDocuments(config, routes), routes, sockets };
  } finally {
    await platform.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
