// The job path while its parts die, over and over.
import { inject, test } from 'vitest';
import { killBeforeConfirm, killParts, killProcess } from './job-fault-rounds.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)(
  'workers killed 50 times; RabbitMQ stopped, killed, its queues deleted; PostgreSQL killed 20 times',
  { timeout: 1_800_000 },
  () => killParts({ workerKills: 50, isRabbitStopped: true, databaseKills: 20 }),
);

test.skipIf(isMissing)('a controller killed between publishing and the confirm, 20 times', { timeout: 600_000 }, () =>
  killBeforeConfirm(20),
);

test('the embedded default killed 50 times at random moments, and a job at which it dies each time', {
  timeout: 1_200_000,
}, async () => {
  process.stdout.write(`embedded: ${JSON.stringify(await killProcess(50))}\n`);
});
