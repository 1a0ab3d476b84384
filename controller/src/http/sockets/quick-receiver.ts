// Puts QuickFrames between a connection and the WebSocket library, where no extension changes what frames mean.

import { QuickFrames } from './quick-frames.ts';
import type { Upgraded } from './socket-route.ts';

export interface QuickReaders {
  /** Something has come: the messages in it follow in this turn. */
  onRead: () => void;
  /** Instead of the event `message`; may also be called while the socket is closing. */
  onText: (text: Buffer) => void;
}

/** To be called in the turn of the upgrade. False if the library does not read as expected: then it reads everything. */
export function readQuickly({ socket, connection }: Upgraded, { onRead, onText }: QuickReaders): boolean {
  const [library, ...others] = connection.listeners('data') as ((chunk: Buffer) => void)[];
  if (library === undefined || others.length > 0 || socket.extensions !== '') return false;
  const frames = new QuickFrames({ onText, onOther: (bytes) => library.call(connection, bytes) });
  connection.off('data', library);
  connection.on('data', (chunk: Buffer) => {
    onRead();
    const wasHeld = frames.isHeld;
    frames.read(chunk);
    if (frames.isHeld && !wasHeld) setImmediate(() => frames.release());
  });
  // The library reads nothing more either.
  socket.once('error', () => frames.stop());
  return true;
}
