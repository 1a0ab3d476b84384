// What a program would do: right addresses, nothing secret, nothing that breaks out of its quotes.
import { expect, it } from 'vitest';
import { curlOf, javascriptOf } from './job-code.tsx';

const origin = 'https://weft.example:8443';
const asked = { agent_id: "ap'; rm -rf", start_time: '2026-01-01T00:00:00.000Z', end_time: '2026-01-01T01:00:00.000Z' };

it('asks for the same and reads the job', () => {
  const text = curlOf({ origin, job_number: 'n-1', task_type: 'agent_data', asked });
  expect(text).toContain(`'${origin}/api/v1/jobs/n-1'`);
  expect(text).toContain('agent_id=ap%27%3B+rm+-rf&start_time=2026-01-01T00%3A00%3A00.000Z');
  expect(text).toContain('Bearer $TOKEN');
});

it('only reads a job that cannot be asked for again', () => {
  expect(curlOf({ origin, job_number: 'n-1', task_type: 'send_command' })).not.toContain('POST');
  expect(javascriptOf({ origin, job_number: 'n-1', task_type: 'agent_data' })).toContain("'/api/v1/ws/n-1'");
});

it('speaks to the socket of the same origin, encrypted where the page is', () => {
  expect(javascriptOf({ origin, job_number: 'n-1', task_type: 'agent_details' })).toContain(
    "new WebSocket('wss://weft.example:8443' + websocket, ['weft.v1', 'bearer.' + TOKEN])",
  );
});
