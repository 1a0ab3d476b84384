// `weft completion`: prints a script with which a shell completes commands and options. What there is to complete is read
// from the help.
import type { Command } from '../command.ts';
import { helpOn, namesOf, type Weft } from '../run-weft.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function completionCommand(weft: Weft): Command {
  return {
    summary: 'print the completion script of a shell',
    usage: shells.map((shell) => `completion ${shell}`),
    about: 'For bash and zsh, add `source <(weft completion bash)` to ~/.bashrc, or the same with zsh to ~/.zshrc.',
    options: {},
    examples: ['completion bash', 'completion fish > ~/.config/fish/completions/weft.fish'],
    async run({ words: [shell] }, { stdout }) {
      const found = namesOf(weft).map(async (name) => completionOf(name, await helpOn(weft, name)));
      stdout.write(completionScript(shell as Shell, await Promise.all(found)));
    },
  };
}

interface Completion {
  name: string;
  /** A few words. */
  about: string;
  /** What may stand after the name, such as `follow` of `jobs`. */
  actions: string[];
  /** Without the hyphens. */
  options: string[];
}

/** From the help on a command. */
export function completionOf(name: string, help: string): Completion {
  const usages = [...help.matchAll(new RegExp(`^ *weft ${name} \\[?([a-z][a-z-]*)(?=[\\]\\s]|$)`, 'gm'))];
  const options = [...help.matchAll(/(?<![\w-])--([a-z0-9][a-z0-9-]*)/g)].map(([, option]) => option!);
  const [about = ''] = help.split(/[.\n]/);
  return {
    name,
    about,
    actions: unique(usages.map(([, action]) => action!)),
    options: unique([...options, 'help', 'no-color']),
  };
}

function completionScript(shell: Shell, completions: readonly Completion[]): string {
  return { bash, zsh, fish }[shell](completions);
}

function bash(completions: readonly Completion[]): string {
  const cases = completions.map((each) => `    ${each.name}) words=${quoted(wordsOf(each).join(' '))} ;;\n`);
  return `# Completion of weft for bash: source <(weft completion bash)
_weft() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(completions.map(({ name }) => name).join(' '))}
  else
    case \${COMP_WORDS[1]} in
${cases.join('').replaceAll(/^/gm, '  ').trimEnd()}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _weft weft
`;
}

function zsh(completions: readonly Completion[]): string {
  const cases = completions.map((each) => `    ${each.name}) compadd -- ${wordsOf(each).join(' ')} ;;\n`);
  return `#compdef weft
# Completion of weft for zsh: source <(weft completion zsh)
_weft() {
  if (( CURRENT == 2 )); then
    compadd -- ${completions.map(({ name }) => name).join(' ')}
    return
  fi
  case \${words[2]} in
${cases.join('')}  esac
  _files
}
compdef _weft weft
`;
}

function fish(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ name, about, actions, options }) => [
    `complete -c weft -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
    ...actions.map((action) => `complete -c weft -n '__fish_seen_subcommand_from ${name}' -f -a ${action}`),
    ...options.map((option) => `complete -c weft -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
  ]);
  return `# Completion of weft for fish: weft completion fish | source\n${lines.join('\n')}\n`;
}

function wordsOf({ actions, options }: Completion): string[] {
  return [...actions, ...options.map((option) => `--${option}`)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}
