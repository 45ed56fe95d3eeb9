import { functionKey } from './function-key.ts';

/*
 * Loaded into every process of a deployed function, before its code: the function calls AWS with
 * its own access key.
 */

const { _LAMBDA_FUNCTION_ARN: functionArn, FUNCTION_KEY_SECRET: secret } = process.env;

if (functionArn && secret) {
  const { accessKeyId, secretAccessKey } = functionKey(functionArn, secret);
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey;
  delete process.env['AWS_SESSION_TOKEN'];
}
