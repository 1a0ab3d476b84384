// The floor of the loop from a report to the command that it causes: one process that hands samples from agents on to an app
// and commands from the app on to agents, over WebSockets, and does nothing else.
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const agents = new Map<string, WebSocket>();
let app: WebSocket | undefined;

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket, { url = '' }) => {
  if (url === '/app') {
    app = socket;
    socket.on('message', (bytes) => {
      const text = String(bytes);
      agents.get(JSON.parse(text).ap_id)?.send(text);
    });
  } else {
    const ap_id = url.slice('/agents/'.length);
    agents.set(ap_id, socket);
    socket.on('message', (bytes) => app?.send(JSON.stringify({ ...JSON.parse(String(bytes)), ap_id })));
  }
});
server.on('listening', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
