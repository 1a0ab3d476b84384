// A proxy in front of a real server that can cut or silence its connections, to see what clients make of it.
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** From now on bytes from the client are shown here first; `cut` ends that connection before they go on, and `kept` is never sent. */
  onClientBytes: ((bytes: Buffer, cut: () => void) => unknown) | undefined;
  /** While true, new connections are accepted and nothing is ever answered. */
  isSilent: boolean;
  /** While true, there is nobody: connections end at once. */
  isGone: boolean;
  cutAll(): void;
  /** The connections there are now stay open, and nothing passes on them any more. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.isGone) return void client.destroy();
    const upstream = proxy.isSilent ? undefined : connect(targetPort, '127.0.0.1');
    const ends = upstream ? [client, upstream] : [client];
    const cut = () => {
      for (const end of ends) end.destroy();
    };
    for (const end of ends) {
      sockets.add(end);
      end.on('error', cut);
      end.on('close', () => {
        sockets.delete(end);
        cut();
      });
    }
    client.on('data', (bytes) => {
      if (proxy.onClientBytes?.(bytes, cut) === 'kept') return;
      if (upstream && !upstream.destroyed) upstream.write(bytes);
    });
    upstream?.pipe(client);
  });
  const proxy: TcpProxy = {
    port: 0,
    onClientBytes: undefined,
    isSilent: false,
    isGone: false,
    cutAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    freeze: () => {
      for (const socket of sockets) socket.pause();
    },
    close: async () => {
      proxy.cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy got no port');
  proxy.port = address.port;
  return proxy;
}
