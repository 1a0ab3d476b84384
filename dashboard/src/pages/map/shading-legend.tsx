// What the colours of the access points mean, over a corner of the map.
import { formatValue } from '../../format/numbers.ts';
import { gradient } from '../../map/shading.ts';
import { mapText } from '../../text/map.ts';
import type { ShadingChoice } from './use-shading.ts';

export function ShadingLegend({ metric, words, shading }: ShadingChoice) {
  if (metric === '' || !shading) return null;
  const text = mapText.shading;
  const isEmpty = shading.values.size === 0;
  return (
    <section class="shading-legend card" aria-label={text.legend(words.label)}>
      <strong>{words.label}</strong>
      {isEmpty ? (
        <span class="soft small">{text.noValues}</span>
      ) : (
        <>
          <i style={{ background: gradient() }} aria-hidden="true" />
          <span class="spread small">
            <span>{formatValue(shading.from, words.unit)}</span>
            <span>{formatValue(shading.to, words.unit)}</span>
          </span>
          <span class="faint small">{shading.isLowWorse ? text.lowest : text.highest}</span>
        </>
      )}
    </section>
  );
}
