// InfluxDB as a peer: the same samples written to it, and the same questions asked, straight through its own interface.
import type { Sample } from '../../controller/src/core/telemetry/store/telemetry-store.ts';
import { startInflux } from './influx-server.ts';
import { LightReader } from './light-reader.ts';
import { light, requestBytes } from './load.ts';

const database = 'bench';

export interface PeerInflux {
  url: string;
  write(ap_id: string, samples: readonly Sample[]): Promise<boolean>;
  /** Resolves once the whole answer has come; throws if it is no result. */
  query(influxql: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startPeerInflux(): Promise<PeerInflux> {
  const { url, stop } = await startInflux();
  await light(`${url}/query?q=${encodeURIComponent(`create database ${database}`)}`, { method: 'POST' });
  const headers = { 'content-type': 'text/plain' };
  const reader = new LightReader(url);
  return {
    url,
    stop: () => {
      reader.close();
      return stop();
    },
    async write(ap_id, samples) {
      const lines = samples.map(({ ts, names, values }) => {
        const fields = names.map((name, index) => `${name}=${values[index]}`);
        return `${measurement(ap_id)} ${fields.join()} ${ts}`;
      });
      const { status } = await light(writeUrl(url), { method: 'POST', headers }, lines.join('\n'));
      return status === 204;
    },
    async query(influxql) {
      const { status, start } = await reader.get(`/query?db=${database}&epoch=ms&q=${encodeURIComponent(influxql)}`);
      if (status !== 200 || !start.includes('"series"')) throw new Error(`${influxql}: ${start.slice(0, 500)}`);
    },
  };
}

/** The bytes of a write of these lines. */
export function influxPost(url: string, body: string): Buffer {
  return requestBytes('POST', writeUrl(url), { 'content-type': 'text/plain' }, body);
}

export function measurement(ap_id: string): string {
  return `agent/${ap_id}/data`;
}

function writeUrl(url: string): string {
  return `${url}/write?db=${database}&precision=ms`;
}
