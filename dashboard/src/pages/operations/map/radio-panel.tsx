// The controls of the radio map and its legend, over a corner of the map.
import './radio-panel.css';
import type { CoverageLayer } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { FailureNotice } from '../../../components/feedback.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { agentName } from '../../../data/agents.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber, formatSpan, formatValue } from '../../../format.ts';
import type { GeoPlace } from '../../../map/mercator.ts';
import {
  cssOf,
  type Domain,
  differenceDomain,
  divergingColour,
  domainOf,
  sequential,
  sequentialAlpha,
  shareOf,
  type Theme,
} from '../../../map/radio-colours.ts';
import { pointAt } from '../../../map/radio-raster.ts';
import { themeInForce } from '../../../styles/theme.ts';
import type { RadioMap, ShownMap } from './use-radio-map.ts';

const text = {
  title: 'Radio map',
  networkName: (first: string, others: number) => (others > 0 ? `${first} and ${others} more` : first),
  off: 'Off',
  layers: { best_server: 'Best server', signal: 'Signal', sinr: 'SINR', rate: 'Rate' } satisfies Record<
    CoverageLayer,
    string
  >,
  loading: 'Computing the radio map',
};

const stops = Array.from({ length: 11 }, (_, n) => n / 10);
const isTouch = matchMedia('(hover: none)').matches;

export function RadioLegend({ shown, place }: { shown: ShownMap; place: GeoPlace | undefined }) {
  const { raster, after, modelTime } = shown;
  const { layer, technology, min, max } = raster;
  const point = place ? pointAt(raster, place) : -1;
  const isDifference = after !== undefined;
  const domain = isDifference ? differenceDomain(layer, min, max) : domainOf(layer, technology, max);
  const unit = isDifference ? changeUnit(raster.unit) : raster.unit;
  const hasScale = layer !== 'best_server';
  const value = point < 0 ? Number.NaN : raster.values[point]!;
  return (
    <figure class="radio-legend" aria-label={`${text.layers[layer]}, ${technology}`}>
      {hasScale ? (
        <ColourScale {...{ domain, unit, isDifference }} value={value} />
      ) : (
        <p class="soft small">
          {isDifference
            ? 'Where another access point becomes the best'
            : 'Each access point has a colour; neighbours differ.'}
        </p>
      )}
      <p class="radio-value" aria-live="off">
        {point >= 0 ? (
          <Reading {...{ shown, point }} />
        ) : (
          <span class="soft small">
            {isTouch ? 'Tap the map to read a value.' : 'Point at the map to read a value.'}
          </span>
        )}
      </p>
      <p class="radio-range faint small">
        {min === null || max === null
          ? 'No access point of this technology is received in this part of the map.'
          : hasScale && `Here from ${formatNumber(min)} to ${formatValue(max, unit)}. `}
        {min !== null && `Model time ${formatMoment(modelTime)}`}
      </p>
    </figure>
  );
}

/** Of two powers in dBm. */
function changeUnit(unit: string): string {
  return unit === 'dBm' ? 'dB' : unit;
}

interface ColourScaleProps {
  domain: Domain;
  unit: string;
  isDifference: boolean;
  value: number;
}

function ColourScale({ domain, unit, isDifference, value }: ColourScaleProps) {
  const theme = themeInForce.value;
  const share = Math.max(0, Math.min(1, shareOf(value, domain)));
  const ticks = [0, 0.5, 1].map((at) => domain.from + (domain.to - domain.from) * at);
  return (
    <div class="radio-scale">
      <div class="radio-bar" style={{ background: `linear-gradient(to right, ${gradient(isDifference, theme)})` }}>
        {!Number.isNaN(value) && <i style={{ left: `${share * 100}%` }} />}
      </div>
      <div class="radio-ticks small">
        {ticks.map((tick, index) => (
          <span key={tick}>
            {isDifference && tick > 0 ? '+' : ''}
            {index === ticks.length - 1 ? formatValue(tick, unit) : formatNumber(tick)}
          </span>
        ))}
      </div>
      {isDifference && <p class="radio-lost faint small">Strongest colour: signal lost or gained</p>}
    </div>
  );
}

function gradient(isDifference: boolean, theme: Theme): string {
  return stops
    .map((share) => {
      if (!isDifference) return cssOf(sequential(share), sequentialAlpha(share));
      const { colour, alpha } = divergingColour(share * 2 - 1, theme);
      return cssOf(colour, alpha);
    })
    .join(', ');
}

function Reading({ shown: { raster, after, without }, point }: { shown: ShownMap; point: number }) {
  const words = (map: typeof raster) => {
    const value = map.values[point]!;
    if (Number.isNaN(value)) return 'No signal here';
    return map.layer === 'best_server' ? agentName(map.accessPoints[value] ?? '') : formatValue(value, map.unit);
  };
  if (!after || !without) return <strong>{words(raster)}</strong>;
  const change = raster.values[point]!;
  const [before, then] = [words(without), words(after)];
  const hasNumber = raster.layer !== 'best_server' && !Number.isNaN(change);
  return (
    <>
      {hasNumber && (
        <strong>
          {change > 0 ? '+' : ''}
          {formatValue(change, changeUnit(raster.unit))}
        </strong>
      )}
      <span class="soft small">{before === then ? before : `${before} → ${then}`}</span>
    </>
  );
}

export function RadioPanel({ radio, place }: { radio: RadioMap; place: GeoPlace | undefined }) {
  const { runs, run, layer, technology, opacity, planned, shown, failure } = radio;
  if (!run) return null;
  return (
    <section class={`radio-panel card ${layer ? 'is-on' : ''}`} aria-label={text.title}>
      <div class="radio-choices">
        <Choice
          label="Radio map layer"
          value={layer ?? ''}
          options={layer ? layerOptions : offOptions}
          onChange={radio.setLayer}
        />
        {layer && (
          <Choice
            label="Technology"
            value={technology ?? ''}
            options={Object.keys(run.by_type).map((name): [string, string] => [name, name])}
            onChange={radio.setTechnology}
          />
        )}
      </div>
      {layer && runs.length > 1 && (
        <Choice
          label="Emulated network"
          value={run.job_number}
          options={runs.map(({ job_number, access_points }) => [
            job_number,
            text.networkName(radio.nameOf(job_number), access_points - 1),
          ])}
          onChange={radio.setRun}
        />
      )}
      {layer && planned && (
        <div class="radio-difference">
          <strong>What-if difference</strong>
          <span class="soft small">
            {`${formatCount(planned.commands.length, 'command')}, ${formatSpan(planned.after_seconds, 2)} later`}
          </span>
          <Button size="small" onClick={radio.leaveDifference} words="Show present" />
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
          {planned ? `Running two copies ${formatSpan(planned.after_seconds, 2)} ahead` : text.loading}
          <progress aria-label={text.loading} />
        </div>
      )}
      {layer && radio.isOutside && (
        <p class="soft small">
          No access point of this technology in this part of the map. Zoom out, or show all access points.
        </p>
      )}
      {layer && radio.isTooFar && (
        <p class="small">What each access point covers is too small to see from here. Zoom in to see it.</p>
      )}
      {layer && shown && !radio.isTooFar && <RadioLegend shown={shown} place={place} />}
      {layer && (
        <label class="radio-opacity small">
          <span class="soft">Opacity</span>
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
