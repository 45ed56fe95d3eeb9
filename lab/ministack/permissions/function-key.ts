import { createHmac } from 'node:crypto';

/** The emulator's account, and the access key id that it gives to every function. */
export const account = '000000000000';

const functionArn = /^arn:aws:lambda:([a-z0-9-]+):\d{12}:function:([\w-]+(?::[\w$-]+)?)$/;

const prefix = 'FUNCTION_';

/** An access key id has only these characters: others of an ARN become two of them. */
const escapes: Readonly<Record<string, string>> = { '-': '_h', ':': '_c', $: '_d', _: '_u' };
const unescapes = Object.fromEntries(Object.entries(escapes).map(([from, to]) => [to, from]));

/**
 * The access key of one function: the id tells its ARN, with a version or without.
 *
 * @param secret of this test.
 */
export function functionKey(arn: string, secret: string) {
  const [, region, name] = functionArn.exec(arn) ?? [];
  const id = `${region}:${name}`.replaceAll(/[-:$_]/g, (character) => escapes[character] ?? '');
  const secretAccessKey = createHmac('sha256', secret).update(arn).digest('base64url');
  return { accessKeyId: prefix + id, secretAccessKey };
}

/** @returns the ARN of the function whose access key it is, if it is one. */
export function functionOfKey(accessKeyId: string): string | undefined {
  if (!accessKeyId.startsWith(prefix)) return undefined;
  const id = accessKeyId.slice(prefix.length);
  const [region, ...name] = id.replaceAll(/_[hcdu]/g, (pair) => unescapes[pair] ?? '').split(':');
  return `arn:aws:lambda:${region}:${account}:function:${name.join(':')}`;
}
