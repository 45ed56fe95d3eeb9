import * as v from 'valibot';
import { describeIssues } from './parse-problem.ts';
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

/** The event that CloudFormation sends to the function of a custom resource. */
export const customResourceEventSchema = v.object({
  RequestType: v.picklist(['Create', 'Update', 'Delete']),
  /** Receives the result by PUT. The URL is presigned and must not be logged. */
  ResponseURL: v.string(),
  StackId: v.string(),
  RequestId: v.string(),
  LogicalResourceId: v.string(),
  /** Absent for `Create`. */
  PhysicalResourceId: v.optional(v.string()),
  ResourceProperties: v.unknown(),
});

export type CustomResourceEvent = v.InferOutput<typeof customResourceEventSchema>;

/** The result that CloudFormation expects at `ResponseURL`. */
export interface CustomResourceAnswer {
  readonly Status: 'SUCCESS' | 'FAILED';
  /** Shown in the stack's events. */
  readonly Reason: string;
  readonly PhysicalResourceId: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
}

/** An event that CloudFormation did not send, or properties that no stack of this project has. */
export class CustomResourceEventError extends Error {
  override readonly name = 'CustomResourceEventError';
}

function parse<T extends v.GenericSchema>(
  schema: T,
  input: unknown,
  what: string,
): v.InferOutput<T> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  throw new CustomResourceEventError(
    `${what} cannot be used:\n${describeIssues(result.issues).join('\n')}`,
  );
}

/** @throws {CustomResourceEventError} naming each key that is not as allowed. */
export function parseCustomResourceEvent(input: unknown): CustomResourceEvent {
  return parse(customResourceEventSchema, input, 'the event');
}

/** @throws {CustomResourceEventError} naming each property that is not as allowed. */
export function parseDeploymentCheckProperties(input: unknown): DeploymentCheckProperties {
  return parse(deploymentCheckPropertiesSchema, input, "the custom resource's properties");
}
