// A worker: answers `agent_details` jobs of Weft from its own inventory.
// AMQP_URL=amqp://guest:guest@127.0.0.1 WEFT_URL=http://127.0.0.1:8000 node examples/worker/worker.mjs
import { setTimeout as pause } from 'node:timers/promises';
import amqp from 'amqplib';

const { AMQP_URL = 'amqp://127.0.0.1', WEFT_URL = 'http://127.0.0.1:8000' } = process.env;
const inventory = [
  { id: 'b7a1c6de-31f2-4a51-9d0e-6a6c3b2f8a10', ap_id: 'ap-cellar-1', configuration: {}, onboard: true },
  { id: '0f4e2c55-8f5e-4f0b-8a57-0e9d1b7c4e21', ap_id: 'ap-roof-1', configuration: {}, onboard: false },
];

/** Retries until the controller has stored the chunk or rejects it; repeating a chunk is harmless. */
async function post({ job_number, callback_token }, data, query) {
  const url = `${WEFT_URL}/api/v1/callback/agent_details?${new URLSearchParams({ job_number, ...query })}`;
  const headers = { Authorization: `Bearer ${callback_token}`, 'Content-Type': 'application/json' };
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(data) }).catch(() => undefined);
    const { code, detail } = (await answer?.json().catch(() => undefined)) ?? {};
    const isPassing = !answer || answer.status >= 500 || (answer.status === 429 && code !== 'job_full');
    if (!isPassing) return detail;
    await pause(1000 * Number(answer?.headers.get('Retry-After') ?? 1));
  }
}

const connection = await amqp.connect(AMQP_URL);
const channel = await connection.createChannel();
await channel.prefetch(1);
await channel.consume('agent_details', async (message) => {
  if (!message) throw new Error('the queue was deleted: restart this program when it exists again');
  const job = JSON.parse(message.content.toString());
  // One part, and the last one. `{ error: 'why' }` instead of these two would end the job as failed.
  const outcome = await post(job, inventory, { chunk: 1, final: true });
  process.stdout.write(`${job.job_number}: ${outcome}\n`);
  channel.ack(message);
});
