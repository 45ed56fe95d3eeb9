import { describe, expect, it } from 'vitest';
import { maxClockDifference } from '../../../contract/bounds.ts';
import { healthPath } from '../../../contract/routes.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { tokenWorld } from '../../support/token-world.ts';

const at = (seconds: number) => ({ receivedAt: (worldNow + seconds) * 1000 });

describe("API Gateway's clock", () => {
  it.each([0, maxClockDifference, -maxClockDifference])('may differ by %i s', async (seconds) => {
    const { issue } = tokenWorld();
    expect((await issue(at(seconds))).statusCode).toBe(200);
  });

  it.each([maxClockDifference + 1, -maxClockDifference - 1, 600, -600, Number.NaN])(
    'may not differ by %d s: nothing is read or signed, and the region is not healthy',
    async (seconds) => {
      const { issue, call, stores, reports } = tokenWorld();
      expect((await issue(at(seconds))).statusCode).toBe(503);
      expect((await call({ path: healthPath, ...at(seconds) })).statusCode).toBe(503);
      expect(stores.findClient).not.toHaveBeenCalled();
      expect(stores.sign).not.toHaveBeenCalled();
      expect(reports[0]?.measures).toEqual(new Map([['ClockDifferences', 1]]));
      expect(reports[0]?.fields['error_message']).toMatch(/^the clock differs from API Gateway's/);
    },
  );
});
