// For answers that take a while: the signal aborts when the client has closed its connection.
import type { IncomingRequest } from './route.ts';

export async function whileConnected<T>(
  { raw: { socket } }: IncomingRequest,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  socket.once('close', hangUp);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
  }
}
