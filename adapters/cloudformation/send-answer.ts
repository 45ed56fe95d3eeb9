import type { CustomResourceAnswer } from '../../contract/custom-resource.ts';
import { UnavailableError } from '../../core/errors.ts';
import { inTime } from '../deadline.ts';
import { openResponse } from '../https/open-response.ts';
import { parseServiceUrl } from '../https/service-requests.ts';

/** Sends the result of a custom resource to CloudFormation. */
export type SendAnswer = (url: string, answer: CustomResourceAnswer) => Promise<void>;

/** Milliseconds for one attempt. */
const timeout = 5000;

/**
 * Sends the result to the presigned S3 URL from CloudFormation. Errors do not contain the URL.
 *
 * @throws {UnavailableError} if S3 did not accept the result.
 */
export const sendAnswer: SendAnswer = async (url, answer) => {
  const body = Buffer.from(JSON.stringify(answer));
  let status: number | undefined;
  try {
    status = await put(parseServiceUrl(url), body);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
    throw new UnavailableError(`CloudFormation was not answered: ${code}`);
  }
  if (status === 200) return;
  throw new UnavailableError(`CloudFormation was not answered: status ${status}`);
};

function put(url: URL, body: Buffer): Promise<number | undefined> {
  // The signature covers an empty content type.
  const headers = { 'content-type': '', 'content-length': body.length };
  const request = { method: 'PUT', headers, body } as const;
  return inTime(timeout, undefined, async (signal) => {
    const response = await openResponse(url, request, signal);
    response.destroy();
    return response.statusCode;
  });
}
