import * as v from 'valibot';
import { describeIssues } from './parse-problem.ts';

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

/** @throws {CustomResourceEventError} naming each key that is not as allowed. */
export function parseCustomResource<T extends v.GenericSchema>(
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
  return parseCustomResource(customResourceEventSchema, input, 'the event');
}

/** Whether CloudFormation sent an event. Every other caller sends no `RequestType`. */
export function isCustomResourceEvent(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'RequestType' in input;
}
