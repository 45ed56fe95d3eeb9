import type { RotationReport } from '../../contract/function-events.ts';

/** What Lambda tells an invocation. */
export interface InvocationContext {
  /** Milliseconds. */
  getRemainingTimeInMillis(): number;
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
}

/** Runs the rotation. */
export type RunRotation = (event: unknown, context: InvocationContext) => Promise<RotationReport>;
