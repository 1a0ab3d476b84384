// The links of a device over time: as they were told, without overlap, and never anywhere nobody said.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkBands } from './link-band-card.tsx';

const range = { from: 1000, to: 2000 };
const time = (at: number) => new Date(at * 1000).toISOString();
const link = (ap_id: string, since: number) => ({ ap_id, since: time(since) }) as never;
const told = (moves: unknown[], links: never[] = [], last_seen = 2000) => ({
  moves: moves as never[],
  links,
  last_seen: time(last_seen),
});
const joined = (ap_id: string, at: number) => ({ kind: 'joined', ap_id, ts: time(at) });
const left = (ap_id: string, at: number) => ({ kind: 'left', ap_id, ts: time(at) });
const moved = (from: string, ap_id: string, at: number) => ({ kind: 'moved', from, ap_id, ts: time(at) });

describe('bands from moves and links', () => {
  it('goes from joining to leaving, and a move ends one and begins another', () => {
    const bands = linkBands(
      told([moved('b', 'c', 1800), left('a', 1500), joined('b', 1400), joined('a', 1200)], [link('c', 1800)]),
      [],
      range,
    );
    expect(bands).toEqual([
      { ap_id: 'c', spans: [{ from: 1800, to: 2000 }], isNow: true },
      { ap_id: 'b', spans: [{ from: 1400, to: 1800 }], isNow: false },
      { ap_id: 'a', spans: [{ from: 1200, to: 1500 }], isNow: false },
    ]);
  });

  it('begins with the range if it was there before, and is left out if it ended before', () => {
    expect(linkBands(told([left('a', 1300)], [link('b', 400)]), [], range)).toEqual([
      { ap_id: 'b', spans: [{ from: 1000, to: 2000 }], isNow: true },
      { ap_id: 'a', spans: [{ from: 1000, to: 1300 }], isNow: false },
    ]);
    expect(linkBands(told([left('a', 900), joined('a', 800)]), [], range)).toEqual([]);
  });

  it('ends when the device was seen last, if nobody told the end', () => {
    const [band] = linkBands(told([joined('a', 1200)], [], 1600), [], range);
    expect(band!.spans).toEqual([{ from: 1200, to: 1600 }]);
  });

  it('takes a join that a move tells again for one beginning', () => {
    const bands = linkBands(
      told([moved('a', 'b', 1500), joined('b', 1490), joined('a', 1100)], [link('b', 1490)]),
      [],
      range,
    );
    expect(bands.map(({ ap_id, spans }) => [ap_id, spans])).toEqual([
      ['b', [{ from: 1490, to: 2000 }]],
      ['a', [{ from: 1100, to: 1500 }]],
    ]);
  });

  it('fills in from history, with gaps where nothing was reported', () => {
    const history = [1100, 1110, 1120, 1400, 1410].map((at) => ({ ap_id: 'a', at }));
    expect(linkBands(told([]), history, range)).toEqual([
      {
        ap_id: 'a',
        spans: [
          { from: 1100, to: 1120 },
          { from: 1400, to: 1410 },
        ],
        isNow: false,
      },
    ]);
  });
});

describe('whatever is told', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const at = fc.integer({ min: 500, max: 2500 });
  const move = fc.oneof(
    fc.tuple(name, at).map(([ap_id, ts]) => joined(ap_id, ts)),
    fc.tuple(name, at).map(([ap_id, ts]) => left(ap_id, ts)),
    fc.tuple(name, name, at).map(([from, ap_id, ts]) => moved(from, ap_id, ts)),
  );
  const links = fc.uniqueArray(fc.tuple(name, at), { selector: ([ap_id]) => ap_id });
  const history = fc.array(fc.record({ ap_id: name, at }));

  it('keeps spans in the range, in order, apart; who is attached now is so at its end', () => {
    fc.assert(
      fc.property(fc.array(move), links, history, at, (moves, now, samples, seen) => {
        const bands = linkBands(
          told(
            moves,
            now.map(([ap_id, since]) => link(ap_id, since)),
            seen,
          ),
          samples,
          range,
        );
        for (const { spans } of bands) {
          for (const [index, { from, to }] of spans.entries()) {
            expect(from).toBeGreaterThanOrEqual(range.from);
            expect(to).toBeLessThanOrEqual(range.to);
            expect(from).toBeLessThanOrEqual(to);
            if (index > 0) expect(from).toBeGreaterThan(spans[index - 1]!.to);
          }
        }
        const atEnd = bands.filter(({ isNow }) => isNow);
        expect(atEnd.map(({ ap_id }) => ap_id).sort()).toEqual(now.map(([ap_id]) => ap_id).sort());
        for (const { spans } of atEnd) expect(spans.at(-1)!.to).toBe(range.to);
      }),
    );
  });
});
