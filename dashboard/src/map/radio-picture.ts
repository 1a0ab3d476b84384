// A radio map as a picture: one pixel for each point of the raster, which the map stretches over the ground.
import type { MapView } from './map-canvas.ts';
import { toWorld } from './mercator.ts';
import {
  categories,
  differenceDomain,
  divergingColour,
  domainOf,
  type Rgb,
  sequential,
  sequentialAlpha,
  shareOf,
  type Theme,
} from './radio-colours.ts';
import type { RadioRaster } from './radio-raster.ts';

export interface RadioPicture {
  bounds: RadioRaster['bounds'];
  image: HTMLCanvasElement;
  /** From 0 to 1. */
  opacity: number;
}

type Paint = (point: number) => { colour: Rgb; alpha: number } | undefined;

export function paintRaster(
  raster: RadioRaster,
  theme: Theme,
  colours: ReadonlyMap<string, number>,
): HTMLCanvasElement {
  const { layer, technology, values, accessPoints, max } = raster;
  if (layer === 'best_server') {
    const palette = categories[theme];
    return draw(raster, (point) => {
      const name = accessPoints[values[point]!];
      return name === undefined ? undefined : { colour: palette[colours.get(name) ?? 0]!, alpha: 0.85 };
    });
  }
  const domain = domainOf(layer, technology, max);
  return draw(raster, (point) => {
    const value = values[point]!;
    if (Number.isNaN(value)) return undefined;
    const share = shareOf(value, domain);
    return { colour: sequential(share), alpha: sequentialAlpha(share) };
  });
}

/** What is lost altogether has the full colour of less, what is found that of more. */
export function paintDifference(
  difference: RadioRaster,
  after: RadioRaster,
  without: RadioRaster,
  theme: Theme,
): HTMLCanvasElement {
  const { to } = differenceDomain(difference.layer, difference.min, difference.max);
  return draw(difference, (point) => {
    const [one, other] = [after.values[point]!, without.values[point]!];
    if (Number.isNaN(one) && Number.isNaN(other)) return undefined;
    if (Number.isNaN(one)) return divergingColour(-1, theme);
    if (Number.isNaN(other)) return divergingColour(1, theme);
    return divergingColour(difference.values[point]! / to, theme);
  });
}

function draw({ columns, rows }: RadioRaster, paint: Paint): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = columns;
  image.height = rows;
  const context = image.getContext('2d')!;
  const pixels = context.createImageData(columns, rows);
  for (let point = 0; point < columns * rows; point++) {
    const found = paint(point);
    if (!found) continue;
    pixels.data.set(found.colour, point * 4);
    pixels.data[point * 4 + 3] = Math.round(found.alpha * 255);
  }
  context.putImageData(pixels, 0, 0);
  return image;
}

export function paintPicture({ context, scale, left, top }: MapView, { bounds, image, opacity }: RadioPicture): void {
  const corner = toWorld({ latitude: bounds.north, longitude: bounds.west });
  const other = toWorld({ latitude: bounds.south, longitude: bounds.east });
  context.save();
  context.globalAlpha = opacity;
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(
    image,
    corner.x * scale - left,
    corner.y * scale - top,
    (other.x - corner.x) * scale,
    (other.y - corner.y) * scale,
  );
  context.restore();
}
