// Runs what the host asks for, one shell command per line, and answers with exit code and output.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const socket = connect(Number(readFileSync('/mnt/port', 'utf8')), '10.0.2.2');
const ended = () => process.exit(0);
socket.on('error', ended).on('close', ended);
createInterface({ input: socket }).on('line', (line) => {
  const { id, command } = JSON.parse(line);
  execFile('/bin/sh', ['-c', command], { maxBuffer: 8 * 1024 * 1024 }, (error, output, complaint) => {
    const code = error ? (error.code ?? 1) : 0;
    socket.write(`${JSON.stringify({ id, code, output: output + complaint })}\n`);
  });
});
