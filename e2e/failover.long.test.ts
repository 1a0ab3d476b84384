// Accounts in PostgreSQL with a synchronous standby that takes over, under load.
import { inject, test } from 'vitest';
import { promoteUnderLoad } from './failover-rounds.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)(
  'the primary is killed and the standby promoted, three times: nothing that was acknowledged is lost',
  { timeout: 900_000 },
  () => promoteUnderLoad(3),
);
