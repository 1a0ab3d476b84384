// How bodies are kept in the file of the embedded broker: as they came, or sealed, since some carry credentials.

/** `context` is the same for both, and differs from message to message. */
export interface Seal {
  encrypt(text: string, context: string): string;
  decrypt(text: string, context: string): string;
}

interface Named {
  queue: string;
  id: string;
  body: Uint8Array;
}

/** As text in base64, since a seal takes text and a body may be any bytes. */
export function sealBody(seal: Seal | undefined, named: Named): { body: Uint8Array; is_sealed: number } {
  if (seal === undefined) return { body: named.body, is_sealed: 0 };
  const text = Buffer.from(named.body).toString('base64');
  return { body: Buffer.from(seal.encrypt(text, contextOf(named))), is_sealed: 1 };
}

/** Undefined if it was sealed with a key that is not known any more. */
export function openBody(seal: Seal | undefined, named: Named & { is_sealed: number }): Uint8Array | undefined {
  if (named.is_sealed === 0) return named.body;
  try {
    const text = seal?.decrypt(Buffer.from(named.body).toString(), contextOf(named));
    return text === undefined ? undefined : Buffer.from(text, 'base64');
  } catch {
    return undefined;
  }
}

function contextOf({ queue, id }: Named): string {
  return `broker message ${queue} ${id}`;
}
