// The job path while its parts die, each of them once or twice. `job-faults.long.test.ts` has the many rounds,
// with a RabbitMQ that is killed; what a killed one does to messages is in `broker.amqp.contract.test.ts`.
import { inject, test } from 'vitest';
import { killBeforeConfirm, killParts, killProcess } from './job-fault-rounds.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)('a worker killed; RabbitMQ gone, its queues deleted; PostgreSQL killed', () =>
  killParts({ workerKills: 1, isRabbitStopped: false, databaseKills: 1 }),
);

test.skipIf(isMissing)('a controller killed between publishing and the confirm', () => killBeforeConfirm(1));

test('the embedded default killed at random moments', async () => {
  await killProcess(2);
});
