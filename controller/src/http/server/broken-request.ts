// Answers to what is not even HTTP: requests that are malformed, have too large headers, or come too slowly.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const tooSlow = 'ERR_HTTP_REQUEST_TIMEOUT';

export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
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
