// The job path while its parts die, each of them once or twice. `job-faults.long.test.ts` has the many rounds.
import { inject, test } from 'vitest';
import { killBeforeConfirm, killParts, killProcess } from './job-fault-rounds.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)('each worker killed; RabbitMQ killed, its queues deleted; PostgreSQL killed', () =>
  killParts({ workerKills: 2, isRabbitStopped: false, databaseKills: 1 }),
);

test.skipIf(isMissing)('a controller killed between publishing and the confirm', () => killBeforeConfirm(1));

test('the embedded default killed at random moments, and a job at which it dies each time', async () => {
  await killProcess(2);
});
