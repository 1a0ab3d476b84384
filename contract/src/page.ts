// One shape for every page of a list: the items, and where the next page begins.
import * as Type from './schema/schema.ts';

interface PageTexts {
  items?: string;
  next?: string;
}

/** The fields of a page, for one that has more of them. */
export function pageFields<Item extends Type.TSchema>(item: Item, { items, next }: PageTexts = {}) {
  return {
    items: Type.Array(item, items === undefined ? {} : { description: items }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: next ?? 'Send it as `cursor` for the next page; null at the end.',
    }),
  };
}

export function Page<Item extends Type.TSchema>(item: Item, title: string, texts?: PageTexts) {
  return Type.Object(pageFields(item, texts), { title });
}
