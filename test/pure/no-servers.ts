// Runs before every file of the project `pure`: whoever listens or starts a process there fails at once.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

function refuse(what: string): never {
  throw new Error(`a pure test must not ${what}: name its file *.contract.test.ts`);
}

net.Server.prototype.listen = () => refuse('listen on a port');
net.Socket.prototype.connect = () => refuse('open a connection');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  childProcess[name] = (() => refuse('start a process')) as never;
}
syncBuiltinESMExports();
