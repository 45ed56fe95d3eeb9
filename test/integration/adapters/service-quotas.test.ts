import { afterEach, expect, it } from 'vitest';
import { createReadQuota } from '../../../adapters/service-quotas.ts';
import { testAwsEnvironment } from './dynalite.ts';
import { type Answer, failure, type StubServer, startStub } from './stub-server.ts';

let stub: StubServer;
afterEach(() => stub.close());

async function read(answer: Answer): Promise<number> {
  stub = await startStub(() => answer);
  const environment = { ...testAwsEnvironment(stub.endpoint), AWS_ENDPOINT_URL: stub.endpoint };
  return createReadQuota(environment)({
    service: 'apigateway',
    code: 'L-8A5B8E43',
    standard: 2500,
  });
}

it('reads the quota of the account from Service Quotas', async () => {
  expect(await read({ status: 200, body: { Quota: { Value: 3000 } } })).toBe(3000);
  expect(stub.calls).toMatchObject([
    { operation: 'GetServiceQuota', input: { ServiceCode: 'apigateway', QuotaCode: 'L-8A5B8E43' } },
  ]);
});

it('takes the default of a quota that no one has changed', async () => {
  expect(await read(failure(400, 'NoSuchResourceException'))).toBe(2500);
});

it('passes on that IAM does not allow it, which a new role may still get', async () => {
  const denied = { name: 'AccessDeniedException' };
  await expect(read(failure(400, 'AccessDeniedException'))).rejects.toMatchObject(denied);
});
