import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { verifyWebhook } from './webhook.ts';

test('a request of Weft is told from a forgery', () => {
  const body = '{"text":"ä"}';
  const now = Math.floor(Date.now() / 1000);
  const sign = (secret: string, at: number, text = body) =>
    `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')}`;
  const check = (signature: string | undefined, more = {}) =>
    verifyWebhook({ secret: 'right', signature, body: Buffer.from(body), ...more });
  expect(check(sign('right', now))).toBe(true);
  expect(check(sign('right', now - 600), { toleranceSeconds: 700 })).toBe(true);
  const forged = [sign('wrong', now), sign('right', now - 600), sign('right', now, '{}'), '', 'v1=x', undefined];
  for (const signature of forged) expect(check(signature)).toBe(false);
});
