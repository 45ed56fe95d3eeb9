import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import type { CallerProof } from '../../contract/caller-proof.ts';

export const operatorArn = 'arn:aws:sts::000000000000:assumed-role/operator/alice';

/** An STS that knows only one operator, and accepts every signature. */
export const authenticateOperator: AuthenticateCaller = async () => operatorArn;

const signedHeaders = 'content-type;host;x-amz-date;x-authorization-server-request';

/** A proof of the right form, of a time in seconds. Its signature is invalid. */
export function proofOf(now: number): CallerProof {
  const date = new Date(now * 1000).toISOString().replaceAll(/[:-]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/us-west-2/sts/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope}, SignedHeaders=${signedHeaders}, Signature=${'0'.repeat(64)}`,
    date,
  };
}

/** An operator's event with a proof; any other as it is. */
export function withProof(event: unknown, now: number): unknown {
  if (typeof event !== 'object' || event === null || !('action' in event)) return event;
  return event.action === 'rotate' || event.action === 'withdraw'
    ? { caller_proof: proofOf(now), ...event }
    : event;
}

/** What Lambda says of an invocation of the rotation. */
export const rotationInvocation = {
  getRemainingTimeInMillis: () => 60_000,
  invokedFunctionArn: 'arn:aws:lambda:us-west-2:000000000000:function:auth-key-rotation',
  awsRequestId: '8f5bd1a0-0000-4000-8000-000000000000',
};
