// Texts that people and programs choose, on every way out of Weft: the program that reads them there finds exactly that text, and
// nothing that it would run, follow, format or take for a line of somebody else.
import { csvCell } from '@weft/contract/enrolment-line';
import { Marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { parseCsv, toCsvLine } from '../../cli/src/csv.ts';
import { readCsvHistory } from '../../cli/src/history/csv-history.ts';
import { toJson } from '../../cli/src/json-text.ts';
import { terminalOf } from '../../cli/src/surroundings.ts';
import { printable } from '../../cli/src/table.ts';
import type { LoggedEvent } from '../../controller/src/core/accounts/event-log/event-record.ts';
import { escapeHtml } from '../../controller/src/core/base/mail/mailer.ts';
import { toReadableLine } from '../../controller/src/core/http/request/log-text.ts';
import { parseLineProtocol } from '../../controller/src/core/telemetry/ingest/line-protocol.ts';
import { notificationMail } from '../../controller/src/operations/notifications/mail/notification-mail.ts';
import { bodyOf } from '../../controller/src/operations/notifications/webhooks/webhook-bodies.ts';

/** None is longer than a name may be, and each has something that some reader would take for more than a text. */
const nasty = [
  'plain name 1',
  '[Log in again](https://evil.example/weft "Weft")',
  '![x](https://evil.example/pixel.png)',
  '<https://evil.example|Weft> <!channel> <@U123>',
  '@channel @all #general :rotating_light: https://evil.example www.evil.example',
  '*bold* _it_ ~~gone~~ `code` | a | b | # head > quote - item + item 1. one',
  '1. first',
  '{{DATE(2026-01-01T00:00:00Z, SHORT)}} ${name} %s %n {0} $(id) `id`',
  '=HYPERLINK("https://evil.example";"x")',
  '+1+1',
  '-2+3',
  '@SUM(1+1)*cmd',
  '"quoted", \\back\\slash\\n and \'single\' ; a=b c',
  '<script>alert(1)</script><img src=x onerror=alert(1)> &amp; &#60;',
  'x" onload="y',
  '}{"a":1',
  'Grüße 屋顶 \u{1f680}',
  'x\\',
];
/** What no reader is to obey; where a reader has one line, they are as good as a space. */
const controlling = [
  'two\r\nBcc: evil@example.org\r\n\r\nbody',
  'ap-1 1 2\nother_series{x="y"} 1',
  '\x1b[2J\x1b]0;owned\x07\x1b[8mhidden',
  'nul\0bell\x07del\x7fcsi\x9b2J',
  'line\u2028paragraph\u2029end',
];
const all = [...nasty, ...controlling];
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
const withoutJoints = (text: string) => text.replaceAll('\u200b', '');

const eventOf = (text: string): LoggedEvent => ({
  id: 7,
  ts: Date.UTC(2026, 0, 2),
  kind: 'alarm.fired',
  subject_kind: 'alarm',
  subject: 'a-1',
  ap_id: text,
  site: null,
  severity: 'critical',
  text,
  data: { rule: text, ap_id: text, labels: { team: text } },
});

/** As a browser shows it. */
function textOfHtml(html: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return html.replaceAll(/&(?:#(\d+)|(\w+));/g, (_, code, name) =>
    code ? String.fromCodePoint(Number(code)) : names[name]!,
  );
}

describe.each(all)('%j is read as it is', (text) => {
  test('in a card of Teams, where nothing is Markdown', () => {
    const card = JSON.parse(bodyOf('teams', eventOf(text))).attachments[0].content;
    const runs = (card.body as { type: string; inlines: { type: string; text: string }[] }[]).flatMap(
      ({ type, inlines }) => {
        expect(type).toBe('RichTextBlock');
        return inlines;
      },
    );
    expect(runs.every(({ type, text }) => type === 'TextRun' && !text.includes('{{'))).toBe(true);
    const texts = runs.map((run) => withoutJoints(run.text));
    expect(texts).toContain(oneLine(text));
    expect(texts).toEqual(expect.arrayContaining(['Access point: ', oneLine(text)]));
  });

  test('in Slack, where marks are off', () => {
    const body = JSON.parse(bodyOf('slack', eventOf(text)));
    expect([body.mrkdwn, body.attachments[0].mrkdwn_in]).toEqual([false, []]);
    expect(body.text).not.toMatch(/[<>]/);
    expect(textOfHtml(body.text)).toBe(oneLine(text));
  });

  test('in Mattermost, by a parser of Markdown', () => {
    const body = JSON.parse(bodyOf('mattermost', eventOf(text)));
    const shown = [
      body.text,
      body.attachments[0].fields.find(({ title }: { title: string }) => title === 'Access point').value,
    ];
    for (const markdown of shown) {
      const html = new Marked({ gfm: true }).parse(markdown) as string;
      expect(html).toMatch(/^<p>[^<]*<\/p>\n$/);
      expect(withoutJoints(textOfHtml(html.slice(3, -5)))).toBe(oneLine(text).trim());
      expect(markdown).not.toMatch(/@[\w]|:\w+:|:\/\//);
    }
  });

  test('in a mail: one subject, one line of text, one cell', () => {
    const to = { to: 'a@weft.test', name: text, time_zone: 'UTC', publicUrl: undefined };
    const mail = notificationMail([eventOf(text)], to);
    expect(mail.subject).toBe(`[Weft] critical: ${oneLine(text)}`.slice(0, 187));
    expect(mail.text.split('\n').filter((line) => line !== '')).toEqual([
      `2026-01-02 00:00:00 UTC  critical  ${oneLine(text)}  (${oneLine(text)})`,
      `This is the notification "${oneLine(text)}" of Weft.`,
    ]);
    const cells = mail.html.split('</td>').map((cell) => textOfHtml(cell.replace(/^.*<td>/s, '')));
    expect(cells.slice(2, 4)).toEqual([oneLine(text), oneLine(text)]);
    expect(textOfHtml(escapeHtml(text))).toBe(text);
  });

  test('in CSV: one cell that no spreadsheet runs and no terminal obeys', async () => {
    const withoutControls = text.replaceAll(/[^\P{Cc}\t\r\n]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
    const cell = /^[=+\-@]/.test(text) ? `'${text}` : withoutControls;
    const files = [
      [`${csvCell('a')},${csvCell(text)}\r\n`, ['a', cell]],
      [toCsvLine(['a', text]), ['a', cell]],
    ] as const;
    for (const [file, cells] of files) {
      const rows = [];
      for await (const row of parseCsv([file])) rows.push(row.cells);
      expect(rows).toEqual([cells]);
      expect(file).not.toMatch(/[^\P{Cc}\t\r\n]/u);
    }
  });

  test('in the log, and on a terminal: one line that obeys nobody', () => {
    const line = toReadableLine(
      JSON.stringify({ level: 'warn', msg: text, ap_id: text, url: text, err: { message: text, name: text } }),
    );
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(line.endsWith('\n')).toBe(true);
    const pieces: unknown[] = [];
    const terminal = terminalOf({ isTTY: true, write: (piece) => pieces.push(piece) });
    terminal.write(`${text.replaceAll(/[\r\n]/g, ' ')}\n`);
    expect(pieces.join('').slice(0, -1)).not.toMatch(/[^\P{Cc}\x1b\t]|\x1b(?!\[[0-9;]*[mAJK])/u);
    terminal.write(printable(text));
    expect(printable(text)).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(toJson({ [text]: text }))).toEqual({ [text]: text });
    expect(toJson(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  });

  test('as labels of an alert', () => {
    const [alert] = JSON.parse(bodyOf('alertmanager', eventOf(text)));
    expect(alert.labels).toMatchObject({ alertname: text, ap_id: text, team: text });
    const { labels } = JSON.parse(bodyOf('alertmanager', { ...eventOf('x'), data: { labels: { [text]: 'y' } } }))[0];
    for (const name of Object.keys(labels)) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
  });

  test('as a metric and a text of a table that is imported, in the line protocol', async () => {
    const table = `ts,${csvQuoted(text)},note\n2026-01-02T00:00:00Z,5,${csvQuoted(text)}\n`;
    const options = { agent: 'ap-1', agentColumn: undefined, timeColumn: undefined, onTimes: () => {} };
    const items = [];
    for await (const item of readCsvHistory(piecesOf(table), options)) items.push(item);
    expect(items).toHaveLength(1);
    const [item] = items;
    if (/\p{Cc}|\\$/u.test(text)) return expect(String(item)).toContain('control character');
    const limits = { retentionMs: 86_400_000, futureMs: 86_400_000 } as never;
    const nowMs = Date.UTC(2026, 0, 2);
    const read = () =>
      parseLineProtocol((item as { text: string }).text, { precision: 'ms', ap_id: 'ap-1', nowMs, limits });
    // A name of a metric has no comma.
    if (text.includes(',')) return expect(read).toThrow();
    const [sample] = read().samples as unknown as { metrics: unknown; texts: unknown }[];
    expect(JSON.stringify(sample)).toContain(JSON.stringify(text));
  });
});

const csvQuoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
async function* piecesOf(text: string) {
  yield text;
}
