// What people type and what they read: times, tables, sparklines, the bar of progress.
import { expect, test } from 'vitest';
import { LiveScreen, shortNumber, sparkline } from './live-screen.ts';
import { inWords, parseDuration, parseMoment, toMoment } from './moments.ts';
import { ProgressBar } from './progress-bar.ts';

function terminal(columns = 60, rows = 10) {
  const output = { text: '', isTTY: true, columns, rows, write: (text: string | Uint8Array) => (output.text += text) };
  return output;
}

test('lengths of time', () => {
  expect(['90', '90s', '1.5m', '2h', '1d', '1w'].map((text) => parseDuration(text, '--for'))).toEqual([
    90, 90, 90, 7200, 86_400, 604_800,
  ]);
  for (const text of ['', '0', '-1h', '1y', 'h', '1h30m', '1e3'])
    expect(() => parseDuration(text, '--for')).toThrow('--for');
});

test('moments: ago, days, date-times', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const parsed = ['now', '1h', '-1h', '2026-11-15', '2026-11-15T09:30Z', '2026-11-15T09:30:00+02:00'].map((text) =>
    new Date(parseMoment(text, '--from', now)).toISOString().slice(11, 16),
  );
  expect(parsed).toEqual(['12:00', '11:00', '11:00', '00:00', '09:30', '07:30']);
  for (const text of ['', 'tomorrow', '1', '2026-13-01', '15.11.2026']) {
    expect(() => parseMoment(text, '--from', now)).toThrow('--from');
  }
  const moment = '2026-11-15T09:05:07.250Z';
  expect([toMoment(moment), toMoment(Date.parse(moment)), toMoment(moment, true), toMoment(null)]).toEqual([
    '2026-11-15 09:05:07',
    '2026-11-15 09:05:07',
    '2026-11-15T09:05:07.250Z',
    'never',
  ]);
  expect(inWords(86_400 * 3)).toBe('3 days');
});

test('a sparkline is between its own smallest and largest value', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([5, 5, 5], 8)).toBe('▁▁▁');
  expect(sparkline([0, 9, 9, 9], 2)).toBe('▁▁');
  expect([12.34567, 1234567, 0, -0.001, 1e12, Number.NaN].map(shortNumber)).toEqual([
    '12.35',
    '1234567',
    '0',
    '-0.001',
    '1.00e+12',
    '–',
  ]);
});

test('the bar of progress is for terminals only, and leaves nothing', () => {
  const output = terminal();
  const bar = new ProgressBar(output);
  bar.show(0.5, 'half');
  expect(output.text).toContain('50 % half');
  bar.clear();
  expect(output.text.endsWith('\r\x1b[K')).toBe(true);
  const file = { text: '', write: (text: string | Uint8Array) => (file.text += text) };
  new ProgressBar(file).show(0.5, 'half');
  expect(file.text).toBe('');
});

test('the live screen draws over itself and never more lines than the terminal has', () => {
  const output = terminal(60, 6);
  const screen = new LiveScreen(output, ['roof-1', 'roof-2']);
  screen.name([{ name: 'rssi_dbm', label: 'Signal (dBm)' }]);
  for (let i = 0; i < 20; i++) screen.add('roof-1', { rssi_dbm: -60 - i, [`m${i}`]: i });
  screen.add('stranger', { load: 1 });
  screen.start();
  screen.stop();
  const [first, second] = output.text.split('\x1b[5A');
  expect(first!.split('\n')).toHaveLength(6);
  expect(first).toMatch(/Signal \(dBm\) +-79 {2}█/);
  expect(second).toBe(first);
});
