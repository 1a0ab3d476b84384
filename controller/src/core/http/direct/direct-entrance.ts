// Accepts the connections of a server of node:http in its place, and gives it those that are not read directly, as any program
// may: by the event `connection`, or `secureConnection`.
import type http from 'node:http';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { DirectConnection, type DirectOptions } from './direct-connection.ts';

export interface EntranceOptions extends Omit<DirectOptions, 'handOver'> {
  tls: tls.TlsOptions | undefined;
  backlog: number;
}

/** The server that accepts connections, and all of them that are read directly. It begins and ends with `server`. */
export function createEntrance(server: http.Server, options: EntranceOptions) {
  const open = new Set<DirectConnection>();
  const event = options.tls ? 'secureConnection' : 'connection';
  const entrance = options.tls
    ? tls.createServer({ ...options.tls, ALPNProtocols: ['http/1.1'], noDelay: true })
    : net.createServer({ allowHalfOpen: true, noDelay: true });
  const direct = { ...options, handOver: (socket: Socket) => server.emit(event, socket) };
  entrance.on(event, (socket: Socket) => {
    if (!socket.destroyed) new DirectConnection(socket, direct, open);
  });
  entrance.on('tlsClientError', (error, socket) => server.emit('tlsClientError', error, socket));
  entrance.on('error', (error) => options.onFault(error));
  // Of two servers with one port, the last one accepts.
  server.on('listening', () => entrance.listen(server, options.backlog));
  server.on('close', () => entrance.close());
  return { entrance, open };
}
