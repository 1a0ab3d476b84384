// Answers to what is not even HTTP: requests that are malformed, have too large headers, or come too slowly.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
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
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'request_timeout', 'The request came too slowly'];
  return [400, 'bad_request', 'The request cannot be read'];
}
