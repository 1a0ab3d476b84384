// What goes wrong on a connection: requests that are not even HTTP (malformed, with too large headers, too slow) are answered;
// what a callback of a connection throws ends that connection and nothing else.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceMetrics } from '../pages/service-metrics.ts';
import type { Logger } from '../request/log.ts';

const tooSlow = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Ends the connection on which something unexpected was thrown; without one, it is only logged and counted. */
export type OnFault = (error: unknown, socket?: { destroy(): void }) => void;

export function createFaultHandler({ log, metrics }: { log: Logger; metrics: ServiceMetrics }): OnFault {
  let faults = 0;
  metrics.add({
    weft_connection_faults_total: {
      help: 'Connections that were closed because of an unexpected error on them',
      value: () => faults,
    },
  });
  return (err, socket) => {
    faults++;
    socket?.destroy();
    log.error({ err }, 'unexpected error on a connection, which was closed');
  };
}

/** Sockets whose broken request is answered after the one before it, or not at all, because that closes the connection. */
const settled = new WeakSet<Socket>();

/** An answer that closes the connection is on its way: whatever is behind its request has none. */
export function noteLastAnswer(socket: Socket): void {
  settled.add(socket);
}

/** `earlier` is the answer to the request before the broken one, while it is under way: it must not be lost. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, earlier?: ServerResponse): void {
  if (settled.has(socket)) return;
  if (earlier && socket.writable) {
    settled.add(socket);
    earlier.once('close', () => {
      settled.delete(socket);
      answerBrokenRequest(error, socket);
    });
    return;
  }
  // Opened in advance, as clients with many requests do: an answer to no request would be taken for that to the first one. Its
  // time begins again with the first byte, and it is closed like any other that is idle.
  if (error.code === tooSlow && socket.bytesRead === 0) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = judge(error.code);
  const body = JSON.stringify({ detail, code });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    // A peer that does not read the answer must not keep the socket.
    () => socket.destroySoon(),
  );
}

function judge(code: string | undefined): [number, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'headers_too_large', 'The request headers are too large'];
  if (code === tooSlow) return [408, 'request_timeout', 'The request came too slowly'];
  return [400, 'bad_request', 'The request cannot be read'];
}
