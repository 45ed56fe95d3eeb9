import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import {
  type CallerProof,
  callerProofRequest,
  requestDigestHeader,
} from '../../contract/caller-proof.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';

type SignatureV4Init = ConstructorParameters<typeof SignatureV4>[0];

/** Proves the identity of the caller to a function of an AWS region. */
type ProveCaller = (region: string, digest: string) => Promise<CallerProof>;

/** The function's STS endpoint. Preferences of this machine, such as FIPS, do not apply to it. */
function getStsAddress(environment: Environment, region: string): URL {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_STS } = environment;
  return resolveEndpoint('sts', { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_STS, AWS_REGION: region }).url;
}

/** As a client of the SDK finds them: profiles, single sign-on and other sources. */
export type CallerCredentials = SignatureV4Init['credentials'];

/** The headers of a request, and those of its signature by the caller's own credentials. */
export async function signHeaders(
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
  },
  scope: Pick<SignatureV4Init, 'service' | 'region' | 'credentials'>,
): Promise<Readonly<Record<string, string>>> {
  const sha256 = Hash.bind(null, 'sha256');
  const signed = await new SignatureV4({ ...scope, applyChecksum: false, sha256 }).sign({
    ...request,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...request.headers },
  });
  return signed.headers;
}

/**
 * Signs, with the caller's own credentials, a request that the function sends to STS. The secret
 * key stays here. The signature is valid only for this request, and for some minutes.
 *
 * @param environment may name an endpoint of STS, by AWS's variables.
 */
export function createCallerProof(
  credentials: CallerCredentials,
  environment: Environment,
): ProveCaller {
  const { method, path, contentType, body } = callerProofRequest;
  return async (region, digest) => {
    const url = new URL(path, getStsAddress(environment, region));
    const request = {
      method,
      headers: { 'content-type': contentType, [requestDigestHeader]: digest },
      body,
    };
    const headers = await signHeaders(url, request, { service: 'sts', region, credentials });
    const token = headers['x-amz-security-token'];
    return {
      authorization: headers['authorization'] ?? '',
      date: headers['x-amz-date'] ?? '',
      ...(token !== undefined && { security_token: token }),
    };
  };
}
