// Does a receiver that hangs delay another? The time from the change to the arrival of its event at a receiver that works, alone, and
// then beside ten that never answer; both in one run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './harness/load.ts';
import { startWeft } from './harness/processes.ts';
import { keep } from './harness/results.ts';

const username = 'admin@weft.test';
const password = 'correct horse battery';
const perSecond = 50;
const seconds = 10;
const hangingReceivers = 10;
/** Events of one subject wait for one another. */
const agents = 20;

/** When each event came, by the number of the change that made it. */
const arrivals = new Map<string, number>();

const working = await listen((body, answer) => {
  for (const key of body.data.keys ?? []) arrivals.set(key, performance.now());
  answer();
});
const hanging = await listen(() => {});

const weft = await startWeft({
  WEFT_ADMIN_USERNAME: username,
  WEFT_ADMIN_PASSWORD: password,
  WEFT_WEBHOOK_ALLOW: '127.0.0.1',
});
try {
  const token = await login();
  for (let index = 0; index < agents; index++) {
    await call('POST', '/api/v1/agents/', { ap_id: `ap-${index}`, password, configuration: {} });
  }
  await call('POST', '/api/v1/webhooks', { name: 'working', url: working.url, events: ['config.changed'] });
  await measure('warm', 2);
  const alone = await measure('alone', seconds);
  for (let index = 0; index < hangingReceivers; index++) {
    await call('POST', '/api/v1/webhooks', { name: `hanging ${index}`, url: hanging.url, events: ['config.changed'] });
  }
  await pause(2_000);
  const beside = await measure('beside', seconds);
  const shown = ({ p50, p99 }: typeof alone) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  keep('webhooks', [
    {
      question: `change to arrival at a receiver that works, ${perSecond} events/s, beside ${hangingReceivers} receivers that never answer`,
      value: `${shown(beside)}, ${beside.missing} missing`,
      against: `alone ${shown(alone)}, ${alone.missing} missing`,
      goal: 'p50 at most 50 ms more, none missing',
      ok: beside.p50 <= alone.p50 + 50 && beside.missing === 0,
    },
  ]);

  async function call(method: string, path: string, json: unknown) {
    const answer = await fetch(weft.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async function measure(name: string, forSeconds: number) {
    const sent = new Map<string, number>();
    const calls: Promise<unknown>[] = [];
    const start = performance.now();
    for (let count = 0; count < forSeconds * perSecond; count++) {
      const dueMs = start + (count * 1000) / perSecond - performance.now();
      if (dueMs > 0) await pause(dueMs);
      const key = `${name}_${count}`;
      sent.set(key, performance.now());
      // Each change has a key of its own, and takes that of the one before away.
      calls.push(call('PUT', `/api/v1/agents/ap-${count % agents}`, { configuration: { [key]: count } }));
    }
    await Promise.all(calls);
    for (let wait = 0; wait < 300 && [...sent.keys()].some((key) => !arrivals.has(key)); wait++) await pause(100);
    const times = [...sent].flatMap(([key, at]) => (arrivals.has(key) ? [arrivals.get(key)! - at] : []));
    times.sort((a, b) => a - b);
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), missing: sent.size - times.length };
  }
} finally {
  await weft.stop();
  working.close();
  hanging.close();
}

async function login(): Promise<string> {
  const answer = await fetch(`${weft.url}/api/v1/token/?login_type=user`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever comes
async function listen(onBody: (body: any, answer: () => void) => void) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    onBody(JSON.parse(text), () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
