import type { SendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import type { CustomResourceAnswer, CustomResourceEvent } from '../../contract/custom-resource.ts';

/** The result of a custom resource, and the text that the stack's events show. */
export interface CustomResourceResult {
  readonly status: CustomResourceAnswer['Status'];
  readonly reason: string;
  /** By what the stack knows the resource from now on. As before if left out. */
  readonly physicalId?: string | undefined;
}

export interface AnswerPorts {
  readonly sendAnswer: SendAnswer;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const maxAttempts = 3;
/** Milliseconds between two attempts. */
const interval = 2000;
/** Milliseconds that all attempts take at most: each has a timeout of five seconds. */
export const answerTime = 20_000;
/** CloudFormation refuses a response of more than 4,096 bytes. */
const maxReasonLength = 3000;

function toAnswer(
  event: CustomResourceEvent,
  { status, reason, physicalId }: CustomResourceResult,
): CustomResourceAnswer {
  const { LogicalResourceId, PhysicalResourceId = LogicalResourceId, StackId, RequestId } = event;
  return {
    Status: status,
    Reason: reason.slice(0, maxReasonLength),
    PhysicalResourceId: physicalId ?? PhysicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  };
}

/** Runs again, after a pause, what failed and may succeed. */
export async function repeatWhile<T>(
  mayRepeat: (error: unknown) => boolean,
  run: () => Promise<T>,
  sleep: AnswerPorts['sleep'],
): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
    }
    await sleep(interval);
  }
}

/** Without a response, CloudFormation waits for the timeout of the custom resource. */
export async function answerCustomResource(
  event: CustomResourceEvent,
  result: CustomResourceResult,
  { sendAnswer, sleep }: AnswerPorts,
): Promise<void> {
  const answer = toAnswer(event, result);
  let left = maxAttempts;
  const hasMore = () => (left -= 1) > 0;
  await repeatWhile(hasMore, () => sendAnswer(event.ResponseURL, answer), sleep);
}
