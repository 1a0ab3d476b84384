// The `format`s of the fleet's operations.
import type { Formats } from '../input/validator.ts';
import { valueError } from '../input/value-rules.ts';

const agentFields = ['configuration', 'latest'];

export const fleetFormats: Formats = {
  'agent-fields': (value, loc) => {
    const names = (value as string[]).flatMap((text) => text.split(',')).map((name) => name.trim());
    const known = names.filter((name) => name !== '');
    if (known.every((name) => agentFields.includes(name))) return { value: [...new Set(known)] };
    return { problems: [valueError(loc, `fields are ${agentFields.join(' and ')}`)] };
  },
};
