import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functionKey } from '../../../../lab/ministack/permissions/function-key.ts';

const folder = join(import.meta.dirname, '../../../../lab/ministack/permissions');
const print = `const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
console.log(JSON.stringify([AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN]));`;

/** Credentials of a process, as its own code sees them. */
function credentialsIn(variables: Readonly<Record<string, string>>): unknown {
  const common = { AWS_ACCESS_KEY_ID: '000000000000', AWS_SECRET_ACCESS_KEY: 'test' };
  const printed = execFileSync(
    process.execPath,
    [`--import=${join(folder, 'function-identity.ts')}`, '--eval', print],
    { env: { ...common, AWS_SESSION_TOKEN: 'token', ...variables }, encoding: 'utf8' },
  );
  return JSON.parse(printed);
}

it('a deployed function has an access key of its own', () => {
  const arn = 'arn:aws:lambda:us-west-2:000000000000:function:token:3';
  const { accessKeyId, secretAccessKey } = functionKey(arn, 'secret');
  const variables = { _LAMBDA_FUNCTION_ARN: arn, FUNCTION_KEY_SECRET: 'secret' };
  expect(credentialsIn(variables)).toEqual([accessKeyId, secretAccessKey, null]);
});

it('a process that is no function keeps its credentials', () => {
  const variables = { FUNCTION_KEY_SECRET: 'secret' };
  expect(credentialsIn(variables)).toEqual(['000000000000', 'test', 'token']);
});

it('functions and versions have different secrets', () => {
  const arns = ['token', 'token:1', 'jwks'].map(
    (name) => `arn:aws:lambda:us-west-2:000000000000:function:${name}`,
  );
  const secrets = arns.map((arn) => functionKey(arn, 'secret').secretAccessKey);
  expect(new Set(secrets).size).toBe(3);
});
