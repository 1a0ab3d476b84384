// A string in a report is a number, a text or both, by one reading: what goes in with 200 comes out of every answer about
// it, byte for byte where it is a text, in every store and in every form of a report.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findClickHouse, startClickHouse, type TestClickHouse } from '../../../../../test/clickhouse.ts';
import { databaseKinds } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const url = '/api/v1/agent_update/update';
/** What each of these strings counts for: as a number, and as a text. */
const readings: [text: string, number: number | undefined, isText: boolean][] = [
  ['5', 5, false],
  ['-0.25', -0.25, false],
  ['0', 0, false],
  ['123456789012345', 123456789012345, false],
  ['1.20', 1.2, true],
  ['12.30', 12.3, true],
  ['-0', -0, true],
  ['.5', 0.5, true],
  ['5.', 5, true],
  ['0.0000001', 1e-7, true],
  ['00101', undefined, true],
  ['-01', undefined, true],
  ['1e3', undefined, true],
  ['1E3', undefined, true],
  ['+5', undefined, true],
  ['1.10.1', undefined, true],
  ['001e42123456', undefined, true],
  ['8944501234567890123', undefined, true],
  ['1234567890123456', undefined, true],
  ['0.1234567890123456', undefined, true],
  ['NaN', undefined, true],
  ['-Infinity', undefined, true],
  ['', undefined, true],
  ['.', undefined, true],
  ['-', undefined, true],
  [' 5', undefined, true],
  ['0x10', undefined, true],
  ['٣', undefined, true],
];

const digits = fc.string({ unit: fc.constantFrom(...'00123456789.-e+'), minLength: 1, maxLength: 18 });
const someString = fc.oneof(
  digits,
  fc.constantFrom(...readings.map(([text]) => text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.integer(), fc.integer({ min: 0, max: 6 })).map(([number, places]) => (number / 100).toFixed(places)),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/\p{Cc}/u.test(text)),
);
const someValue = fc.oneof(
  { weight: 3, arbitrary: someString },
  {
    weight: 1,
    arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((x) => x + 0),
  },
  { weight: 1, arbitrary: fc.boolean() },
);
const someFields = fc.dictionary(fc.constantFrom('plmn', 'fw', 'iccid', 'load'), someValue, { minKeys: 1 });

/** The rule in the words of the interface, not in those of the parser. */
function readingOf(value: string | number | boolean): { number?: number; text?: string } {
  if (typeof value !== 'string') return { number: Number(value) };
  const [, whole = '', fraction = ''] = /^-?([0-9]*)\.?([0-9]*)$/.exec(value) ?? [];
  const significant = (whole + fraction).replace(/^0+/, '').length;
  const isPlain = whole + fraction !== '' && !/^0[0-9]/.test(whole) && significant <= 15;
  if (!isPlain) return { text: value };
  return String(Number(value)) === value ? { number: Number(value) } : { number: Number(value), text: value };
}

function bodyOf(form: string, ts: number, fields: object): object {
  if (form === 'payload') return { ts, payload: fields };
  if (form === 'payload in JSON') return { ts, payload: JSON.stringify(fields) };
  if (form === 'batch') return { samples: [{ ts, ...fields }] };
  if (form === 'nested') return { ts, sim: fields };
  return { ts, ...fields };
}
const forms = ['body', 'payload', 'payload in JSON', 'batch', 'nested'];

