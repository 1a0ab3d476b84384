// Rectangles on the canvas of the map, in pixels. Pure.

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function boxAround(x: number, y: number, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}
