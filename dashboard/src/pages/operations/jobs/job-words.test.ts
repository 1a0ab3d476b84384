// Jobs in words.
import { expect, it } from 'vitest';
import type { Job, JobEnvelope } from '../../../api/client.ts';
import { bulkWords, commandOf, kindOf, summaryOf, withCommands } from './job-words.tsx';

const message = (type: JobEnvelope['type'], data: unknown[]): JobEnvelope => ({
  job_number: 'n',
  seq: 1,
  type,
  data,
  final: false,
  ts: '2026-01-01T00:00:00.000Z',
});

it.each([
  ['access points are counted', message('agent_details', [{}, {}]), '2\u00a0access points'],
  [
    'records are counted with the names of their fields',
    message('agent_data', [{ field: 'power_w' }, { field: 'power_w' }, { field: 'rsrp_dbm' }]),
    '3\u00a0records: power_w, rsrp_dbm',
  ],
  ['a status says what it says', message('status', [{ state: 'failed', detail: 'no worker' }]), 'failed: no worker'],
  ['anything else is counted', message('emulator', [1, null, 'x']), '3\u00a0records'],
])('%s', (_, given, words) => {
  expect(summaryOf(given)).toBe(words);
});

it('a kind that is not known keeps its own name', () => {
  expect(kindOf({ task_type: 'agent_data' })).toBe('Data of an access point');
  expect(kindOf({ task_type: 'tomorrow' })).toBe('tomorrow');
});

it('finds the command among the messages', () => {
  expect(commandOf([message('status', [null, { state: 'x' }]), message('command', [{ command_id: 'c1' }])])).toBe('c1');
  expect(commandOf([])).toBeUndefined();
});

it('jobs of one batch are told apart by what they send to whom', () => {
  const job = { task_type: 'send_command' } as Job;
  const jobs = ['1', '2', '3'].map((job_number) => ({ ...job, job_number }));
  const commands = [
    { job_number: '2', name: 'sleep', ap_id: 'ap-2' },
    { job_number: '1', name: 'sleep', ap_id: 'ap-1' },
  ];
  expect(withCommands(jobs, commands).map(({ about }) => about)).toEqual([
    { ap_id: 'ap-1', command: 'sleep' },
    { ap_id: 'ap-2', command: 'sleep' },
    undefined,
  ]);
});

it('a bulk change says what it does and to whom', () => {
  const totals = { waiting: 1, done: 2, refused: 0, stopped: 0 };
  expect(bulkWords({ action: 'command', selector: 'type:WiFi', totals })).toBe(
    'command, type:WiFi (3\u00a0access points)',
  );
  expect(bulkWords({ action: 'remove', selector: '', totals })).toBe('deletion, 3\u00a0access points');
});
