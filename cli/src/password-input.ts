// Reads a secret without showing it: from standard input if requested, else typed at a terminal.
import { type Surroundings, UsageError } from './surroundings.ts';

const maxCharacters = 10_000;

/** An existing secret, such as a password or a key. Throws UsageError as below. */
export async function readSecret(question: string, isPiped: boolean, around: Surroundings): Promise<string> {
  if (isPiped) return readAll(around.stdin);
  requireTerminal(around);
  return ask(question, around);
}

/** Throws UsageError if there is neither a terminal nor --password-stdin. */
export async function readNewPassword(isPiped: boolean, around: Surroundings): Promise<string> {
  const password = await readSecret('New password: ', isPiped, around);
  if (!isPiped && (await ask('Repeat the new password: ', around)) !== password)
    throw new UsageError('The two passwords differ.');
  return password;
}

/** A line that is visible while it is typed. */
export async function readLine(question: string, around: Surroundings): Promise<string> {
  requireTerminal(around);
  return ask(question, around, true);
}

function requireTerminal({ stdin, stderr }: Surroundings): void {
  if (stdin.isTTY && stderr.isTTY) return;
  throw new UsageError(
    'There is no terminal to type the password at: pass it on standard input with --password-stdin.',
  );
}

async function readAll(stdin: Surroundings['stdin']): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > maxCharacters) throw new UsageError('Standard input is too long for a password.');
  }
  return text.replace(/\r?\n$/, '');
}

function ask(question: string, { stdin, stderr }: Surroundings, isShown = false): Promise<string> {
  stderr.write(question);
  stdin.setEncoding('utf8');
  stdin.setRawMode?.(true);
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const finish = (settle: () => void) => {
      stdin.off('data', onData);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const erase = (count: number) => isShown && stderr.write('\b \b'.repeat(count));
    const onData = (chunk: string | Buffer) => {
      // Arrow and similar keys arrive as one chunk.
      if (/^\x1b[[O]/.test(String(chunk))) return;
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n') return finish(() => resolve(typed.join('')));
        // In raw mode these are characters: Ctrl+C interrupts, Ctrl+D ends the input, Ctrl+U clears the line.
        if (key === '\x03') return finish(() => reject(new DOMException('Interrupted', 'AbortError')));
        if (key === '\x04') return finish(() => reject(new UsageError('Nothing was entered.')));
        if (key === '\x15') {
          erase(typed.length);
          typed = [];
        } else if (key === '\x7f' || key === '\b') {
          if (typed.pop() !== undefined) erase(1);
        } else if (typed.length < maxCharacters) {
          typed.push(key);
          if (isShown) stderr.write(key);
        }
      }
    };
    stdin.on('data', onData);
    stdin.resume();
  });
}
