// The values of a radio map as text: base64 of 16-bit integers, low byte first, times a scale.

const nothing = -32_768;
const mostStored = 32_767;
const chunk = 8_192;

/** NaN is written as "nothing"; what is beyond 16 bits becomes the largest that fits. */
export function encodeCoverage(values: Float32Array, scale: number): string {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    const whole = Math.max(-mostStored, Math.min(mostStored, Math.round(value / scale)));
    view.setInt16(n * 2, Number.isNaN(value) ? nothing : whole, true);
  }
  let text = '';
  for (let from = 0; from < bytes.length; from += chunk) {
    text += String.fromCharCode(...bytes.subarray(from, from + chunk));
  }
  return btoa(text);
}

/** The values in their unit; NaN where nothing is heard. Throws if the text is not base64. */
export function decodeCoverage(text: string, scale: number): Float32Array {
  const bytes = atob(text);
  const values = new Float32Array(bytes.length >> 1);
  for (let n = 0; n < values.length; n++) {
    const unsigned = bytes.charCodeAt(n * 2) | (bytes.charCodeAt(n * 2 + 1) << 8);
    const whole = (unsigned << 16) >> 16;
    values[n] = whole === nothing ? Number.NaN : whole * scale;
  }
  return values;
}
