import { describe, expect, it } from 'vitest';
import { figure } from '../../support/figure.ts';
import { askToken, timed, unavailableAnswer } from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

const { faults, service } = useFaultyService();

const skew = (seconds: number) => faults.play({ rules: [{ fault: 'clock_skew', seconds }] });

describe("a function's clock that is wrong", () => {
  it.each([600, -600, 86_400, -86_400])('by %i s: nothing is signed', async (seconds) => {
    skew(seconds);
    const answer = await askToken(service());
    expect(answer).toMatchObject(unavailableAnswer);
    const health = await timed(() => fetch(`${service().issuer}/health`));
    expect(health.status).toBe(503);
    figure(`clock wrong by ${seconds} s`, { status: answer.status, health: health.status });
  });
});
