// No request makes a name that a stranger chose a property of all objects, or gives anybody a right: at every operation, with
// such names as keys at every depth, as values where a name is expected, in paths and in queries.
import { expect } from 'vitest';
import { describeMutations, known } from '../../../../../test/mutation-suite.ts';
import { addedNames, oddNames, withOddNames, withOddValues } from '../../../../../test/odd-names.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { TestWeft } from '../../../../../test/weft.ts';

const innocents = new WeakMap<TestWeft, Promise<string>>();
/** An access point says that it can be set to whatever such a name stands before. */
async function prepared(weft: TestWeft): Promise<string> {
  const leaves = oddNames.flatMap((name) => {
    const below = ['weftZzz', 'config', name, `${name}.weftZzz`].map((last) => `${name}.${last}`);
    return [name, ...below, `a.${name}.weftZzz`];
  });
  await weft.agent('odd-ap', { settings: Object.fromEntries(leaves.map((leaf) => [leaf, {}])) });
  return weft.app('innocent-app');
}
let asked = 0;
/** What an app without any right is refused. */
const refused = [
  'GET /api/v1/config/layers',
  'GET /api/v1/rollouts',
  'POST /api/v1/alarms/raise',
  'GET /api/v1/users/',
];

/** What was made, newest last: later operations are asked about it. */
const made = ['nothing'];
const ids = ['id', 'rule_id', 'silence_id', 'alarm_id', 'command_id', 'job_number', 'incident_id'];
const all = {
  ...withOddValues(known),
  ...Object.fromEntries(ids.map((name) => [name, made])),
  selector: ['', 'name:*', ...oddNames.map((name) => `tag:"${name}"`)],
  layers: [{ channel: 1 }, { a: { b: 1 } }].map((settings) => [{ name: 'odd', selector: '', weight: 1, settings }]),
  remove: [[]],
};

await describeMutations(
  { usual: rounds(40, 8), costly: rounds(10, 3) },
  {
    title: '$id takes names of all objects for names like others',
    known: all,
    change: withOddNames,
    async check({ body, path }, { text, status: answered }, weft) {
      const { id, job_number = id } = answered === 200 && text.startsWith('{') ? JSON.parse(text) : {};
      if (typeof job_number === 'string') made.splice(0, made.length, ...made.slice(-5), job_number);
      expect(addedNames()).toEqual([]);
      if (!`${body}${path}`.includes('native code')) expect(text).not.toContain('[native code]');
      const innocent = innocents.get(weft) ?? prepared(weft);
      innocents.set(weft, innocent);
      const [method, address] = refused[asked++ % refused.length]!.split(' ');
      const { status } = await weft.request(method!, address!, { token: await innocent });
      expect([address, status]).toEqual([address, 403]);
    },
  },
);
