// A browser that keeps nothing breaks nothing.
import { afterEach, expect, test, vi } from 'vitest';
import { forget, keep, readKept } from './kept.ts';

afterEach(() => vi.unstubAllGlobals());

test('where the browser forbids to look, nothing is kept and nothing breaks', () => {
  vi.stubGlobal('localStorage', undefined);
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      throw new DOMException('denied', 'SecurityError');
    },
  });
  for (const keeper of ['browser', 'tab'] as const) {
    keep(keeper, 'weft.test', 'kept');
    expect(readKept(keeper, 'weft.test')).toBeNull();
    forget(keeper, 'weft.test');
  }
  Reflect.deleteProperty(globalThis, 'sessionStorage');
});

test('where there is no room, what was kept before stays', () => {
  const storage = {
    getItem: () => 'before',
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
    removeItem: () => {},
  };
  vi.stubGlobal('localStorage', storage);
  keep('browser', 'weft.test', 'after');
  expect(readKept('browser', 'weft.test')).toBe('before');
});