function toLine(fields: Record<string, string | number | boolean>, ts: number): string {
  const values = Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value}`;
  });
  return `agent/AP/data ${values.join()} ${ts}`;
}

describe.each(['the data folder', 'PostgreSQL', 'ClickHouse'])('in %s', (where) => {
  const isMissing =
    (where === 'PostgreSQL' && inject('postgresUrl') === undefined) ||
    (where === 'ClickHouse' && findClickHouse() === undefined);
  describe.skipIf(isMissing)('strings', () => {
    let server: TestWeft;
    let clickHouse: TestClickHouse | undefined;
    let removeDatabase = async () => {};
    let admin: string;
    beforeAll(async () => {
      const settings: Record<string, string> = {};
      if (where === 'PostgreSQL') {
        const namespace = await databaseKinds.postgres.createNamespace({ isBare: true });
        settings.WEFT_TELEMETRY_URL = namespace.address;
        removeDatabase = () => namespace.remove();
      }
      if (where === 'ClickHouse') {
        clickHouse = await startClickHouse();
        settings.WEFT_TELEMETRY_URL = `${clickHouse.url}/texts`;
      }
      server = await startWeft(settings);
      admin = await server.admin();
    });
    afterAll(async () => {
      await server.stop();
      await removeDatabase();
      await clickHouse?.stop();
    });

    let agents = 0;
    const newAgent = async () => {
      const ap_id = `ap-${++agents}`;
      return { ap_id, token: await server.agent(ap_id) };
    };
    const read = async (path: string) => {
      const answer = await server.request('GET', `/api/v1/metrics/${path}`, { token: admin });
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.anything()]);
      return answer;
    };
    const recordsOf = async (ap_id: string, start: number, end: number) => {
      const [start_time, end_time] = [new Date(start).toISOString(), new Date(end).toISOString()];
      const path = `/api/v1/agent_data/request_agent_data?${new URLSearchParams({ agent_id: ap_id, start_time, end_time })}`;
      const { status, body } = await server.request('POST', path, { token: admin });
      expect(status).toBe(200);
      return untilSo(async () => {
        const job = await server.request('GET', `/api/v1/jobs/${body.job_number}`, { token: admin });
        expect(job.body.state).toBe('succeeded');
        return job.body.messages.flatMap(
          ({ data }: { data: { time: string; field: string; value: unknown }[] }) => data,
        );
      });
    };

    /** Asks every answer about what was reported at these times. */
    async function expectAll(
      ap_id: string,
      given: Map<number, Record<string, string | number | boolean>>,
      prefix = '',
    ) {
      const times = [...given.keys()].sort((a, b) => a - b);
      const values = times.flatMap((ts) =>
        Object.entries(given.get(ts)!).map(([name, value]) => ({ ts, name: prefix + name, ...readingOf(value) })),
      );
      const iso = (ts: number) => new Date(ts).toISOString();
      const window = `agent=${ap_id}&window=1h&end=${iso(times.at(-1)! + 1)}`;
      const points = times.map((ts) => ({
        ts: iso(ts),
        ...Object.fromEntries(
          values
            .filter((each) => each.ts === ts)
            .map(({ name, number, text }) => [name, number === undefined ? text : number + 0]),
        ),
      }));
      expect((await read(`agent_data?${window}`)).body.points).toEqual(points);

      const numbers = values.filter(({ number }) => number !== undefined);
      const names = [...new Set(values.map(({ name }) => name))].sort();
      const seriesOf = (name: string) =>
        numbers.filter((each) => each.name === name).map(({ ts, number }) => ({ ts: iso(ts), value: number! + 0 }));
      const series = names.map((metric) => ({ metric, points: seriesOf(metric) }));
      expect((await read(`agent_multi_metric_data?${window}&metrics=${names}`)).body.series).toEqual(series);
      const fleet = await read(
        `series?agents=${ap_id}&metrics=${names}&texts=true&window=1h&end=${iso(times.at(-1)! + 1)}`,
      );
      expect(fleet.body.agents[0].series).toEqual(series);
      const textsOf = (name: string) =>
        values.flatMap((each) =>
          each.name === name && each.text !== undefined ? [{ ts: iso(each.ts), value: each.text }] : [],
        );
      expect(fleet.body.texts).toEqual([
        { agent_id: ap_id, is_complete: true, series: names.map((metric) => ({ metric, points: textsOf(metric) })) },
      ]);

      const records = values.flatMap(({ ts, name: field, number, text }) => [
        ...(number === undefined ? [] : [{ time: iso(ts), field, value: number + 0 }]),
        ...(text === undefined ? [] : [{ time: iso(ts), field, value: text }]),
      ]);
      const order = (a: (typeof records)[number], b: (typeof records)[number]) =>
        a.time < b.time ||
        (a.time === b.time && (a.field < b.field || (a.field === b.field && typeof a.value === 'number')))
          ? -1
          : 1;
      expect(await recordsOf(ap_id, times[0]!, times.at(-1)! + 1)).toEqual(records.sort(order));

      const known = (await read(`agent_metrics?agent=${ap_id}&window=1d`)).body.metrics.map(
        ({ name }: { name: string }) => name,
      );
      expect(known).toEqual(names.filter((name) => seriesOf(name).length > 0));
      const latest = (await read(`latest?agents=${ap_id}&texts=true`)).body.agents[0];
      const newest = (found: { ts: string; value: unknown }[]) => found.at(-1);
      expect(latest.metrics).toEqual(
        Object.fromEntries(names.flatMap((name) => (seriesOf(name).length ? [[name, newest(seriesOf(name))]] : []))),
      );
      expect(latest.texts).toEqual(
        Object.fromEntries(names.flatMap((name) => (textsOf(name).length ? [[name, newest(textsOf(name))]] : []))),
      );
    }

    test('are numbers, texts or both, as they are written, however they are reported', async () => {
      const { ap_id, token } = await newAgent();
      const base = Date.now() - 60_000;
      const given = new Map(readings.map(([text], n) => [base + n, { value: text }]));
      for (const [ts, fields] of given) {
        const { status, body } = await server.request('POST', url, { token, json: { ts, ...fields } });
        expect([fields.value, status, body.accepted, body.ignored]).toEqual([fields.value, 200, 1, undefined]);
      }
      for (const [text, number, isText] of readings) {
        const expected = { ...(number !== undefined && { number }), ...(isText && { text }) };
        expect([text, readingOf(text)]).toEqual([text, expected]);
      }
      await expectAll(ap_id, given);
    });

    test('of random reports come out of every answer', async () => {
      const someReport = fc.record({ form: fc.constantFrom(...forms.slice(0, 4), 'lines'), fields: someFields });
      const reports = fc.array(someReport, { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(reports, async (all) => {
          const { ap_id, token } = await newAgent();
          const base = Date.now() - 60_000;
          const given = new Map<number, Record<string, string | number | boolean>>();
          for (const [n, { form, fields }] of all.entries()) {
            const ts = base + n;
            given.set(ts, fields);
            const answer =
              form === 'lines'
                ? await server.post(
                    '/api/v1/write?precision=ms',
                    { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
                    toLine(fields, ts).replace('AP', ap_id),
                  )
                : await server.request('POST', url, { token, json: bodyOf(form, ts, fields) });
            expect([200, 204]).toContain(answer.status);
            if (answer.status === 200) expect(answer.body).toMatchObject({ accepted: 1 });
            expect(answer.body.ignored).toBeUndefined();
          }
          await expectAll(ap_id, given);
        }),
        { numRuns: rounds(40, where === 'the data folder' ? 10 : 4) },
      );
    });

    test('inside of objects too', async () => {
      const { ap_id, token } = await newAgent();
      const ts = Date.now() - 60_000;
      const fields = { plmn: '00101', fw: '1.20', iccid: '8944501234567890123', load: 0.5 };
      const { body } = await server.request('POST', url, { token, json: bodyOf('nested', ts, fields) });
      expect(body).toMatchObject({ accepted: 1 });
      await expectAll(ap_id, new Map([[ts, fields]]), 'sim_');
    });

    test('under one name, now as text, now as number, are all there, and exports have them', async () => {
      const { ap_id, token } = await newAgent();
      const base = Date.now() - 60_000;
      const versions = ['1.10', '1.10.1', 2, '1.20', 'n/a', true];
      const given = new Map(versions.map((fw, n) => [base + n, { fw }]));
      const samples = [...given].map(([ts, fields]) => ({ ts, ...fields }));
      const { body } = await server.request('POST', url, { token, json: { samples } });
      expect(body).toEqual({ status: 'success', detail: expect.any(String), accepted: 6 });
      await expectAll(ap_id, given);
      const exported = async (rest: string) =>
        (await read(`export?agent=${ap_id}&start=${new Date(base).toISOString()}${rest}`)).text;
      expect((await exported('')).split('\r\n').map((line) => line.split(',').slice(1).join())).toEqual([
        'fw',
        '1.10',
        '1.10.1',
        '2',
        '1.20',
        'n/a',
        '1',
        '',
      ]);
      const lines = (await exported('&format=ndjson&metrics=fw')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line).fw)).toEqual([1.1, '1.10.1', 2, 1.2, 'n/a', 1]);
    });
  });
});
