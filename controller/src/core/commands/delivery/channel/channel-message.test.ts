// A command's plain state is matched as a whole: it must be what the JSON reader makes of it, and nothing else may match.
import { channelUp } from '@weft/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../../test/rounds.ts';
import type { ValidationError } from '../../../base/errors.ts';
import { Validator } from '../../../base/input/validator.ts';
import { ReportReader } from '../../../telemetry/ingest/report-reader.ts';
import { ServerTimes } from '../../../telemetry/ingest/sample-time.ts';
import { readMessage } from './channel-message.ts';

const validator = new Validator({});
const reports = new ReportReader({ retentionMs: 1e9, serverTimes: new ServerTimes() });

function outcomeOf(text: string): unknown {
  try {
    return readMessage(Buffer.from(text), 'ap-1', reports, validator);
  } catch (error) {
    return String(error);
  }
}

const id = fc.oneof(fc.uuid(), fc.stringMatching(/^[0-9a-f-]{36}$/), fc.string({ maxLength: 40 }));
const state = fc.oneof(
  fc.constantFrom('received', 'succeeded', 'failed', 'x', 'sent', ''),
  fc.string({ maxLength: 10 }),
);

it('Z1 a state is the same in whatever way it is written', () => {
  fc.assert(
    fc.property(id, state, (command_id, word) => {
      const text = JSON.stringify({ type: 'command_result', command_id, state: word });
      expect(outcomeOf(text)).toEqual(outcomeOf(` ${text}`));
    }),
    { numRuns: rounds(300) },
  );
});

it('accepts every type that the interface document names, and says which those are', () => {
  const types = channelUp.map(({ properties }) => properties.type.const);
  const problemsOf = (text: string): string => {
    try {
      readMessage(Buffer.from(text), 'ap-1', reports, validator);
      return '';
    } catch (error) {
      return JSON.stringify((error as ValidationError).problems);
    }
  };
  expect(problemsOf('{"type":"nothing"}')).toContain(
    `type should be ${types.slice(0, -1).join(', ')} or ${types.at(-1)}`,
  );
  for (const type of types) expect(problemsOf(`{"type":"${type}"}`)).not.toContain('type should be');
});
