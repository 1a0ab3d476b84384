// One long download over one connection. `serve` sends without end; `fetch` counts what comes, and writes down every pause.
import { appendFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const port = 5555;
const worthWritingMs = 20;
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
  let bytes = 0;
  writeFileSync(log, '');
  connect(port, address).on('data', (piece) => {
    const now = performance.now();
    bytes += piece.length;
    if (now - last >= worthWritingMs)
      appendFileSync(log, `${JSON.stringify({ pauseMs: Math.round(now - last), bytes })}\n`);
    last = now;
  });
}
