// Can a stranger tell by the clock whether an account exists? Known and unknown names are asked for in turn, and the two
// sets of times are compared: medians, and the Mann-Whitney test.
import { light, median } from './harness/load.ts';
import { startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const rounds = 200;
const username = 'admin@weft.test';
const password = 'correct horse battery';

const weft = await startWeft({
  WEFT_ADMIN_USERNAME: username,
  WEFT_ADMIN_PASSWORD: password,
  WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '100000',
  WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '100000',
  WEFT_LIMIT_RECOVERIES_PER_ADDRESS: '100000',
});
try {
  await createCallers();
  keep('timing', [
    await compare('Login of a user: unknown name, wrong password', loginAs('user'), 'ghost@weft.test', username),
    await compare('Login of an agent: unknown name, wrong password', loginAs('agent'), 'ghost', 'ap-1'),
    await compare('Login of an app: unknown name, wrong key', loginAs('third_party_app'), 'ghost', 'app-1'),
    await compare('Password recovery: unknown name, known name', recover, 'ghost@weft.test', username),
  ]);
} finally {
  await weft.stop();
}

async function compare(
  question: string,
  send: (name: string) => Promise<void>,
  unknown: string,
  known: string,
): Promise<Figure> {
  const times: Record<'unknown' | 'known', number[]> = { unknown: [], known: [] };
  const timed = async (kind: 'unknown' | 'known', name: string) => {
    const start = performance.now();
    await send(name);
    times[kind].push(performance.now() - start);
  };
  for (let round = 0; round < 20; round++) await send(round % 2 ? unknown : known);
  for (let round = 0; round < rounds; round++) {
    // Which goes first changes, so that neither always follows the other.
    if (round % 2) await timed('unknown', unknown);
    await timed('known', known);
    if (round % 2 === 0) await timed('unknown', unknown);
  }
  const difference = Math.abs(median(times.unknown) / median(times.known) - 1);
  const p = mannWhitney(times.unknown, times.known);
  return {
    question,
    value: `medians ${median(times.unknown).toFixed(2)} and ${median(times.known).toFixed(2)} ms, ${(difference * 100).toFixed(1)} % apart, p = ${p.toFixed(2)}`,
    goal: 'within 5 %, p > 0.01',
    ok: difference < 0.05 && p > 0.01,
  };
}

/** Two-sided p by the normal approximation, which is good for hundreds of values. */
function mannWhitney(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))];
  all.sort((x, y) => x.value - y.value);
  const rankSum = all.reduce((sum, { isA }, index) => sum + (isA ? index + 1 : 0), 0);
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  const z = Math.abs(u - mean) / deviation;
  // Abramowitz and Stegun 26.2.17, good to 1e-7.
  const t = 1 / (1 + 0.2316419 * z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return 2 * density * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}

function loginAs(kind: string): (name: string) => Promise<void> {
  return async (name) => {
    const body = new URLSearchParams({ username: name, password: 'not the right one' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await light(`${weft.url}/api/v1/token/?login_type=${kind}`, { method: 'POST', headers }, body);
    if (status !== 401) throw new Error(`login answered ${status}`);
  };
}

async function recover(name: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const url = `${weft.url}/api/v1/users/password-recovery`;
  const { status } = await light(url, { method: 'POST', headers }, JSON.stringify({ username: name }));
  if (status !== 200) throw new Error(`recovery answered ${status}`);
}

async function createCallers(): Promise<void> {
  const form = new URLSearchParams({ username, password }).toString();
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers: asForm }, form);
  const headers = { authorization: `Bearer ${JSON.parse(text).access_token}`, 'content-type': 'application/json' };
  await light(
    `${weft.url}/api/v1/agents`,
    { method: 'POST', headers },
    JSON.stringify({ ap_id: 'ap-1', password, configuration: {} }),
  );
  await light(
    `${weft.url}/api/v1/third_party_apps`,
    { method: 'POST', headers },
    JSON.stringify({ app_name: 'app-1', api_key: password, permissions: {} }),
  );
}
