// Access points as a fleet: their labels, which administrators own, and selectors over them.
import Type from 'typebox';
import { maxSitePathLength, maxTags, sitePathPattern, tagPattern } from './functions/label-rules.ts';

const Tag = Type.String({ pattern: tagPattern, format: 'label' });
const Tags = (description: string) => Type.Optional(Type.Array(Tag, { maxItems: maxTags, description }));

export const LabelsUpdate = Type.Object(
  {
    display_name: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 128, format: 'label' }), Type.Null()], {
        description: 'What people read instead of the ap_id; null: none.',
      }),
    ),
    site: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: maxSitePathLength, pattern: sitePathPattern, format: 'label' }), Type.Null()],
        {
          description: 'The path of a site that exists; null: none.',
        },
      ),
    ),
    tags: Tags('All of them, in place of those that it has.'),
    add_tags: Tags('Beside those that it has.'),
    remove_tags: Tags('Those that it does not have are ignored.'),
  },
  {
    title: 'LabelsUpdate',
    description: 'What is absent stays. `tags` comes first, then `add_tags`, then `remove_tags`.',
  },
);
export type LabelsUpdate = Type.Static<typeof LabelsUpdate>;

const Labels = {
  display_name: Type.Union([Type.String(), Type.Null()]),
  site: Type.Union([Type.String(), Type.Null()], { description: 'The path of its site.' }),
  tags: Type.Array(Type.String(), { description: 'Each once, ordered.' }),
};

export const AgentLabels = Type.Object(
  {
    ap_id: Type.String(),
    ...Labels,
    suggested: Type.Object(
      {
        site: Type.Union([Type.String(), Type.Null()]),
        tags: Type.Array(Type.String()),
      },
      { description: 'What the agent says in `configuration.site` and `configuration.tags`, and is not accepted.' },
    ),
  },
  { title: 'AgentLabels' },
);
export type AgentLabels = Type.Static<typeof AgentLabels>;
