// The same with many slow clients at once and the time-outs of the product.
import { expect, it } from 'vitest';
import { openRawConnection } from '../../../../../test/raw-connection.ts';
import { startWeft } from '../../../../../test/weft.ts';

const slowClients = 500;
const slowPost =
  'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';

it('D1: 500 slow clients are all cut off with 408 within 20 seconds, and others hardly notice', async () => {
  const weft = await startWeft();
  try {
    await weft.request('GET', '/healthz');
    const alone = await slowestOf(200);
    const start = performance.now();
    const connections = await Promise.all(Array.from({ length: slowClients }, () => openRawConnection(weft.url)));
    const ends = connections.map(async (connection, index) => {
      connection.send(index % 2 === 0 ? slowPost : 'GET /healthz HTTP/1.1\r\nX-A: ');
      const timer = setInterval(() => connection.send(' '), 1000);
      const { status } = await connection.answer(25_000).finally(() => clearInterval(timer));
      connection.destroy();
      return { status, ms: performance.now() - start };
    });
    const beside = await slowestOf(200);
    for (const end of await Promise.all(ends)) {
      expect(end.status).toBe(408);
      expect(end.ms).toBeGreaterThan(9_000);
      expect(end.ms).toBeLessThan(20_000);
    }
    expect(beside).toBeLessThan(2 * alone + 20);
  } finally {
    await weft.stop();
  }

  /** The 99th of a hundred, in milliseconds. */
  async function slowestOf(count: number): Promise<number> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const start = performance.now();
      await weft.request('GET', '/healthz');
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(count * 0.99) - 1]!;
  }
}, 60_000);
