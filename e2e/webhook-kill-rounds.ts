// Weft killed at random moments while events are made and webhooks deliver them: to one receiver that works and one that
// fails now and then. Afterwards every event must have come to each, in the order of its subject.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { draw } from '../test/draw.ts';
import { untilSo } from '../test/pure/until-so.ts';
import { startReceiver, type WebhookReceiver } from '../test/webhook-receiver.ts';
import { serve as serveHere } from './weft-here.ts';
import { password, serve, temporaryFolder, type Weft } from './weft-process.ts';

const leastChanges = 10;
const agents = Array.from({ length: 6 }, (_, index) => `ap-${index}`);

export async function killWhileDelivering(rounds: number): Promise<{ events: number; repeated: number }> {
  const folder = temporaryFolder();
  const env = { WEFT_WEBHOOK_ALLOW: '127.0.0.0/8' };
  let server = await serve({ folder, env });
  let weft: Weft = server;
  const token = await weft.createAdmin();
  for (const ap_id of agents) {
    await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration: {} } });
  }
  // Each event at most once: a chain of failures waits longer with every link, and its length has no bound.
  const failed = new Set<number>();
  const [failing, moments] = [draw('failing answers'), draw('moments of kills')];
  const failsOnce = (id: number) => {
    if (failed.has(id) || failing.unit() >= 0.3) return 200;
    failed.add(id);
    return 500;
  };
  const receivers = [await open(() => 200), await open(failsOnce)];
  for (const [index, { url }] of receivers.entries()) {
    const json = { name: `hook ${index}`, url, events: ['config.changed'], selector: 'name:ap-*' };
    expect((await weft.request('POST', '/api/v1/webhooks', { token, json })).status).toBe(200);
  }
  let changes = 0;
  for (let round = 0; round < rounds; round++) {
    const [killed, before] = [server, changes];
    const writing = agents.map((ap_id) => change(killed, token, { ap_id, round }, () => changes++));
    await pause(100 + moments.below(900));
    // On a busy machine that may have been time for hardly any.
    await untilSo(() => expect(changes - before).toBeGreaterThan(leastChanges));
    await killed.end('SIGKILL');
    await Promise.all(writing);
    // The last start is not killed, and needs no process.
    const isLast = round === rounds - 1;
    if (!isLast) server = await serve({ folder, env });
    weft = isLast ? await serveHere({ env: { ...env, WEFT_DATA_DIR: join(folder, 'data') } }) : server;
  }
  const wanted = await eventsOf(weft, token);
  expect(wanted.length).toBeGreaterThanOrEqual(changes);
  for (const { received } of receivers) {
    await untilCame(received, wanted.length);
    const first = [...accepted(received).values()];
    expect(first.map(({ id }) => id).sort((a, b) => a - b)).toEqual(wanted.map(({ id }) => id));
    for (const ap_id of agents) {
      const ids = first.filter(({ subject }) => subject === ap_id).map(({ id }) => id);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
  }
  const repeated = receivers[0]!.received.length - wanted.length;
  return { events: wanted.length, repeated };
}

/** Those that were answered with success, each by its first time. */
function accepted(received: WebhookReceiver['received']): Map<number, { id: number; subject: string }> {
  const first = new Map<number, { id: number; subject: string }>();
  for (const { body, headers } of received) {
    if (headers['x-answered'] === '200' && !first.has(body.id)) first.set(body.id, body);
  }
  return first;
}

/** However many there are: as long as one more comes. */
async function untilCame(received: WebhookReceiver['received'], count: number): Promise<void> {
  for (let came = accepted(received).size; came < count; came = accepted(received).size) {
    await untilSo(() => expect(accepted(received).size).toBeGreaterThan(came));
  }
}

async function open(answer: (id: number) => number): Promise<WebhookReceiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = (request) => {
    const status = answer(request.body.id);
    request.headers['x-answered'] = String(status);
    return status;
  };
  return receiver;
}

/** Changes the agent again and again, each time to another configuration, until the server is gone; `note` hears of each answer. */
async function change(
  weft: Weft,
  token: string,
  { ap_id, round }: { ap_id: string; round: number },
  note: () => void,
): Promise<void> {
  for (let channel = 0; ; channel++) {
    const json = { configuration: { channel, round } };
    const answer = await weft.request('PUT', `/api/v1/agents/${ap_id}`, { token, json }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(200);
    note();
  }
}

async function eventsOf(weft: Weft, token: string): Promise<{ id: number }[]> {
  const events: { id: number }[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/v1/events?after=0&limit=500&kinds=config.changed&selector=name:ap-*${cursor}`;
    const { body } = await weft.request('GET', path, { token });
    events.push(...body.items);
    if (body.next === null) return events;
    cursor = `&cursor=${body.next}`;
  }
}
