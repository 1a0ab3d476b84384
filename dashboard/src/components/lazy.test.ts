// A page that a part is missing of is loaded anew, but not for ever.
import { afterEach, expect, it, vi } from 'vitest';
import { loadPart, mayReload } from './lazy.tsx';

afterEach(() => vi.unstubAllGlobals());

it('is reloaded once in a minute at most', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
  const now = 1_800_000_000_000;
  expect([mayReload(now), mayReload(now + 5000), mayReload(now + 59_000), mayReload(now + 60_000)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

it('is not reloaded where nothing can be remembered', () => {
  vi.stubGlobal('sessionStorage', undefined);
  expect(mayReload(1_800_000_000_000)).toBe(false);
});

it('loads no further parts once one was missed: their styles might be', async () => {
  await expect(loadPart(() => Promise.resolve('part'))).resolves.toBe('part');
  await expect(loadPart(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  const next = vi.fn(() => Promise.resolve('part'));
  await expect(loadPart(next)).rejects.toThrow('missed before');
  expect(next).not.toHaveBeenCalled();
});
