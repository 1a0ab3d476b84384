// A form need not look like the body it is sent as: here the problems of a 422 are moved to the fields they belong to.
import { Failure, fieldOf, problemPhrase, toFailure } from '../../api/failure.ts';
import type { ValidationError } from '../../api/operations.ts';

/** `move` gets `emulators.0.locations.1` and gives the name of the field, or undefined where there is none. */
export function withProblemsMoved(
  error: unknown,
  move: (path: string) => { field: string; prefix?: string } | undefined,
): Failure {
  const failure = toFailure(error);
  if (failure.problems.length === 0) return failure;
  const words = new Map<string, Set<string>>();
  const others: ValidationError[] = [];
  for (const problem of failure.problems) {
    const place = move(fieldOf(problem));
    if (!place) {
      others.push(problem);
      continue;
    }
    const own = problemPhrase(problem);
    const known = words.get(place.field) ?? new Set();
    words.set(place.field, known.add(place.prefix === undefined ? own : `${place.prefix} ${own}`));
  }
  // Several at one field are told together.
  const moved = [...words].map(([field, all]) => ({
    loc: ['body', field],
    msg: [...all].join('; '),
    type: 'value_error',
  }));
  return new Failure(failure.status, failure.code, failure.message, { problems: [...moved, ...others] });
}
