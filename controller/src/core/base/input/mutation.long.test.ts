// As mutation.contract.test.ts, long enough for the rare ones.
import { vi } from 'vitest';
import { describeMutations } from '../../../../../test/mutation-suite.ts';

vi.setConfig({ testTimeout: 600_000 });
await describeMutations({ usual: 5_000, costly: 1_000 });
