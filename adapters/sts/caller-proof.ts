import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import {
  type CallerProof,
  callerProofRequest,
  requestDigestHeader,
} from '../../contract/caller-proof.ts';
import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';

/** Proves the identity of the caller to a function of an AWS region. */
type ProveCaller = (region: string, digest: string) => Promise<CallerProof>;

/**
 * The STS endpoint of the function. Preferences of this machine, such as FIPS endpoints, do not
 * apply to it.
 */
function getStsAddress(environment: Environment, region: string): URL {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_STS } = environment;
  return resolveEndpoint('sts', { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_STS, AWS_REGION: region }).url;
}

/**
 * Signs, with the caller's own credentials, a request that the function sends to STS. The secret
 * key stays here. The signature is valid only for this request, and for some minutes.
 *
 * @param credentials as a client of the SDK finds them: profiles, single sign-on and other sources.
 * @param environment may name an endpoint of STS, by AWS's variables.
 */
export function createCallerProof(
  credentials: ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  environment: Environment,
): ProveCaller {
  const { method, path, contentType, body } = callerProofRequest;
  return async (region, digest) => {
    const url = getStsAddress(environment, region);
    const signer = new SignatureV4({
      service: 'sts',
      region,
      credentials,
      applyChecksum: false,
      sha256: Hash.bind(null, 'sha256'),
    });
    const { headers } = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path,
      query: {},
      headers: { host: url.host, 'content-type': contentType, [requestDigestHeader]: digest },
      body,
    });
    const token = headers['x-amz-security-token'];
    return {
      authorization: headers['authorization'] ?? '',
      date: headers['x-amz-date'] ?? '',
      ...(token !== undefined && { security_token: token }),
    };
  };
}

/**
 * Names the caller: the ARN of the user or of the role's session. The call needs no permission. It
 * is repeated until it succeeds.
 *
 * @throws {UnavailableError} if STS does not answer in time.
 */
export function createCallerIdentity(options: AwsClientOptions = {}): () => Promise<string> {
  let known: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const { endpointSts: endpoint } = options;
    // Loaded only if something changes: lists and the local run need no STS.
    const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
    const client = new STSClient({
      ...clientConfiguration(options),
      ...(endpoint !== undefined && { endpoint }),
    });
    const { Arn: arn } = await callAws('STS', 'find out who calls', () =>
      limitResponses(client, options).send(new GetCallerIdentityCommand({})),
    );
    if (arn === undefined) throw new Error('STS named no caller');
    return arn;
  };
  return () => {
    // A failure is not cached, because a portal runs longer than an outage of STS.
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
