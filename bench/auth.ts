// How much does it cost to know who is calling? Token checks beside a bare node:http server, logins beside bare
// argon2, and what a storm of logins does to everybody else.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hash } from '@node-rs/argon2';
import { light, median, openLoop, percentile, requestBytes, saturate } from './harness/load.ts';
import { type Measured, startFloor, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const rounds = 3;
const seconds = 5;
const username = 'admin@weft.test';
const password = 'correct horse battery';

const weft = await startWeft({ WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password });
const floor = await startFloor('floor-http.ts');
try {
  const token = await login();
  keep('auth', [...(await tokenChecks(token)), await loginRate(), await loginStorm(token)]);
} finally {
  await weft.stop();
  await floor.stop();
}

async function tokenChecks(token: string): Promise<Figure[]> {
  const headers = { authorization: `Bearer ${token}` };
  const rates: Record<'floor' | 'weft', number[]> = { floor: [], weft: [] };
  const cpu: Record<'floor' | 'weft', number[]> = { floor: [], weft: [] };
  let failures = 0;
  const run = async (name: 'floor' | 'weft', server: Measured, isWarmUp = false) => {
    const before = await server.cpuSeconds();
    const bytes = requestBytes('GET', `${server.url}/api/v1/users/me`, headers);
    const result = await saturate(server.url, () => bytes, isWarmUp ? 2 : seconds);
    if (isWarmUp) return;
    rates[name].push(result.requestsPerSecond);
    cpu[name].push((((await server.cpuSeconds()) - before) * 1e6) / (result.requestsPerSecond * seconds));
    failures += result.failures;
  };
  await run('floor', floor, true);
  await run('weft', weft, true);
  for (let round = 0; round < rounds; round++) {
    await run('floor', floor);
    await run('weft', weft);
  }
  const ratio = median(rates.weft) / median(rates.floor);
  return [
    {
      question: 'GET /users/me, token checked, 64 connections, saturated',
      value: `${Math.round(median(rates.weft))}/s (${failures} failures)`,
      against: `bare node:http ${Math.round(median(rates.floor))}/s, ratio ${ratio.toFixed(2)}`,
      goal: 'ratio ≥ 0.6',
      ok: ratio >= 0.6 && failures === 0,
    },
    {
      question: 'Processor time a request',
      value: `${median(cpu.weft).toFixed(0)} µs`,
      against: `bare node:http ${median(cpu.floor).toFixed(0)} µs, ratio ${(median(cpu.weft) / median(cpu.floor)).toFixed(2)}`,
    },
  ];
}

async function loginRate(): Promise<Figure> {
  const count = 100;
  const hashStart = performance.now();
  for (let done = 0; done < 50; done++) await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const barePerSecond = 50_000 / (performance.now() - hashStart);
  const start = performance.now();
  await Promise.all(Array.from({ length: count }, () => login()));
  const perSecond = (count * 1000) / (performance.now() - start);
  return {
    question: `${count} logins at once`,
    value: `${perSecond.toFixed(0)} logins/s`,
    against: `bare argon2id, one at a time, ${barePerSecond.toFixed(0)}/s`,
  };
}

async function loginStorm(token: string): Promise<Figure> {
  const me = async () =>
    (await light(`${weft.url}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })).status === 200;
  const calm = await openLoop(me, 100, 5);
  const storm = promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'harness/login-storm.ts'),
    weft.url,
    username,
    password,
  ]);
  const during = await openLoop(me, 100, 15);
  const succeeded = (await storm).stdout;
  const p99 = percentile(during.latencies, 0.99);
  return {
    question: `Others' p99 while 500 logins arrive at once (${succeeded} of them answered with a token)`,
    value: `${p99.toFixed(1)} ms (${during.failures} failures)`,
    against: `before the storm ${percentile(calm.latencies, 0.99).toFixed(1)} ms`,
    goal: '≤ 200 ms',
    ok: p99 <= 200 && during.failures === 0,
  };
}

async function login(): Promise<string> {
  const body = new URLSearchParams({ username, password }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  if (answer.status !== 200) throw new Error(`login answered ${answer.status}`);
  return JSON.parse(answer.text).access_token;
}
