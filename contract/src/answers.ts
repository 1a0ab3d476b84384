// Answers that many operations share: errors, and the plain "done".
import * as Type from './schema/schema.ts';

export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      description: 'Location: `body`, `query` or `path`, then keys and indexes.',
    }),
    msg: Type.String(),
    type: Type.String({ description: 'The kind of problem; stable.' }),
    ctx: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'The violated limit or rule.' })),
  },
  { title: 'ValidationError' },
);
export type ValidationError = Type.Static<typeof ValidationError>;

export const HTTPValidationError = Type.Object(
  { detail: Type.Array(ValidationError), code: Type.Optional(Type.String()) },
  { title: 'HTTPValidationError' },
);
export type HTTPValidationError = Type.Static<typeof HTTPValidationError>;

export const ErrorAnswer = Type.Object(
  {
    detail: Type.String({ description: 'For people; may change.' }),
    code: Type.String({ description: 'For programs; a stable snake_case word.' }),
    request_id: Type.Optional(Type.String({ description: 'The id of the request in the log.' })),
  },
  { title: 'ErrorAnswer' },
);
export type ErrorAnswer = Type.Static<typeof ErrorAnswer>;

export const StatusAnswer = Type.Object(
  { status: Type.Literal('success'), detail: Type.String() },
  { title: 'StatusAnswer' },
);
export type StatusAnswer = Type.Static<typeof StatusAnswer>;
