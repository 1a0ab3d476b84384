import { expect, onTestFinished, test } from 'vitest';
import { startWeft } from '../../test/weft.ts';
import { Channel } from './channel.ts';
import { BackOff } from './index.ts';
import { Session } from './session.ts';

const dayMs = 86_400_000;

test('a token that Weft has ended is renewed at once, however long the pauses have become', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const ap_id = 'ap-1';
  const password = 'a password that somebody chose';
  const admin = await weft.admin();
  const json = { ap_id, password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json })).status).toBe(200);
  const session = new Session({ url: weft.url, ap_id, password });
  const before = await session.token();
  const ended = await weft.request('PUT', `/api/v1/agents/${ap_id}`, { token: admin, json: { password } });
  expect(ended.status).toBe(200);
  const channel = new Channel({
    session,
    backOff: new BackOff({ firstMs: dayMs, longestMs: dayMs }),
    answerTimeoutMs: dayMs,
    missingSinceMs: () => Number.POSITIVE_INFINITY,
    onMessage: () => {},
    onOpen: () => {},
    onClosed: () => {},
    onError: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => channel.stop());
  await channel.start();
  expect(channel.isOpen).toBe(true);
  expect(await session.token()).not.toBe(before);
});
