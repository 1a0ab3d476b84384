// The figures of the service, out of the text it gives monitoring programs.
import { expect, it } from 'vitest';
import { parseFigures } from './service.ts';

it('reads plain figures and adds up those with labels', () => {
  const text = [
    '# HELP process_resident_memory_bytes Memory',
    'process_resident_memory_bytes 1.5e+08',
    'http_requests_total{status="200",path="/a b"} 3',
    'http_requests_total{status="404"} 2',
    'broken NaN',
    '',
  ].join('\n');
  expect(Object.fromEntries(parseFigures(text))).toEqual({
    process_resident_memory_bytes: 150_000_000,
    http_requests_total: 5,
  });
});
