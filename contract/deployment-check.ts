import * as v from 'valibot';
import { parseCustomResource } from './custom-resource.ts';
import { regionIds } from './regions.ts';
import { algs } from './signing-algorithms.ts';

/** Properties of the custom resource by which a stack asks whether it may change permissions. */
export const deploymentCheckPropertiesSchema = v.object({
  SigningAlgorithms: v.array(v.picklist(algs)),
  Regions: v.array(v.picklist(regionIds)),
});

/** What CloudFormation passes on to the function. */
export type DeploymentCheckProperties = v.InferOutput<typeof deploymentCheckPropertiesSchema>;

/** Minutes that a check may take: the permissions of a new role take a while to have an effect. */
export const deploymentCheckMinutes = 4;

/** @throws {CustomResourceEventError} naming each property that is not as allowed. */
export function parseDeploymentCheckProperties(input: unknown): DeploymentCheckProperties {
  return parseCustomResource(
    deploymentCheckPropertiesSchema,
    input,
    "the custom resource's properties",
  );
}
