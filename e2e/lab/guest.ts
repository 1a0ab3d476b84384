// The running guest: QEMU with a folder and Node shared from the host, and a connection on which the host runs commands in it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CannotRun, type GuestImage } from './guest-image.ts';

const bootMs = 240_000;
const commandMs = 120_000;

interface Answer {
  code: number;
  output: string;
}

export class Guest {
  /** What the guest sees as /mnt. */
  readonly folder: string;
  readonly #qemu: ChildProcess;
  readonly #server: Server;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #socket: Socket | undefined;
  #lastId = 0;

  private constructor(folder: string, qemu: ChildProcess, server: Server) {
    this.folder = folder;
    this.#qemu = qemu;
    this.#server = server;
  }

  /** Boots it; throws CannotRun with what it printed if it does not come up. */
  static async start(image: GuestImage): Promise<Guest> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-lab-'));
    cpSync(join(import.meta.dirname, 'guest'), folder, { recursive: true });
    mkdirSync(join(folder, 'log'));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeFileSync(join(folder, 'port'), String((server.address() as AddressInfo).port));
    const qemu = startQemu(image, folder);
    const guest = new Guest(folder, qemu, server);
    const timeout = AbortSignal.timeout(bootMs);
    const isOver = Promise.race([
      once(qemu, 'exit').then(() => 'QEMU ended'),
      once(timeout, 'abort').then(() => `no answer within ${bootMs / 1000} s`),
    ]);
    const socket = await Promise.race([once(server, 'connection'), isOver]);
    if (typeof socket === 'string') {
      await guest.stop();
      throw new CannotRun(`the guest did not start: ${socket}; ${guest.#console()}`);
    }
    guest.#listen(socket[0] as Socket);
    return guest;
  }

  /** The output of a shell command in the guest; throws if it fails. */
  async run(command: string): Promise<string> {
    const { code, output } = await this.try(command);
    if (code !== 0) throw new Error(`exit code ${code} of ${command}\n${output}`);
    return output;
  }

  async try(command: string): Promise<Answer> {
    const id = ++this.#lastId;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket!.write(`${JSON.stringify({ id, command })}\n`);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to ${command}`)), commandMs);
    });
    return await Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
  }

  /** A file of the shared folder, as far as it was written. */
  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  async stop(): Promise<void> {
    this.#socket?.destroy();
    this.#server.close();
    if (this.#qemu.exitCode === null && this.#qemu.signalCode === null) {
      this.#qemu.kill('SIGKILL');
      await once(this.#qemu, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #listen(socket: Socket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line) as Answer & { id: number };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  #console(): string {
    try {
      return this.read('console').slice(-2000);
    } catch {
      return 'it printed nothing';
    }
  }
}

function startQemu({ folder: image, architecture }: GuestImage, share: string): ChildProcess {
  const qemu = join(image, 'qemu');
  const isArm = architecture === 'arm64';
  const libraries = globSync([join(qemu, 'usr/lib/*-linux-gnu'), join(qemu, 'lib/*-linux-gnu')]);
  const shared = (path: string, tag: string, more = '') => [
    '-virtfs',
    `local,path=${path},mount_tag=${tag},security_model=none,multidevs=remap${more}`,
  ];
  const machine = isArm ? ['-machine', 'virt', '-cpu', 'max,pauth-impdef=on'] : ['-cpu', 'max'];
  const args = [
    ...[...machine, '-accel', 'tcg', '-smp', '2', '-m', '1024', '-nodefaults', '-no-reboot', '-display', 'none'],
    ...['-L', join(qemu, 'usr/share/qemu'), '-L', join(qemu, 'usr/share/seabios')],
    ...['-serial', `file:${share}/console`, '-kernel', join(image, 'kernel'), '-initrd', join(image, 'initrd.gz')],
    ...['-append', `console=${isArm ? 'ttyAMA0' : 'ttyS0'} quiet panic=-1 mitigations=off`],
    ...['-netdev', 'user,id=n0', '-device', 'virtio-net-pci,netdev=n0,romfile='],
    ...shared(share, 'share'),
    ...shared(dirname(process.execPath), 'node', ',readonly=on'),
  ];
  const program = join(qemu, 'usr/bin', isArm ? 'qemu-system-aarch64' : 'qemu-system-x86_64');
  const path = libraries.flatMap((library) => [library, join(library, 'nss')]).join(':');
  const child = spawn('nice', ['-n', '5', program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: path },
  });
  child.stderr!.on('data', (text: Buffer) => process.stderr.write(text));
  return child;
}
