// A receiver of webhooks: keeps what comes, and answers as it is told.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { findFreePort } from './server-process.ts';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedRequest[];
  /** A status, or 'hang': no answer at all. Default: 200. */
  answer: (request: ReceivedRequest) => number | 'hang';
  /** Ids of events, in the order in which they came. */
  ids(): number[];
  close(): Promise<void>;
}

export async function startReceiver(wishedPort?: number): Promise<WebhookReceiver> {
  const port = wishedPort ?? (await findFreePort());
  const hanging: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const received = { headers: request.headers, text, body: JSON.parse(text) };
    receiver.received.push(received);
    const status = receiver.answer(received);
    if (status === 'hang') hanging.push(response);
    else response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    answer: () => 200,
    ids: () => receiver.received.map(({ headers }) => Number(headers['x-weft-event-id'])),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** Whether the signature of a request was made with this secret; as docs/events-and-webhooks.md shows it. */
export function isSignedWith(secret: string, { headers, text }: ReceivedRequest): boolean {
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-weft-signature'])) ?? [];
  return createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex') === signature;
}
