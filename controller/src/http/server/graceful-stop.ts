// What a graceful stop needs besides Fastify's own: a flag for those who answer, and no waiting for connections on which
// no request ever came.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Answers sent while `isStopping` should end their connection: one that is kept alive would be waited for. */
export function prepareGracefulStop(app: FastifyInstance, isTls: boolean): { readonly isStopping: boolean } {
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
  return {
    get isStopping() {
      return isStopping;
    },
  };
}
