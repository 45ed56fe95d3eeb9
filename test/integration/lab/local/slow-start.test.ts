import { expect, it, onTestFinished, vi } from 'vitest';
import { Faults } from '../../../../lab/emulator/faults/faults.ts';
import { startLocal } from '../../../../lab/local/start-local.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

// With the limits of production, which the set-up must not have.
vi.unmock('../../../../adapters/call-profile.ts');

/** Milliseconds: more than a function waits for a table. */
const slow = 2500;

it('starts on a machine whose disk is busy, as after an installation', async () => {
  const faults = new Faults();
  const latency = { service: 'dynamodb', fault: 'latency', milliseconds: slow } as const;
  faults.play({
    rules: [
      { ...latency, operation: 'CreateTable' },
      { ...latency, operation: 'DescribeTable', table: 'clients' },
      { ...latency, operation: 'PutItem', table: 'clients' },
    ],
  });
  const run = await startLocal({ stateDirectory: temporaryDirectory(), port: 0, faults });
  onTestFinished(() => run.close());
  expect(run.clientId).toMatch(/^client_/);
});
