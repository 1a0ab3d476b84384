// Answers that many operations share: errors, the plain "done", and the shape of a page.
import * as Type from './schema/schema.ts';

export const ValidationError = Type.Named('ValidationError', {
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
    description: 'Location: `body`, `query` or `path`, then keys and indexes.',
  }),
  msg: Type.String(),
  type: Type.String({ description: 'The kind of problem; stable.' }),
  ctx: Type.Optional.Record(Type.String(), Type.Unknown(), { description: 'The violated limit or rule.' }),
});
export type ValidationError = Type.Static<typeof ValidationError>;

export const HTTPValidationError = Type.Object(
  { detail: Type.Array(ValidationError), code: Type.Optional.String() },
  { title: 'HTTPValidationError' },
);
export type HTTPValidationError = Type.Static<typeof HTTPValidationError>;

export const ErrorAnswer = Type.Named('ErrorAnswer', {
  detail: Type.String({ description: 'For people; may change.' }),
  code: Type.String({ description: 'For programs; a stable snake_case word.' }),
  request_id: Type.Optional.String({ description: 'The id of the request in the log.' }),
});
export type ErrorAnswer = Type.Static<typeof ErrorAnswer>;

export const StatusAnswer = Type.Object(
  { status: Type.Literal('success'), detail: Type.String() },
  { title: 'StatusAnswer' },
);
export type StatusAnswer = Type.Static<typeof StatusAnswer>;

interface PageTexts {
  items?: string;
  next?: string;
}

/** One shape for every page of a list: the items, and where the next page begins. These are its fields, for one that has more of them. */
export function pageFields<Item extends Type.TSchema>(item: Item, { items, next }: PageTexts = {}) {
  return {
    items: Type.Array(item, items === undefined ? {} : { description: items }),
    next: Type.OrNull(Type.String(), {
      description: next ?? 'Send it as `cursor` for the next page; null at the end.',
    }),
  };
}

export function Page<Item extends Type.TSchema>(item: Item, title: string, texts?: PageTexts) {
  return Type.Object(pageFields(item, texts), { title });
}
