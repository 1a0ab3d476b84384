// What the colours of the radio map mean, and its value under the pointer.

import { agentName } from '../../data/agent-names.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import type { GeoPlace } from '../../map/mercator.ts';
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
} from '../../map/radio-colours.ts';
import { pointAt } from '../../map/radio-raster.ts';
import { themeInForce } from '../../styles/theme.ts';
import { radioMapText as text } from '../../text/radio-map.ts';
import type { ShownMap } from './use-radio-map.ts';

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
        <p class="soft small">{isDifference ? text.changedServer : text.bestServer}</p>
      )}
      <p class="radio-value" aria-live="off">
        {point >= 0 ? (
          <Reading {...{ shown, point }} />
        ) : (
          <span class="soft small">{isTouch ? text.tap : text.point}</span>
        )}
      </p>
      <p class="radio-range faint small">
        {min === null || max === null
          ? text.nothing
          : hasScale && `${text.range(formatNumber(min), formatValue(max, unit))}. `}
        {min !== null && text.at(formatMoment(modelTime))}
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
      {isDifference && <p class="radio-lost faint small">{text.lost}</p>}
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
    if (Number.isNaN(value)) return text.nothingHere;
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
