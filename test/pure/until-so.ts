import { vi } from 'vitest';

/** Until a check holds, with patience for a machine that has much else to do: nothing here measures speed. */
export function untilSo<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 180_000, interval: 20 });
}
