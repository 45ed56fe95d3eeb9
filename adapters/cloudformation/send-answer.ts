import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CustomResourceAnswer } from '../../contract/custom-resource.ts';
import { UnavailableError } from '../../core/errors.ts';
import { parseServiceUrl } from '../https/service-url.ts';

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
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method: 'PUT',
      // The signature covers an empty content type.
      headers: { 'content-type': '', 'content-length': body.length },
      signal: AbortSignal.timeout(timeout),
    });
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
