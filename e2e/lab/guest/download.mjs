// One long download over one connection. `serve` sends without end; `fetch` counts what comes, and writes down twice a second
// how many bytes there were and how long the longest time without one was.
import { appendFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const port = 5555;
const everyMs = 500;
if (process.argv[2] === 'serve') {
  const piece = Buffer.alloc(16_384);
  createServer((socket) => {
    const send = () => {
      while (socket.write(piece));
    };
    socket.on('drain', send).on('error', () => {});
    send();
  }).listen(port);
} else {
  const [, , , address = '', log = ''] = process.argv;
  let last = performance.now();
  let longestMs = 0;
  let bytes = 0;
  const look = () => {
    longestMs = Math.max(longestMs, Math.round(performance.now() - last));
  };
  writeFileSync(log, '');
  connect(port, address).on('data', (piece) => {
    look();
    last = performance.now();
    bytes += piece.length;
  });
  setInterval(() => {
    // A pause that goes on is known with its length so far, and told again.
    look();
    appendFileSync(log, `${JSON.stringify({ longestMs, bytes })}\n`);
    longestMs = 0;
  }, everyMs);
}
