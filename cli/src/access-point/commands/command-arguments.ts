// Arguments of commands, checked again on this machine.

/** Only if there are several radios. */
export function whichOf(radios: readonly { interface: string }[]): Record<string, unknown> {
  return radios.length > 1 ? { interface: { type: 'string', enum: radios.map((radio) => radio.interface) } } : {};
}

export function chosen<Kind extends { interface: string }>(
  radios: readonly Kind[],
  { interface: name }: Record<string, unknown>,
): Kind {
  if (name === undefined && radios.length === 1) return radios[0]!;
  const radio = radios.find((each) => each.interface === name);
  if (!radio) throw new Error(`interface must be one of ${radios.map((each) => each.interface).join(', ')}`);
  return radio;
}

/** Weft has validated it, but this machine does not trust the server. */
export function requireNumber(args: Record<string, unknown>, name: string, minimum: number, maximum: number): number {
  const value = args[name];
  if (typeof value !== 'number' || !(value >= minimum && value <= maximum)) {
    throw new Error(`${name} must be a number from ${minimum} to ${maximum}`);
  }
  return value;
}

/** The text of a required argument. */
export function requireText(args: Record<string, unknown>, name: string): string {
  const value = args[name];
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text`);
  return value;
}
