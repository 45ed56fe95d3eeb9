import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AccessKey } from './access-key.ts';
import { AwsError, type AwsService } from './aws-error.ts';

/** A request as received. */
interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface SignatureExpectations {
  readonly service: AwsService;
  /** Access keys that this run issued, by id. */
  readonly findAccessKey: (accessKeyId: string) => AccessKey | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** AWS accepts signatures whose time differs by at most so many milliseconds. */
const maxSkew = 15 * 60_000;

const algorithm = 'AWS4-HMAC-SHA256';
const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/([a-z0-9-]+)\/[a-z0-9-]+\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/;
const timePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The JSON services answer 400, the others 403. */
function refusal(service: AwsService, type: string, message: string): AwsError {
  return new AwsError(type, message, service === 'lambda' || service === 'sts' ? 403 : 400);
}

function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}

function readAuthorization(headers: IncomingHttpHeaders, service: AwsService) {
  const value = headers.authorization ?? '';
  if (!value.startsWith(algorithm)) {
    throw refusal(service, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  const [, accessKeyId, region, signedHeaders, signature] = authorizationPattern.exec(value) ?? [];
  if (accessKeyId && region && signedHeaders && signature) {
    return { accessKeyId, region, signedHeaders: signedHeaders.split(';'), signature };
  }
  throw refusal(
    service,
    'IncompleteSignatureException',
    `allowed in Authorization: ${algorithm} Credential=…, SignedHeaders=…, Signature=…`,
  );
}

/** Milliseconds since the epoch; NaN if the text is not in the basic form of ISO 8601. */
function readTime(headers: IncomingHttpHeaders): number {
  const time = headerText(headers, 'x-amz-date');
  return timePattern.test(time)
    ? Date.parse(time.replace(timePattern, '$1-$2-$3T$4:$5:$6Z'))
    : Number.NaN;
}

/** AWS requires signatures to cover the host and every header of its own. */
function findUncovered(
  headers: IncomingHttpHeaders,
  signed: readonly string[],
): string | undefined {
  const needed = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  return ['host', 'x-amz-date', ...needed].find((name) => !signed.includes(name));
}

const payloadHeader = 'x-amz-content-sha256';

/** Signs a request again, with the headers that its signature covers. */
async function signAgain(
  { method, url, headers, body }: ReceivedRequest,
  { region, signedHeaders }: ReturnType<typeof readAuthorization>,
  { service, accessKey }: { readonly service: AwsService; readonly accessKey: AccessKey },
): Promise<string> {
  const [path = '/', query = ''] = url.split('?');
  const parameters = new URLSearchParams(query);
  const signer = new SignatureV4({
    service,
    region,
    credentials: accessKey,
    sha256: Hash.bind(null, 'sha256'),
    // The signer believes this header. Without it, it hashes the body and adds the header.
    applyChecksum: signedHeaders.includes(payloadHeader),
  });
  const names = signedHeaders.filter((name) => name !== payloadHeader);
  const request = {
    method,
    protocol: 'http:',
    hostname: 'localhost',
    path,
    query: Object.fromEntries([...parameters.keys()].map((key) => [key, parameters.getAll(key)])),
    headers: Object.fromEntries(names.map((name) => [name, headerText(headers, name)])),
    body,
  };
  const signed = await signer.sign(request, {
    signingDate: new Date(readTime(headers)),
    signableHeaders: new Set(names),
  });
  return signed.headers.authorization ?? '';
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Who signed a request, and for which AWS region. */
interface Signer {
  readonly region: string;
  readonly accessKeyId: string;
}

/** A request whose signature was verified. */
export interface VerifiedRequest extends ReceivedRequest, Signer {}

/**
 * Verifies a Signature Version 4 as AWS does: signs the request again and compares.
 *
 * @throws {AwsError} if there is no signature, it is of an unknown access key, or it does not fit.
 */
export async function verifyRequestSignature(
  request: ReceivedRequest,
  expectations: SignatureExpectations,
): Promise<Signer> {
  const { service, findAccessKey, time } = expectations;
  const authorization = readAuthorization(request.headers, service);
  const invalid = (message: string): AwsError =>
    refusal(service, 'InvalidSignatureException', message);
  const accessKey = findAccessKey(authorization.accessKeyId);
  if (accessKey === undefined) {
    throw refusal(
      service,
      'UnrecognizedClientException',
      'The security token included in the request is invalid. Each local run makes its own credentials: read demo.env again.',
    );
  }
  const uncovered = findUncovered(request.headers, authorization.signedHeaders);
  if (uncovered !== undefined) throw invalid(`the signature does not cover ${uncovered}`);
  // NaN is also refused.
  if (!(Math.abs(readTime(request.headers) - time) <= maxSkew)) {
    throw invalid('Signature expired or not yet current: x-amz-date is more than 15 minutes off');
  }
  const again = await signAgain(request, authorization, { service, accessKey });
  if (isEqual(again.slice(-authorization.signature.length), authorization.signature)) {
    return { region: authorization.region, accessKeyId: accessKey.accessKeyId };
  }
  throw invalid(
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
  );
}
