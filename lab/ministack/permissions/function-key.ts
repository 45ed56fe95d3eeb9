import { createHmac } from 'node:crypto';

/** The emulator's account, and the access key id that it gives to every function. */
export const account = '000000000000';

/**
 * The access key of one function: the id is its ARN, with a version or without.
 *
 * @param secret of this test.
 */
export function functionKey(functionArn: string, secret: string) {
  const secretAccessKey = createHmac('sha256', secret).update(functionArn).digest('base64url');
  return { accessKeyId: functionArn, secretAccessKey };
}

const functionArn = /^arn:aws:lambda:[a-z0-9-]+:\d{12}:function:[\w-]+(?::[\w$-]+)?$/;

export function isFunctionKey(accessKeyId: string): boolean {
  return functionArn.test(accessKeyId);
}
