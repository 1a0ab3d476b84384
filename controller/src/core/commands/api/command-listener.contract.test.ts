// Whoever listens to the commands on RabbitMQ hears of each, and can do nothing with what it hears.
import { connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { findRabbit, shareRabbit } from '../../../../../test/rabbitmq.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { CallbackTokens } from '../../jobs/publish/callback-tokens.ts';

describe.skipIf(findRabbit() === undefined)('a listener with a queue of its own, bound as the documents say', () => {
  let rabbit: Awaited<ReturnType<typeof shareRabbit>>;
  let weft: TestWeft;
  beforeAll(async () => {
    rabbit = await shareRabbit();
    weft = await startWeft({ WEFT_AMQP_URL: rabbit.url });
  });
  afterAll(async () => {
    await weft?.stop();
    await rabbit?.stop();
  });

  it('gets every command without a token, and the commands are delivered all the same', async () => {
    const admin = await weft.admin();
    const agent = await weft.agent('ap-1');
    const connection = await connect(rabbit.url);
    try {
      const channel = await connection.createChannel();
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.bindQueue(queue, 'weft', 'send_command');
      // On a busy machine one may come more than once.
      const heardBy = new Map<string, Record<string, unknown>>();
      const hear = (message: Record<string, unknown> & { job_number: string }) =>
        heardBy.set(message.job_number, message);
      await channel.consume(queue, (message) => hear(JSON.parse(String(message!.content))), { noAck: true });

      const sent: string[] = [];
      for (const command of ['sleep', '{"name":"set_tx_power","dbm":17}']) {
        const query = new URLSearchParams({ agent_id: 'ap-1', command });
        const { status, body } = await weft.request('POST', `/api/v1/send_command?${query}`, { token: admin });
        expect(status, JSON.stringify(body)).toBe(200);
        sent.push(body.command_id);
      }
      await untilSo(() => expect(heardBy.size).toBe(2));
      const heard = [...heardBy.values()];
      for (const [index, message] of heard.entries()) {
        expect(message).toEqual({
          job_number: expect.any(String),
          task_type: 'send_command',
          requested_by: { kind: 'user', id: expect.any(String) },
          data: expect.objectContaining({ agent_id: 'ap-1', command_id: sent[index] }),
        });
      }
      const polled = await weft.request('GET', '/api/v1/agents/ap-1/commands?wait=10', { token: agent });
      expect(polled.body.map(({ command_id }: { command_id: string }) => command_id)).toEqual(sent);

      // Not even a token that somebody could compute would open anything.
      const job_number = String(heard[0]!.job_number);
      const token = new CallbackTokens(weft.platform.keyring).create(job_number);
      for (const kind of ['agent_data', 'agent_details', 'emulator']) {
        const path = `/api/v1/callback/${kind}?job_number=${job_number}`;
        expect((await weft.request('POST', path, { token, json: [{}] })).status).toBe(409);
      }
    } finally {
      await connection.close();
    }
  });
});
