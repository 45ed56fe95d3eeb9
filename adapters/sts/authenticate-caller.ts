import {
  type CallerProof,
  callerProofRequest,
  requestDigestHeader,
} from '../../contract/caller-proof.ts';
import { InputError, ServiceUnavailableError } from '../../core/errors.ts';
import { requestOnce } from '../aws-json/connection.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';

/**
 * Sends a proof to STS, which returns its signer.
 *
 * @param digest identifies the request of the caller; the signature must cover it.
 * @returns the ARN of the user, or of the role's session.
 * @throws {InputError} if AWS does not accept the signature.
 * @throws {UnavailableError} if STS does not answer in time.
 */
export type AuthenticateCaller = (proof: CallerProof, digest: string) => Promise<string>;

/** Milliseconds. STS answers within the region. */
const timeout = 5000;

const arnElement = /<Arn>(arn:aws[a-z-]*:(?:iam|sts)::\d{12}:[\w+=,.@/-]{1,600})<\/Arn>/;
const codeElement = /<Code>(\w{1,60})<\/Code>/;

function headersOf(proof: CallerProof, digest: string): Record<string, string> {
  return {
    authorization: proof.authorization,
    'content-type': callerProofRequest.contentType,
    'x-amz-date': proof.date,
    ...('security_token' in proof && { 'x-amz-security-token': proof.security_token }),
    [requestDigestHeader]: digest,
  };
}

async function send(url: URL, headers: Record<string, string>) {
  const { method, path, body } = callerProofRequest;
  try {
    return await requestOnce(new URL(path, url), { method, headers, body, timeout });
  } catch (cause) {
    throw new ServiceUnavailableError('STS', 'STS does not answer', { cause });
  }
}

/** @param environment the process's variables, by AWS's own names. */
export function createAuthenticateCaller(environment: Environment): AuthenticateCaller {
  const { url } = resolveEndpoint('sts', environment);
  return async (proof, digest) => {
    const { status, body } = await send(url, headersOf(proof, digest));
    const isRefusal = status >= 400 && status < 500 && status !== 429;
    if (status !== 200 && !isRefusal)
      throw new ServiceUnavailableError('STS', `STS answered ${status}`);
    if (isRefusal) {
      const code = codeElement.exec(body)?.[1] ?? `status ${status}`;
      throw new InputError(
        `caller_proof: AWS does not accept the signature (${code}); allowed: one by valid credentials over this request, made on a machine whose clock is right`,
      );
    }
    const arn = arnElement.exec(body)?.[1];
    if (arn === undefined) throw new ServiceUnavailableError('STS', 'STS named no caller');
    return arn;
  };
}
