// `weft completion`: prints a script with which a shell completes commands and options.
import { type ClientCommand, unknownValue } from '../command.ts';
import { completionOf, completionScript, type Shell, shells } from '../completion.ts';
import { UsageError } from '../surroundings.ts';

export type HelpOn = (name: string) => Promise<string | undefined>;

export function completionCommand(names: readonly string[], helpOn: HelpOn): ClientCommand {
  return {
    summary: 'print the completion script of a shell',
    usage: shells.map((shell) => `completion ${shell}`),
    about: 'For bash and zsh, add `source <(weft completion bash)` to ~/.bashrc, or the same with zsh to ~/.zshrc.',
    options: {},
    examples: ['completion bash', 'completion fish > ~/.config/fish/completions/weft.fish'],
    async run({ words: [shell, ...rest] }, { stdout }) {
      if (shell === undefined || rest.length > 0) throw new UsageError(`Usage: weft completion ${shells.join('|')}`);
      if (!shells.includes(shell as Shell)) throw unknownValue('The shell', shell, shells);
      const found = names.map(async (name) => completionOf(name, (await helpOn(name)) ?? ''));
      stdout.write(completionScript(shell as Shell, await Promise.all(found)));
    },
  };
}
