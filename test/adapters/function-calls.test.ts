import { describe, expect, it } from 'vitest';
import { askKeyRotation } from '../../adapters/lambda/function-calls.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { UnavailableError } from '../../core/errors.ts';

const report: RotationReport = {
  region: 'slc',
  status: 'signing',
  kid: 'kid-1',
  next: [{ kid: 'kid-2', eligible_at: '2026-11-20T00:00:00.000Z' }],
  done: [{ action: 'promote', subject: 'kid-1' }],
  refused: [{ kid: 'kid-3', reason: 'not yet' }],
};

const ask = (answer: unknown) =>
  askKeyRotation(async () => answer, 'rotation', { action: 'rotate' });

describe('the reply of the key rotation', () => {
  it('is read as it was sent', async () => {
    const reply: unknown = JSON.parse(JSON.stringify(report));
    expect(await ask(reply)).toEqual(report);
    const { kid: _, ...waiting } = { ...report, status: 'waiting' };
    expect(await ask(waiting)).toEqual(waiting);
  });

  it.each([
    ['nothing', undefined],
    ['a report without its lists', { region: 'slc', status: 'signing' }],
    ['a region that does not exist', { ...report, region: 'lax' }],
    ['a status that does not exist', { ...report, status: 'asleep' }],
    ['steps that are text', { ...report, done: ['promote kid-1'] }],
  ])('is refused if it is %s', async (_name, reply) => {
    await expect(ask(reply)).rejects.toThrow(
      new UnavailableError('rotation returned a response of an unknown shape'),
    );
  });
});
