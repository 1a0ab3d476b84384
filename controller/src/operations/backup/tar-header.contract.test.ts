// Headers against the tar of the system, which has the last word on the format.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { blockBytes, parseTarHeader, paxSize, tarHeader } from './tar-header.ts';

const list = (archive: Buffer) =>
  execFileSync('tar', ['--list', '--verbose', '--file', '-'], {
    input: archive,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { TZ: 'UTC', PATH: process.env.PATH },
  });

describe('a header', () => {
  it('is read back, and by tar', () => {
    const header = tarHeader({ name: 'telemetry/journal/000000000001.log', size: 0 }, Date.UTC(2026, 0, 2));
    expect(parseTarHeader(header)).toMatchObject({ name: 'telemetry/journal/000000000001.log', size: 0, isFile: true });
    const listed = list(Buffer.concat([header, Buffer.alloc(1024)])).toString();
    expect(listed).toMatch(/^-rw------- .* 0 2026-01-02 00:00 telemetry\/journal\/000000000001\.log\n$/);
  });

  it.each([8 ** 11 - 1, 8 ** 11, 10 ** 13])('holds the size %d', (size) => {
    const header = tarHeader({ name: 'weft.db', size }, 0);
    const first = parseTarHeader(header.subarray(0, blockBytes))!;
    if (size < 8 ** 11) expect([header.length, first.size]).toEqual([blockBytes, size]);
    else {
      expect(first.isPax).toBe(true);
      const extension = header.toString('latin1', blockBytes, blockBytes + first.size);
      expect([paxSize(extension), Number.parseInt(extension, 10)]).toEqual([size, extension.length]);
      expect(parseTarHeader(header.subarray(-blockBytes))).toMatchObject({ name: 'weft.db', isFile: true });
    }
    // There are not so many bytes: tar says so, after it has shown the size.
    let listed = '';
    try {
      list(header);
    } catch (error) {
      listed = String((error as { stdout: Buffer }).stdout);
    }
    expect(listed).toContain(` ${size} `);
  });

  it('with a wrong checksum is none, and zeros are the end', () => {
    const header = tarHeader({ name: 'x', size: 1 }, 0);
    header[0] = 0x79;
    expect(() => parseTarHeader(header)).toThrow('checksum');
    expect(parseTarHeader(Buffer.alloc(blockBytes))).toBe(undefined);
  });
});
