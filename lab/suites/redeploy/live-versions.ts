import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { functionName } from '../../../contract/function-names.ts';
import { example } from '../deploy/three-regions.ts';
import type { Deployment } from './deployment.ts';
import { awsRegion } from './release.ts';

/** The version of a function that gets requests. */
export interface LiveVersion {
  readonly functionName: string;
  readonly version: string;
  /** Of its code. */
  readonly sha256: string;
  readonly memory: number;
}

/** Of the functions that answer requests: token, discovery, JWKS. */
export async function listLiveVersions({
  cloud,
}: Pick<Deployment, 'cloud'>): Promise<readonly LiveVersion[]> {
  const lambda = new LambdaClient(cloud.sdk(awsRegion));
  const names = ['token', 'discovery', 'jwks'] as const;
  const found = names.map(async (name): Promise<LiveVersion> => {
    const FunctionName = functionName(String(example.name), name);
    const command = new GetFunctionConfigurationCommand({ FunctionName, Qualifier: 'live' });
    const { Version, CodeSha256, MemorySize } = await lambda.send(command);
    return {
      functionName: FunctionName,
      version: String(Version),
      sha256: String(CodeSha256),
      memory: Number(MemorySize),
    };
  });
  return Promise.all(found);
}
