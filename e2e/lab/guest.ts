// The running guest: QEMU with a folder and Node shared from the host, and a connection on which the host runs commands in it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CannotRun, type GuestImage } from './guest-image.ts';

const bootMs = 240_000;
const fastBootMs = 60_000;
/** Longer than what a command waits for: a station that misses frames, or wants nothing of an access point for a while. */
const commandMs = 240_000;
const diskBytes = 64 * 1024 * 1024;

/** Hardware virtualisation, or an emulated processor, which is slower by a factor of 20 or more. */
type Accelerator = 'kvm' | 'tcg';

interface Answer {
  code: number;
  output: string;
}

export class Guest {
  /** What the guest sees as /mnt. */
  readonly folder: string;
  readonly #turnOn: () => ChildProcess;
  readonly #server: Server;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #qemu: ChildProcess | undefined;
  #socket: Socket | undefined;
  #lastId = 0;

  private constructor(folder: string, server: Server, turnOn: () => ChildProcess) {
    this.folder = folder;
    this.#server = server;
    this.#turnOn = turnOn;
  }

  /** Boots it, with a disk of its own if its power is to be cut; throws CannotRun with what it printed if it does not come up. */
  static async start(image: GuestImage, { hasDisk = false } = {}): Promise<Guest> {
    if (hasKvm(image)) {
      try {
        return await Guest.#boot(image, hasDisk, 'kvm', fastBootMs);
      } catch (error) {
        if (!(error instanceof CannotRun)) throw error;
        process.stderr.write(`The processor is emulated, because KVM did not work: ${error.message}\n`);
      }
    }
    return await Guest.#boot(image, hasDisk, 'tcg', bootMs);
  }

  static async #boot(image: GuestImage, hasDisk: boolean, accelerator: Accelerator, limitMs: number): Promise<Guest> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-lab-'));
    cpSync(join(import.meta.dirname, 'guest'), folder, { recursive: true });
    mkdirSync(join(folder, 'log'));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeFileSync(join(folder, 'port'), String((server.address() as AddressInfo).port));
    if (hasDisk) {
      writeFileSync(join(folder, 'disk'), '');
      truncateSync(join(folder, 'disk'), diskBytes);
    }
    const guest = new Guest(folder, server, () => startQemu(image, folder, accelerator, hasDisk));
    try {
      await guest.#start(limitMs);
    } catch (error) {
      await guest.stop();
      throw error;
    }
    return guest;
  }

  async #start(limitMs: number): Promise<void> {
    this.#qemu = this.#turnOn();
    const timeout = AbortSignal.timeout(limitMs);
    const isOver = Promise.race([
      once(this.#qemu, 'exit').then(() => 'QEMU ended'),
      once(timeout, 'abort').then(() => `no answer within ${limitMs / 1000} s`),
    ]);
    const socket = await Promise.race([once(this.#server, 'connection'), isOver]);
    if (typeof socket === 'string') throw new CannotRun(`the guest did not start: ${socket}; ${this.#console()}`);
    this.#listen(socket[0] as Socket);
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

  /** Cuts its power: what is not on its disk is gone. Resolves once it has started again. */
  async cutPower(): Promise<void> {
    await this.#turnOff();
    await this.#start(bootMs);
  }

  /** A file of the shared folder, as far as it was written. */
  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await this.#turnOff();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #turnOff(): Promise<void> {
    this.#socket?.destroy();
    const qemu = this.#qemu;
    if (!qemu || qemu.exitCode !== null || qemu.signalCode !== null) return;
    qemu.kill('SIGKILL');
    await once(qemu, 'exit');
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

/** /dev/kvm alone is not enough on x64: there are kinds of it that run guests of their own kind only. */
function hasKvm({ architecture }: GuestImage): boolean {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
    return architecture === 'arm64' || /^flags\b.*\b(vmx|svm)\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** An emulated processor computes wide vectors one by one: programs are faster that do not know of them. */
const machines = {
  amd64: { kvm: ['-cpu', 'host'], tcg: ['-cpu', 'max,-avx,-avx2,-la57'] },
  arm64: {
    kvm: ['-machine', 'virt,gic-version=max', '-cpu', 'host'],
    tcg: ['-machine', 'virt', '-cpu', 'max,pauth-impdef=on'],
  },
} as const;

function startQemu(guest: GuestImage, share: string, accelerator: Accelerator, hasDisk: boolean): ChildProcess {
  const { folder: image, architecture } = guest;
  const qemu = join(image, 'qemu');
  const isArm = architecture === 'arm64';
  const shared = (path: string, tag: string, more = '') => [
    '-virtfs',
    `local,path=${path},mount_tag=${tag},security_model=none,multidevs=remap${more}`,
  ];
  const args = [
    ...machines[architecture][accelerator],
    ...['-accel', accelerator, '-smp', '2', '-m', '1024', '-nodefaults', '-display', 'none'],
    ...(hasDisk ? diskOf(share) : []),
    '-no-reboot',
    ...['-L', join(qemu, 'usr/share/qemu'), '-L', join(qemu, 'usr/share/seabios')],
    ...['-serial', `file:${share}/console`, '-kernel', join(image, 'kernel'), '-initrd', join(image, 'initrd')],
    ...['-append', `console=${isArm ? 'ttyAMA0' : 'ttyS0'} quiet panic=-1 mitigations=off`],
    ...['-netdev', 'user,id=n0', '-device', 'virtio-net-pci,netdev=n0,romfile='],
    ...shared(share, 'share'),
    ...shared(dirname(process.execPath), 'node', ',readonly=on'),
  ];
  const { program, env } = programOf({ folder: image, architecture });
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  child.stderr!.on('data', (text: Buffer) => process.stderr.write(text));
  return child;
}

/** What outlives its power. */
function diskOf(share: string): string[] {
  return ['-drive', `file=${share}/disk,format=raw,if=none,id=d0`, '-device', 'virtio-blk-pci,drive=d0'];
}

/** Throws CannotRun: the libraries of this machine may not fit. */
export function checkQemu(image: GuestImage): void {
  const { program, env } = programOf(image);
  const { status, stderr, error } = spawnSync(program, ['--version'], { env, encoding: 'utf8' });
  if (status !== 0) throw new CannotRun(`QEMU cannot be run: ${error?.message ?? stderr.trim()}`);
}

function programOf({ folder, architecture }: GuestImage): { program: string; env: NodeJS.ProcessEnv } {
  const qemu = join(folder, 'qemu');
  const libraries = globSync([join(qemu, 'usr/lib/*-linux-gnu'), join(qemu, 'lib/*-linux-gnu')]);
  const path = libraries.flatMap((library) => [library, join(library, 'nss')]).join(':');
  return {
    program: join(qemu, 'usr/bin', architecture === 'arm64' ? 'qemu-system-aarch64' : 'qemu-system-x86_64'),
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: path },
  };
}
