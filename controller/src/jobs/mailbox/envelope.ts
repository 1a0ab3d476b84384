// A message of a job as clients get it. The data is the text that came, never read and written again: numbers stay as
// they were.
import type { MessageRecord } from './mailbox-store.ts';

/** The text of a JobEnvelope. */
export function toEnvelopeText({ job_number, seq, type, data, final, ts }: MessageRecord): string {
  const time = new Date(ts).toISOString();
  return `{"job_number":${JSON.stringify(job_number)},"seq":${seq},"type":"${type}","data":${data},"final":${final},"ts":"${time}"}`;
}
