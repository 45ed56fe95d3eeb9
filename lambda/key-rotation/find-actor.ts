import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import type { KeyRotationEvent } from '../../contract/function-events.ts';
import { requestDigest } from '../../core/audit/request-digest.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import { accountOf, authenticateProof } from '../shared/authenticate-proof.ts';

/** The actor of scheduled runs and deployments. */
const ownActor = 'key-rotation';

/** What is known about an invocation, and how to authenticate its caller. */
export interface CallerSource {
  readonly authenticate: AuthenticateCaller;
  readonly functionName: string;
  /** Of this function: its account is the operators' account. */
  readonly functionArn: string;
  readonly requestId: string;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

async function authenticate(input: object, proof: unknown, source: CallerSource): Promise<string> {
  const digest = requestDigest(source.functionName, input);
  const arn = await authenticateProof(proof, digest, source);
  if (accountOf(arn) === accountOf(source.functionArn)) return arn;
  throw new InputError(
    `caller_proof: received the signature of ${arn}; allowed: a caller of account ${accountOf(source.functionArn)}`,
  );
}

/**
 * Finds the actor for the audit. An operator sends a proof, and cannot act under another name. Only
 * an emergency is possible without a proof, and the audit then says so.
 *
 * @param input the event as it was received, which the proof covers.
 * @throws {InputError} if the proof is missing or invalid.
 * @throws {UnavailableError} if STS does not answer, and it is not an emergency.
 */
export async function findActor(
  event: KeyRotationEvent,
  input: unknown,
  source: CallerSource,
): Promise<string> {
  if (event.action === 'deploy' || event.action === 'reconcile') return ownActor;
  const { caller_proof: proof } = event;
  const isEmergency = event.action === 'withdraw' && event.emergency;
  const unauthenticated = `unauthenticated (Lambda request ${source.requestId})`;
  if (proof === undefined) {
    if (isEmergency) return unauthenticated;
    throw new InputError(
      'caller_proof: received nothing; allowed: a signed request to STS, as authctl makes it',
    );
  }
  try {
    return await authenticate(input as object, proof, source);
  } catch (error) {
    if (isEmergency && error instanceof UnavailableError) return unauthenticated;
    throw error;
  }
}
