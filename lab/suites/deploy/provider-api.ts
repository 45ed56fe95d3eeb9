import type { Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { TestKey } from '../../support/test-issuer.ts';

/** An identity provider, as far as a registration needs it: its metadata and its keys. */
export function addProvider(stack: Stack, { jwk }: Pick<TestKey, 'jwk'>): void {
  const provider = new RestApi(stack, 'Provider', {
    cloudWatchRole: false,
    deployOptions: { tracingEnabled: true },
  });
  const documents = new Function(stack, 'Documents', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(`exports.handler = async ({ path, requestContext: { apiId, stage } }) => {
    const host = apiId + '.execute-api.' + process.env.AWS_REGION + '.amazonaws.com';
    const issuer = 'https://' + host + '/' + stage;
    const metadata = { issuer, jwks_uri: issuer + '/keys' };
    const keys = { keys: [${JSON.stringify(jwk)}] };
    return { statusCode: 200, body: JSON.stringify(path.endsWith('/keys') ? keys : metadata) };
  };`),
  });
  provider.root.addProxy({ defaultIntegration: new LambdaIntegration(documents) });
}
