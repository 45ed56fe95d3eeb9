import { afterEach, expect, it } from 'vitest';
import { createReadSignQuota } from '../../../adapters/kms/sign-quota.ts';
import { testAwsEnvironment } from './dynalite.ts';
import { type Answer, failure, type StubServer, startStub } from './stub-server.ts';

let stub: StubServer;
afterEach(() => stub.close());

async function read(answer: Answer): Promise<number> {
  stub = await startStub(() => answer);
  const environment = { ...testAwsEnvironment(stub.endpoint), AWS_ENDPOINT_URL: stub.endpoint };
  return createReadSignQuota(environment)('L-2AC98190');
}

it('reads the quota of the account from Service Quotas', async () => {
  expect(await read({ status: 200, body: { Quota: { Value: 3000 } } })).toBe(3000);
  expect(stub.calls).toMatchObject([
    { operation: 'GetServiceQuota', input: { ServiceCode: 'kms', QuotaCode: 'L-2AC98190' } },
  ]);
});

it("takes KMS's default for a quota that no one has changed", async () => {
  expect(await read(failure(400, 'NoSuchResourceException'))).toBe(1000);
});

it('passes on that IAM does not allow it, which a new role may still get', async () => {
  const denied = { name: 'AccessDeniedException' };
  await expect(read(failure(400, 'AccessDeniedException'))).rejects.toMatchObject(denied);
});
