// The headers of a tar archive, as POSIX defines them (ustar, and pax where a size needs more than eleven octal digits),
// so that any tar can open a backup.

export const blockBytes = 512;
/** From this size on the octal field is too short. */
const firstLargeSize = 8 ** 11;
const fileType = '0';
const paxType = 'x';

export interface TarEntry {
  name: string;
  size: number;
}

export interface TarHeader extends TarEntry {
  isFile: boolean;
  isPax: boolean;
}

/** The header of a file. Names are ASCII and at most 100 characters long. */
export function tarHeader({ name, size }: TarEntry, mtimeMs: number): Buffer {
  if (size < firstLargeSize) return header(name, size, mtimeMs, fileType);
  const record = paxRecord('size', String(size));
  const extension = Buffer.alloc(paddedBytes(record.length));
  extension.write(record, 'latin1');
  return Buffer.concat([
    header(`PaxHeaders/${name}`.slice(0, 100), record.length, mtimeMs, paxType),
    extension,
    header(name, 0, mtimeMs, fileType),
  ]);
}

/** The length in the archive: padded to whole blocks. */
export function paddedBytes(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes;
}

/** Undefined for a block of zeros, which ends an archive. Throws an Error for an invalid header. */
export function parseTarHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (octal(block, 148, 8) !== checksum(block)) throw new Error('the checksum of a header does not match');
  const type = text(block, 156, 1);
  const prefix = text(block, 345, 155);
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: octal(block, 124, 12),
    isFile: type === fileType || type === '',
    isPax: type === paxType,
  };
}

/** The size in a pax extension, if it contains one. */
export function paxSize(extension: string): number | undefined {
  const size = /(?:^|\n)\d+ size=(\d+)\n/.exec(extension)?.[1];
  return size === undefined ? undefined : Number(size);
}

function header(name: string, size: number, mtimeMs: number, type: string): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0, 100, 'latin1');
  block.write('0000600\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(
    `${Math.floor(mtimeMs / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
    'latin1',
  );
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The length at the beginning of a record includes itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return length + rest;
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (let index = 0; index < blockBytes; index++) sum += index >= 148 && index < 156 ? 0x20 : block[index]!;
  return sum;
}

function text(block: Buffer, start: number, length: number): string {
  const field = block.toString('latin1', start, start + length);
  const end = field.indexOf('\0');
  return end < 0 ? field : field.slice(0, end);
}

function octal(block: Buffer, start: number, length: number): number {
  const digits = text(block, start, length).trim();
  if (!/^[0-7]+$/.test(digits)) throw new Error('a number in a header cannot be read');
  return Number.parseInt(digits, 8);
}
