// As mutation.test.ts, long enough for the rare ones.
import { vi } from 'vitest';
import { describeMutations } from '../../../test/mutation-suite.ts';

vi.setConfig({ testTimeout: 600_000 });
await describeMutations({ usual: 10_000, costly: 2_000 });
