// The floor of the job path: the same steps with nothing around them. A request inserts a row (PostgreSQL), publishes
// with a confirm (RabbitMQ), a consumer posts a result over HTTP, that inserts a row and goes out over a WebSocket.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'amqplib';
import { Pool } from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';

const [databaseUrl, amqpUrl] = process.argv.slice(2) as [string, string];
const agents = JSON.stringify(
  Array.from({ length: 100 }, (_, n) => ({ id: randomUUID(), ap_id: `ap-${n}`, configuration: {}, onboard: true })),
);
const pool = new Pool({ connectionString: databaseUrl, max: 10 });
await pool.query('CREATE TABLE floor_jobs (job_number TEXT PRIMARY KEY, state TEXT, created_at BIGINT)');
await pool.query(
  'CREATE TABLE floor_messages (job_number TEXT, seq INTEGER, data TEXT, PRIMARY KEY (job_number, seq))',
);
const connection = await connect(amqpUrl, { noDelay: true });
const publisher = await connection.createConfirmChannel();
const consumer = await connection.createChannel();
const queue = 'floor_jobs';
await publisher.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
await consumer.prefetch(16);

const sockets = new Map<string, WebSocket>();
const waiting = new Map<string, string>();
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', async () => {
    const text = Buffer.concat(parts).toString();
    const answer = request.url!.startsWith('/callback/') ? await deliver(request.url!.slice(10), text) : await accept();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
});

async function accept(): Promise<string> {
  const job_number = randomUUID();
  await pool.query('INSERT INTO floor_jobs VALUES ($1, $2, $3)', [job_number, 'queued', Date.now()]);
  publisher.sendToQueue(queue, Buffer.from(job_number), { persistent: true }, () => {});
  return JSON.stringify({ job_number });
}

async function deliver(job_number: string, data: string): Promise<string> {
  await pool.query('INSERT INTO floor_messages VALUES ($1, 1, $2)', [job_number, data]);
  const message = `{"job_number":"${job_number}","seq":1,"data":${data},"final":true}`;
  const socket = sockets.get(job_number);
  if (socket) socket.send(message);
  else waiting.set(job_number, message);
  return '{}';
}

await consumer.consume(queue, (message) => {
  if (!message) return;
  const { port } = server.address() as AddressInfo;
  const job_number = message.content.toString();
  const callback = http.request(
    { port, host: '127.0.0.1', method: 'POST', path: `/callback/${job_number}`, agent },
    (response) => response.resume().on('end', () => consumer.ack(message)),
  );
  callback.end(agents);
});

const upgrades = new WebSocketServer({ server });
upgrades.on('connection', (socket, request) => {
  const job_number = request.url!.split('/').at(-1)!;
  const message = waiting.get(job_number);
  waiting.delete(job_number);
  if (message) socket.send(message);
  else sockets.set(job_number, socket);
  socket.on('close', () => sockets.delete(job_number));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
