// A WiFi access point without its agent, for tests that kill the agent: a process that stands in for hostapd (it reads a configuration
// file, and again at SIGHUP) and for the tools of the machine, which ask it over a socket. The agent's program asks it too.
//   hostapd FILE SOCKET        (by its name, `hostapd`)
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { HostapdConf } from '../cli/src/access-point/settings/hostapd-conf.ts';

export interface Air {
  ssid: string;
  passphrase: string;
  channel: number;
  width: number;
  dbm: number;
  country: string;
}

/** The agent is killed at the so-and-so-manieth event whose name begins so: a line of a tool, or `SIGHUP`. */
export interface KillAt {
  pid: number;
  event: string;
  times: number;
}

type Question = { run: string } | { kill: KillAt | null } | { air: true } | { powerCut: true };

/** Asks the process; rejects if it is not there, or the tool fails. */
export function askAir<Answer>(socketPath: string, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(socketPath, () => socket.end(JSON.stringify(question)));
    socket.on('error', reject).on('data', (piece) => {
      text += piece;
    });
    socket.on('end', () => {
      const { answer, error } = JSON.parse(text) as { answer: Answer; error?: string };
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
  });
}

const phyInfo = [36, 40, 44, 48, 149].map((n) => `\t\t\t* ${5000 + 5 * n} MHz [${n}] (23.0 dBm)`).join('\n');

/** As hostapd prints it. */
function printable(text: string): string {
  const bytes = [...Buffer.from(text)];
  const shown = (byte: number) => String.fromCharCode(byte).replace(/["\\]/, '\\$&');
  return bytes.map((byte) => (byte > 126 ? `\\x${byte.toString(16)}` : shown(byte))).join('');
}

class StandIn {
  readonly #file: string;
  readonly #air: Air = { ssid: '', passphrase: '', channel: 0, width: 20, dbm: 0, country: '' };
  #kill: KillAt | null = null;

  constructor(file: string) {
    this.#file = file;
    this.begin();
  }

  begin(): void {
    this.read();
    const conf = new HostapdConf(readFileSync(this.#file, 'utf8'));
    this.#air.channel = Number(conf.get('channel'));
    this.#air.width = conf.get('vht_oper_chwidth') === '1' ? 80 : conf.get('ht_capab')?.includes('[HT40') ? 40 : 20;
    this.#air.dbm = 20;
  }

  /** As hostapd at SIGHUP: another channel in its file does not matter then. */
  read(): void {
    const conf = new HostapdConf(readFileSync(this.#file, 'utf8'));
    const of = (name: string) => conf.get(name) ?? '';
    Object.assign(this.#air, { ssid: of('ssid'), passphrase: of('wpa_passphrase'), country: of('country_code') });
    this.happens('SIGHUP');
  }

  happens(event: string): void {
    if (!this.#kill || !event.startsWith(this.#kill.event) || --this.#kill.times > 0) return;
    const { pid } = this.#kill;
    this.#kill = null;
    process.kill(pid, 'SIGKILL');
  }

  answer(question: Question): unknown {
    if ('kill' in question) {
      const wasArmed = this.#kill !== null;
      this.#kill = question.kill;
      return wasArmed;
    }
    if ('powerCut' in question) this.begin();
    else if ('run' in question) {
      this.happens(question.run);
      return this.#run(question.run);
    }
    return this.#air;
  }

  #run(line: string): string {
    const { ssid, channel, width, dbm, country } = this.#air;
    const mhz = 5000 + 5 * channel;
    if (line === 'iw dev') {
      const place = `channel ${channel} (${mhz} MHz), width: ${width} MHz, center1: ${mhz} MHz`;
      return `phy#0\n\tInterface wlan0\n\t\taddr 02:00:00:00:00:00\n\t\ttype AP\n\t\t${place}\n\t\ttxpower ${dbm}.00 dBm\n`;
    }
    if (line === 'iw phy phy0 info') return phyInfo;
    if (line === 'iw reg get') return `global\ncountry ${country}: DFS-ETSI\n`;
    const power = /^iw dev wlan0 set txpower fixed (\d+)$/.exec(line);
    if (power) this.#air.dbm = Math.floor(Number(power[1]) / 100);
    if (power) return '';
    if (/ (station|survey) dump$/.test(line)) return '';
    if (line.endsWith(' status')) {
      return `state=ENABLED\nphy=phy0\nfreq=${mhz}\nchannel=${channel}\nieee80211n=1\nieee80211ac=1\nssid[0]=${printable(ssid)}\n`;
    }
    const shift = /chan_switch 5 (\d+) .*bandwidth=(\d+)/.exec(line);
    if (shift) Object.assign(this.#air, { channel: (Number(shift[1]) - 5000) / 5, width: Number(shift[2]) });
    if (shift || / (dis|en)able$/.test(line)) return 'OK\n';
    throw new Error(`${line}: not known here`);
  }
}

if (process.argv0 === 'hostapd') {
  const [, , file = '', socketPath = ''] = process.argv;
  const standIn = new StandIn(file);
  process.on('SIGHUP', () => standIn.read());
  rmSync(socketPath, { force: true });
  createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket
      .on('error', () => {})
      .on('data', (piece) => {
        text += piece;
      });
    socket.on('end', () => {
      // hostapd looks at signals before it looks at its sockets.
      setImmediate(() =>
        setImmediate(() => {
          try {
            socket.end(JSON.stringify({ answer: standIn.answer(JSON.parse(text)) }));
          } catch (error) {
            socket.end(JSON.stringify({ error: (error as Error).message }));
          }
        }),
      );
    });
  }).listen(socketPath);
}
