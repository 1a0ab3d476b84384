// What the emulator told of a run, newest first.
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { emulatorText } from '../../text/emulator.ts';
import type { RunEvent } from './run-words.ts';

const text = emulatorText.run;
const maxShown = 50;

export function RunMessages({ events, job_number }: { events: readonly RunEvent[]; job_number: string }) {
  const columns = text.message;
  const show = (value: number | undefined, unit = '') =>
    value === undefined ? '–' : unit === '' ? formatNumber(value) : formatValue(value, unit);
  return (
    <section class="card stack">
      <div class="spread">
        <h2>{text.messages}</h2>
        <a class="small" href={`/jobs/${encodeURIComponent(job_number)}`}>
          {text.allMessages}
        </a>
      </div>
      {events.length === 0 ? (
        <p class="soft">{text.noMessages}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div class="plain-table-frame" tabIndex={0} role="region" aria-label={text.messages}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">{columns.time}</th>
                <th scope="col">{columns.event}</th>
                <th scope="col" class="end">
                  {columns.online}
                </th>
                <th scope="col" class="end">
                  {columns.served}
                </th>
                <th scope="col" class="end">
                  {columns.power}
                </th>
                <th scope="col" class="end">
                  {columns.throughput}
                </th>
              </tr>
            </thead>
            <tbody>
              {events
                .slice(-maxShown)
                .toReversed()
                .map((event, index) => (
                  <tr key={`${event.at} ${index}`}>
                    <td>{formatMoment(event.at)}</td>
                    <td>{text.events[event.event] ?? event.event}</td>
                    <td class="end">{show(event.agentsOnline)}</td>
                    <td class="end">{show(event.served)}</td>
                    <td class="end">{show(event.powerW, 'W')}</td>
                    <td class="end">{show(event.deliveredMbps, 'Mb/s')}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
