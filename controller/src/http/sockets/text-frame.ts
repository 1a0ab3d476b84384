// Writes what nearly every message to a busy client is: a short text in one frame.

const finalText = '\x81';
const length16 = 126;

/** The frame of a text of less than 64 KiB, one character a byte (`latin1`). */
export function toTextFrame(text: string): string {
  const length = Buffer.byteLength(text);
  const body = length === text.length ? text : Buffer.from(text).toString('latin1');
  return length < length16
    ? finalText + String.fromCharCode(length) + body
    : finalText + String.fromCharCode(length16, length >> 8, length & 0xff) + body;
}
