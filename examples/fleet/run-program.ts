// Runs a control program as a process: credentials from the environment, lines on standard output, an end at SIGTERM or
// Ctrl-C.
import { readFileSync } from 'node:fs';
import { App } from '@weft/sdk';
import { ControlLoop, type LoopSummary } from './control-loop.ts';
import type { ControlProgram } from './control-program.ts';

export async function runProgram(program: ControlProgram): Promise<void> {
  const { WEFT_URL = 'http://127.0.0.1:8000' } = process.env;
  const app = new App({ url: WEFT_URL, name: setting('WEFT_APP_NAME'), key: setting('WEFT_APP_KEY') });
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const summary = await new ControlLoop(app, program, say).run(ending.signal);
  say(inWords(summary));
}

/** The variable, or the content of the file that NAME_FILE names. */
function setting(name: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  if (value === undefined || value === '') throw new Error(`${name} or ${name}_FILE must be set`);
  return value;
}

export function inWords({ decisions, orders, done, failed, refused, delaysMs, pace }: LoopSummary): string {
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const delay = (ms: number) => `${Math.round(ms)} ms (${Math.round((ms / 1000) * pace)} s of the network's time)`;
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${decisions} decisions, ${orders} orders: ${done} done, ${failed} failed, refused: ${reasons.join(', ') || 'none'};`,
    `from a decision to the access point: p50 ${delay(at(0.5))}, p99 ${delay(at(0.99))}`,
  ].join(' ');
}
