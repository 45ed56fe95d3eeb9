import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { requestDigest } from '../../../core/audit/request-digest.ts';
import { InputError, UnavailableError } from '../../../core/errors.ts';
import { createAccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { localUserArn, startSts } from '../../../lab/emulator/sts-server.ts';

const accessKey = createAccessKey();
let sts: RunningService;
beforeAll(async () => {
  sts = await startSts({ accessKey });
});
afterAll(() => sts.close());

const environment = (region = 'us-west-2') => ({
  AWS_ENDPOINT_URL_STS: sts.endpoint,
  AWS_REGION: region,
});
const prove = (region: string, digest: string, credentials: typeof accessKey = accessKey) =>
  createCallerProof(credentials, environment())(region, digest);
const authenticate: ReturnType<typeof createAuthenticateCaller> = (proof, digest) =>
  createAuthenticateCaller(environment())(proof, digest);

const digest = requestDigest('auth-key-rotation', { action: 'rotate' });
const otherDigest = requestDigest('auth-key-rotation', { action: 'rotate', algorithm: 'ES256' });

describe('a proof of who asks', () => {
  it('names whom STS knows by the signature, as STS itself does', async () => {
    expect(await authenticate(await prove('us-west-2', digest), digest)).toBe(localUserArn());
    const ask = createCallerIdentity({
      endpointSts: sts.endpoint,
      credentials: accessKey,
      region: 'us-west-2',
    });
    expect(await ask()).toBe(localUserArn());
  });

  it('counts for only one request', async () => {
    const proof = await prove('us-west-2', digest);
    await expect(authenticate(proof, otherDigest)).rejects.toThrow(
      /AWS does not accept the signature \(InvalidSignatureException\)/,
    );
    await expect(authenticate(proof, otherDigest)).rejects.toBeInstanceOf(InputError);
  });

  it.each([
    ['of another time', (proof: object) => ({ ...proof, date: '20200101T000000Z' })],
    ['with another token', (proof: object) => ({ ...proof, security_token: 'x' })],
  ])('does not count %s', async (_, change) => {
    const proof = change(await prove('us-west-2', digest));
    await expect(authenticate(proof as never, digest)).rejects.toBeInstanceOf(InputError);
  });

  it('does not count with credentials that AWS does not know', async () => {
    const proof = await prove('us-west-2', digest, createAccessKey());
    await expect(authenticate(proof, digest)).rejects.toThrow(/UnrecognizedClientException/);
  });

  it('holds the session token of temporary credentials, and no secret', async () => {
    const credentials = { ...accessKey, sessionToken: 'session' };
    const proof = await prove('us-west-2', digest, credentials);
    expect(proof).toMatchObject({ security_token: 'session' });
    expect(JSON.stringify(proof)).not.toContain(accessKey.secretAccessKey);
  });

  it('is signed for the STS of the function, not for the one that this machine prefers', async () => {
    const options = { region: 'eu-west-1', credentials: accessKey } as const;
    const preferring = { AWS_USE_FIPS_ENDPOINT: 'true', AWS_ENDPOINT_URL_STS: sts.endpoint };
    const proof = await createCallerProof(options.credentials, preferring)('us-west-2', digest);
    expect(proof.authorization).toContain('/us-west-2/sts/aws4_request');
    expect(await authenticate(proof, digest)).toBe(localUserArn());
  });
});

describe('an STS that does not answer', () => {
  it('is an outage', async () => {
    const stopped = await startSts({ accessKey });
    await stopped.close();
    const nowhere = createAuthenticateCaller({
      AWS_ENDPOINT_URL_STS: stopped.endpoint,
      AWS_REGION: 'us-west-2',
    });
    await expect(nowhere(await prove('us-west-2', digest), digest)).rejects.toBeInstanceOf(
      UnavailableError,
    );
  });
});
