import { askKeyRotation } from '../adapters/lambda/function-calls.ts';
import { createSdkCaller } from '../adapters/lambda/invoke-function.ts';
import { createCallerProof } from '../adapters/sts/caller-proof.ts';
import { deployedRegions } from '../contract/deployment-config.ts';
import type { KeyRotationEvent, RotationReport } from '../contract/function-events.ts';
import { functionName } from '../contract/function-names.ts';
import type { RegionId } from '../contract/regions.ts';
import { requestDigest } from '../core/audit/request-digest.ts';
import type { Deployment } from './deployment.ts';

/** What an operator may ask of a region's rotation. */
export type OperatorRequest = Extract<KeyRotationEvent, { action: 'rotate' | 'withdraw' }>;

/** Invokes a region's rotation, with a proof of the caller. */
export async function askRotation(
  { config, aws, environment }: Deployment,
  regionId: RegionId,
  event: OperatorRequest,
): Promise<RotationReport> {
  const region = deployedRegions(config).find(({ id }) => id === regionId)?.awsRegion ?? '';
  const { invoke, credentials } = createSdkCaller({ ...aws, region });
  const name = functionName(config.name, 'key-rotation');
  const proveCaller = createCallerProof(credentials, environment);
  const caller_proof = await proveCaller(region, requestDigest(name, event));
  return askKeyRotation(invoke, name, { ...event, caller_proof });
}
