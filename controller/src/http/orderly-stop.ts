// What a stop needs besides Fastify's own: answers that end their connection, and no waiting for connections on which
// nothing was ever asked.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Returns what to call right before an answer goes out. Not a hook: those cost every request more than the rest of it. */
export function prepareOrderlyStop(app: FastifyInstance, isTls: boolean): (reply: FastifyReply) => void {
  const sockets = new Set<Socket>();
  let isStopping = false;
  app.server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    isStopping = true;
    // Browsers open some in advance; to Node they are not idle, and it would wait for them.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
  // A connection that is kept alive would be waited for.
  return (reply) => {
    if (isStopping) reply.header('connection', 'close');
  };
}
