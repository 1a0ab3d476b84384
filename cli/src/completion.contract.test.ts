// Completion scripts: every command and option of the help, in a form that the shell accepts.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { clientWeft } from './client-commands.ts';
import { completionOf } from './commands/completion-command.ts';
import { commandsCalled, execute, helpOn, namesOf } from './run-weft.ts';

async function script(shell: string): Promise<string> {
  let out = '';
  const stdout = { write: (text: string | Uint8Array) => (out += text) };
  const around = { env: {}, stdin: process.stdin, stdout, stderr: stdout };
  const [command] = await commandsCalled(clientWeft, 'completion');
  expect(await execute(command!, [shell], around)).toBe(0);
  return out;
}

/** What bash would offer. */
function complete(text: string, ...words: string[]): string[] {
  const line = `${text}\nCOMP_WORDS=(weft ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _weft; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

test('bash completes commands, actions and options', async () => {
  const bash = await script('bash');
  expect(complete(bash, '')).toEqual(namesOf(clientWeft));
  expect(complete(bash, 'ag')).toEqual(['agent', 'agents']);
  expect(complete(bash, 'jobs', 'f')).toEqual(['follow']);
  expect(complete(bash, 'jobs', '--s')).toEqual(['--state']);
  expect(complete(bash, 'agents', '--w')).toEqual(['--wide']);
});

test('every option of every command is in every script', async () => {
  const scripts = { bash: await script('bash'), zsh: await script('zsh'), fish: await script('fish') };
  for (const name of namesOf(clientWeft)) {
    const { options } = completionOf(name, await helpOn(clientWeft, name));
    for (const option of Object.keys((await commandsCalled(clientWeft, name))[0]!.options)) {
      expect([name, options]).toEqual([name, expect.arrayContaining([option])]);
      expect(scripts.bash).toContain(`--${option}`);
      expect(scripts.zsh).toContain(`--${option}`);
      expect(scripts.fish).toContain(`__fish_seen_subcommand_from ${name}' -l ${option}`);
    }
  }
});

test('another shell is wrong usage', async () => {
  await expect(script('bahs')).rejects.toThrow('Unknown action bahs. Did you mean bash? Use bash, zsh, fish.');
});
