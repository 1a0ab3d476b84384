// The job path while its parts die, each of them once or twice. `job-faults.long.test.ts` has the many rounds.
import { inject, test } from 'vitest';
import { killBeforeConfirm, killParts, killProcess } from './job-fault-rounds.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)('a worker killed; RabbitMQ killed, its queues deleted; PostgreSQL killed', () =>
  killParts({ workerKills: 1, isRabbitStopped: false, databaseKills: 1 }),
);

test.skipIf(isMissing)('a controller killed between publishing and the confirm', () => killBeforeConfirm(1));

test('the embedded default killed at random moments', async () => {
  await killProcess(2);
});
