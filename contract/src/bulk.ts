// One change for many access points: preview, waves, and a result for each of them.
import Type from 'typebox';
import { LabelsUpdate, selectorText } from './fleet.ts';

export const BulkRequest = Type.Object(
  {
    selector: selectorText('Which access points; those that match when it begins.'),
    action: Type.Object(
      {
        command: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 65_536,
            description: 'As for `send_command`: a name, or JSON with a name and arguments.',
          }),
        ),
        labels: Type.Optional(LabelsUpdate),
        remove: Type.Optional(Type.Boolean({ description: 'Delete them.' })),
      },
      { description: 'Exactly one of them.' },
    ),
    preview: Type.Optional(Type.Boolean({ default: false, description: 'Only say what would happen.' })),
    wave: Type.Optional(
      Type.Object({
        size: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Access points at once.' }),
        pause_seconds: Type.Optional(
          Type.Number({ minimum: 0, maximum: 86_400, default: 0, description: 'Between waves.' }),
        ),
      }),
    ),
  },
  { title: 'BulkRequest' },
);
export type BulkRequest = Type.Static<typeof BulkRequest>;

export const BulkTarget = Type.Object(
  {
    ap_id: Type.String(),
    display_name: Type.Union([Type.String(), Type.Null()]),
    state: Type.Enum(['would', 'waiting', 'done', 'refused', 'stopped'], {
      type: 'string',
      description: '`would`: only a preview. `stopped`: the job ended before its turn.',
    }),
    detail: Type.Union([Type.String(), Type.Null()], { description: 'What happens or happened, or why not.' }),
    command_id: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'BulkTarget' },
);
export type BulkTarget = Type.Static<typeof BulkTarget>;

export const BulkAnswer = Type.Object(
  {
    job_number: Type.Union([Type.String(), Type.Null()], {
      description: 'Null for a preview. `DELETE /api/v1/jobs/{job_number}` stops it.',
    }),
    preview: Type.Boolean(),
    count: Type.Integer({ description: 'How many access points.' }),
    waves: Type.Integer(),
    targets: Type.Array(BulkTarget, { description: 'The first 1,000 of them, by ap_id.' }),
  },
  { title: 'BulkAnswer' },
);
export type BulkAnswer = Type.Static<typeof BulkAnswer>;

export const BulkProgress = Type.Object(
  {
    job_number: Type.String(),
    selector: Type.String(),
    action: Type.Enum(['command', 'labels', 'remove'], { type: 'string' }),
    is_over: Type.Boolean(),
    totals: Type.Object({
      waiting: Type.Integer(),
      done: Type.Integer(),
      refused: Type.Integer(),
      stopped: Type.Integer(),
    }),
    items: Type.Array(BulkTarget, {
      description: 'Of the access points that the caller may still see, or that are gone.',
    }),
    next: Type.Union([Type.String(), Type.Null()], { description: 'The cursor of the next page.' }),
  },
  { title: 'BulkProgress' },
);
export type BulkProgress = Type.Static<typeof BulkProgress>;
