// The controls of the radio map and its legend, over a corner of the map.
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { Choice } from '../../components/forms/choice.tsx';
import { queries } from '../../data/use-operation.ts';
import { formatCount } from '../../format/numbers.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import type { GeoPlace } from '../../map/mercator.ts';
import { radioMapText as text } from '../../text/radio-map.ts';
import { RadioLegend } from './radio-legend.tsx';
import './radio-panel.css';
import type { RadioMap } from './use-radio-map.ts';

export function RadioPanel({ radio, place }: { radio: RadioMap; place: GeoPlace | undefined }) {
  const { runs, run, layer, technology, opacity, planned, shown, failure } = radio;
  if (!run) return null;
  return (
    <section class={`radio-panel card ${layer ? 'is-on' : ''}`} aria-label={text.title}>
      <div class="radio-choices">
        <Choice
          label={text.layer}
          value={layer ?? ''}
          options={layer ? layerOptions : offOptions}
          onChange={radio.setLayer}
        />
        {layer && (
          <Choice
            label={text.technology}
            value={technology ?? ''}
            options={Object.keys(run.by_type).map((name): [string, string] => [name, name])}
            onChange={radio.setTechnology}
          />
        )}
      </div>
      {layer && runs.length > 1 && (
        <Choice
          label={text.network}
          value={run.job_number}
          options={runs.map(({ job_number, access_points, created_at }) => [
            job_number,
            text.networkName(formatCount(access_points, 'access point'), formatMoment(Date.parse(created_at))),
          ])}
          onChange={radio.setRun}
        />
      )}
      {layer && planned && (
        <div class="radio-difference">
          <strong>{text.difference.title}</strong>
          <span class="soft small">
            {text.difference.words(
              formatCount(planned.commands.length, 'command'),
              formatSpan(planned.after_seconds, 2),
            )}
          </span>
          <Button size="small" onClick={radio.leaveDifference}>
            {text.difference.back}
          </Button>
        </div>
      )}
      {layer && failure && (
        <FailureNotice
          failure={failure}
          onRetry={() => queries.refresh(planned ? 'difference:' : 'emulator_coverage')}
        />
      )}
      {layer && radio.isLoading && !radio.isOutside && (
        <div class="radio-loading small" role="status">
          {planned ? text.comparing(formatSpan(planned.after_seconds, 2)) : text.loading}
          <progress aria-label={text.loading} />
        </div>
      )}
      {layer && radio.isOutside && <p class="soft small">{text.outside}</p>}
      {layer && shown && <RadioLegend shown={shown} place={place} />}
      {layer && (
        <label class="radio-opacity small">
          <span class="soft">{text.opacity}</span>
          <input
            type="range"
            min="10"
            max="100"
            step="5"
            value={Math.round(opacity * 100)}
            onInput={(event) => radio.setOpacity(event.currentTarget.value)}
          />
        </label>
      )}
    </section>
  );
}

const names: [string, string][] = Object.entries(text.layers);
const layerOptions: [string, string][] = [['', `${text.title}: ${text.off}`], ...names];
const offOptions: [string, string][] = [
  ['', `${text.title}: ${text.off}`],
  ...names.map(([name, words]): [string, string] => [name, `${text.title}: ${words}`]),
];
