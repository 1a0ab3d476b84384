// Listens on the port, or reports in one line why it cannot.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../errors.ts';

/**
 * Connections that wait to be accepted; Linux cuts it to net.core.somaxconn (4,096 by default). With Node's 511, connections of a
 * fleet that came back at once were lost without a word, and their clients sent into the void for half a minute and more.
 */
const backlog = 4096;

/** Resolves the address. Throws StartError. */
export async function listen(
  server: FastifyInstance,
  { host, port, tls }: { host: string; port: number; tls: unknown },
): Promise<string> {
  try {
    await server.listen({ host, port, backlog });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} on ${host} is in use: stop the program that uses it, or set WEFT_PORT`);
    if (code === 'EACCES')
      throw new StartError(`port ${port} needs more privileges: set WEFT_PORT to a port above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`this machine has no address ${host}: see WEFT_HOST`);
    throw error;
  }
  const { port: actualPort } = server.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}:${actualPort}`;
}
