// The `format` of lists of event kinds in queries and bodies.
import type { FormatCheck, Formats } from '../input/validator.ts';
import { valueError } from '../input/value-rules.ts';
import { parseNames } from '../telemetry/query/name-list.ts';

const maxKinds = 50;
const kindPattern = /^(\*|[a-z][a-z_]{0,30}\.(\*|[a-z][a-z_]{0,30}))$/;

const checkKinds: FormatCheck = (value, loc) => {
  const kinds = parseNames(value as string[]);
  if (kinds.length > maxKinds) return { problems: [valueError(loc, `there are more than ${maxKinds} kinds`)] };
  const wrong = kinds.find((kind) => !kindPattern.test(kind));
  if (wrong !== undefined) {
    return { problems: [valueError(loc, 'a kind is like `agent.offline`, a family like `agent.*`, and all are `*`')] };
  }
  return { value: kinds };
};

export const timelineFormats: Formats = { 'event-kinds': checkKinds };
