import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import {
  type CallerProof,
  callerProofRequest,
  requestDigestHeader,
} from '../../contract/caller-proof.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';

/** Proves the identity of the caller to a function of an AWS region. */
export type ProveCaller = (region: string, digest: string) => Promise<CallerProof>;

/**
 * The STS endpoint of the function. Preferences of this machine, such as FIPS endpoints, do not
 * apply to it.
 */
function findSts(environment: Environment, region: string): URL {
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
    const url = findSts(environment, region);
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
