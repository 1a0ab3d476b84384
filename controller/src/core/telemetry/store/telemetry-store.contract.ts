// What every telemetry store promises, one test a sentence. Run for each backend by telemetry-store.contract.test.ts.
import { afterAll, beforeAll, describe } from 'vitest';
import { StoreUnderTest, type TelemetryFixture } from '../../../../../test/telemetry-fixture.ts';
import { describeAppending } from './telemetry-store-append.contract.ts';
import { describeFields } from './telemetry-store-fields.contract.ts';
import { describeNames } from './telemetry-store-names.contract.ts';
import { describeQuerying } from './telemetry-store-query.contract.ts';

export function describeTelemetryStore(title: string, open: () => Promise<TelemetryFixture>): void {
  describe(title, () => {
    let underTest: StoreUnderTest;
    beforeAll(async () => {
      underTest = new StoreUnderTest(await open());
    });
    afterAll(() => underTest.fixture.remove());

    for (const part of [describeAppending, describeNames, describeQuerying, describeFields]) part(() => underTest);
  });
}
