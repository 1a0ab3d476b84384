// Sends the answer of an operation. Nearly every answer is a 200 with a JSON body and headers that never change, so
// those bytes are written directly; everything else goes through the framework.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type SendJson = (request: FastifyRequest, reply: FastifyReply, answer: unknown) => void;

export function createSendJson(headers: Record<string, string>, mayWriteStraight: () => boolean): SendJson {
  const fixed = Object.entries(headers).flat();
  return (request, reply, answer) => {
    const isReady = typeof answer === 'string' || answer instanceof Uint8Array;
    const body = isReady ? answer : JSON.stringify(answer);
    if (reply.statusCode !== 200 || !mayWriteStraight()) {
      reply.header('content-type', 'application/json').send(body);
      return;
    }
    reply.hijack();
    writeJson(reply.raw, 200, [...fixed, 'x-request-id', request.id], body);
  };
}

/** `headers` are names and values in turn, all of them lower case and harmless. */
function writeJson(response: ServerResponse, status: number, headers: string[], body: string | Uint8Array): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, headers.concat('content-type', 'application/json', 'content-length', length));
  response.end(body);
}
