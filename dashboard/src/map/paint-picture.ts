// Stretches a radio map over its part of the world.
import type { MapView } from './map-canvas.ts';
import { toWorld } from './mercator.ts';
import type { RadioPicture } from './radio-picture.ts';

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
