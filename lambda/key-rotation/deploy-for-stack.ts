import {
  type CustomResourceEvent,
  isCustomResourceEvent,
  parseCustomResourceEvent,
} from '../../contract/custom-resource.ts';
import {
  type AnswerPorts,
  answerCustomResource,
  answerTime,
  type CustomResourceResult,
} from '../shared/answer-custom-resource.ts';
import type { InvocationContext, RunRotation } from './run-rotation.ts';

/** Runs the rotation. CloudFormation gets its answer in another way. */
export interface DeployedRotationHandler extends RunRotation {
  (event: CustomResourceEvent, context: InvocationContext): Promise<undefined>;
}

/** When a stack is deleted, its keys stay. */
const nothingToDo: CustomResourceResult = { status: 'SUCCESS', reason: 'the keys are kept' };

async function deploy(
  rotation: RunRotation,
  context: InvocationContext,
): Promise<CustomResourceResult> {
  try {
    const { status } = await rotation(
      { action: 'deploy' },
      {
        ...context,
        getRemainingTimeInMillis: () => context.getRemainingTimeInMillis() - answerTime,
      },
    );
    const reason =
      status === 'signing'
        ? 'the token function signs'
        : 'the key is published, and does not sign yet';
    return { status: 'SUCCESS', reason };
  } catch (error) {
    // The run has reported it. Lambda would repeat an invocation that fails.
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { status: 'FAILED', reason: `${name}: ${message}` };
  }
}

/**
 * Lets the rotation be the function of a custom resource. CloudFormation invokes it with the
 * permissions of the deployment, which exist before the stack. A role that the stack makes for the
 * invocation would have to wait until IAM knows its policy.
 */
export function deployForStack(rotation: RunRotation, ports: AnswerPorts): DeployedRotationHandler {
  const handler = async (input: unknown, context: InvocationContext) => {
    if (!isCustomResourceEvent(input)) return rotation(input, context);
    const event = parseCustomResourceEvent(input);
    const result = event.RequestType === 'Delete' ? nothingToDo : await deploy(rotation, context);
    await answerCustomResource(event, result, ports);
    return undefined;
  };
  return handler as DeployedRotationHandler;
}
