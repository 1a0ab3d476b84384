// The commands that the operator allows on this machine: the list of --allow.

/** Built-in and always allowed. */
const always = ['identify', 'set_report_interval'] as const;
export const allowableCommands = [
  'set_tx_power',
  'set_channel',
  'steer_device',
  'sleep',
  'wake',
  'set_link_policy',
  'restart_wifi',
  'reboot',
] as const;
export type AllowableCommand = (typeof allowableCommands)[number];

/** Settings of the access point, by hostapd's configuration file. */
const defaultHostapdFile = '/etc/hostapd/hostapd.conf';

export interface Allowance {
  commands: ReadonlySet<AllowableCommand>;
  /** Names of programs in the commands folder. */
  scripts: ReadonlySet<string>;
  /** hostapd's configuration files, if Weft may give settings. */
  hostapdFiles: ReadonlySet<string>;
}

/** The rule of Weft for command names. */
const commandName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** Reads `set_tx_power,run:NAME,settings:FILE`. Throws an Error with the reason. */
export function parseAllowance(texts: readonly string[]): Allowance {
  const commands = new Set<AllowableCommand>();
  const scripts = new Set<string>();
  const hostapdFiles = new Set<string>();
  const words = texts.flatMap((text) => text.split(',')).map((word) => word.trim());
  for (const word of words.filter((each) => each !== '')) {
    const known = allowableCommands.find((name) => name === word);
    if (known) commands.add(known);
    else if (word.startsWith('run:')) scripts.add(parseScriptName(word.slice('run:'.length)));
    else if (word === 'settings') hostapdFiles.add(defaultHostapdFile);
    else if (word.startsWith('settings:')) hostapdFiles.add(parseFile(word.slice('settings:'.length)));
    else if (!always.some((name) => name === word)) {
      throw new Error(`unknown command ${word}: use ${allowableCommands.join(', ')}, settings or run:NAME`);
    }
  }
  return { commands, scripts, hostapdFiles };
}

export function toAllowText({ commands, scripts, hostapdFiles }: Allowance): string {
  const files = [...hostapdFiles].map((file) => (file === defaultHostapdFile ? 'settings' : `settings:${file}`));
  return [...commands, ...files, ...[...scripts].map((name) => `run:${name}`)].join(',');
}

function parseFile(path: string): string {
  if (/^\/[^\p{Cc}]+$/u.test(path)) return path;
  throw new Error(`settings:${path} needs the whole path of a configuration file of hostapd`);
}

function parseScriptName(name: string): string {
  if (!commandName.test(name)) {
    throw new Error(
      `run:${name} is not a valid command name: a letter, then at most 63 letters, digits, dots, underscores, hyphens`,
    );
  }
  if ([...always, ...allowableCommands].some((own) => own === name)) {
    throw new Error(`run:${name} would hide the agent's own command ${name}: give the program another name`);
  }
  return name;
}
