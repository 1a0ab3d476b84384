// What is removed because it is old, and by what time.
import * as Type from './schema/schema.ts';

export const RetentionReport = Type.Named('RetentionReport', {
  state: Type.Enum(['running', 'paused'], { description: 'paused: the clock has jumped, and nothing is removed.' }),
  steady_seconds: Type.OrNull(Type.Integer(), {
    description: 'For how long the clock has been steady since it jumped; an hour is needed. Null unless it is paused.',
  }),
  rounds: Type.Integer({ description: 'How often this node has looked for what is old since it started.' }),
  kinds: Type.Array(
    Type.Object({
      name: Type.String(),
      kept_seconds: Type.Integer({ description: 'The longest time for which one of them is kept.' }),
      now: Type.OrNull(Type.Timestamp, {
        description:
          'The time that counts for these: behind the clock where not all of its time is known to have passed.',
      }),
    }),
  ),
});
export type RetentionReport = Type.Static<typeof RetentionReport>;
