// A command in a line. Pure.
import type { Command } from '../../api/operations.ts';

/** `dbm 17, mode "eco"`. */
export function argumentsInWords(args: Record<string, unknown>): string {
  return Object.entries(args)
    .map(
      ([arg, value]) =>
        `${arg} ${typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)}`,
    )
    .join(', ');
}

export function commandInWords({ name, args }: Pick<Command, 'name' | 'args'>): string {
  const rest = argumentsInWords(args);
  return rest === '' ? name : `${name} ${rest}`;
}
