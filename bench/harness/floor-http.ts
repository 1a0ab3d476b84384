// The floor of every HTTP benchmark: a server that reads the body, if there is one, and answers a fixed object.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = JSON.stringify({ username: 'admin@weft.test', roles: 'admin', scopes: [] });
const server = http.createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
