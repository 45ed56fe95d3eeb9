import { vi } from 'vitest';
import type * as CallProfile from '../../adapters/call-profile.ts';
import type * as InvocationProfile from '../../adapters/lambda/invocation-profile.ts';
import type * as Limits from '../../contract/bounds.ts';
import { stepLimit } from '../../lab/support/hang-limit.ts';

// The deadlines of a request and of its calls count real time. On a busy machine they would decide
// what a test sees, so here they only end a hang. Tests of the deadlines themselves take the limits
// of production with vi.unmock. A provider is not held: tests stop one and do not wait.

vi.mock('../../contract/bounds.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof Limits>()),
  requestDeadline: stepLimit,
  providerFetchTimeout: stepLimit,
  trustedFetchTimeout: stepLimit,
  apiKeyUseReadWait: stepLimit,
  providerHold: { seconds: 0, refreshAfter: 0 },
}));

vi.mock('../../adapters/call-profile.ts', async (importOriginal) => {
  const { callProfiles } = await importOriginal<typeof CallProfile>();
  const patient = { connectionTimeout: stepLimit, requestTimeout: stepLimit };
  return {
    callProfiles: {
      request: { ...callProfiles.request, ...patient },
      optional: { ...callProfiles.optional, ...patient },
      background: { ...callProfiles.background, ...patient },
    },
  };
});

vi.mock('../../adapters/lambda/invocation-profile.ts', async (importOriginal) => {
  const { invocationProfile } = await importOriginal<typeof InvocationProfile>();
  const patient = { connectionTimeout: stepLimit, requestTimeout: stepLimit };
  return { invocationProfile: { ...invocationProfile, ...patient } };
});
