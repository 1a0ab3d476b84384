// Requests that are almost right, at every operation; mutation.long.test.ts has many more of them.
import { describeMutations } from '../../../../../test/mutation-suite.ts';

await describeMutations({ usual: 4, costly: 3 });
