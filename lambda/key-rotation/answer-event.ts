import { describeDenial } from '../../adapters/access-denied.ts';
import type { KeyRotationEvent, SelfTestResult } from '../../contract/function-events.ts';
import type { RotationContext } from '../../core/key-rotation/execute-action.ts';
import {
  deployKeys,
  type RunOutcome,
  reconcile,
  rotateKey,
  withdrawKey,
} from '../../core/key-rotation/reconcile.ts';
import { awaitSelfTest, createPause, type Waiting } from './await-self-test.ts';

/** How a deployment waits. */
export interface DeploymentPorts extends Waiting {
  readonly selfTest: () => Promise<SelfTestResult>;
}

type Answers = {
  readonly [A in KeyRotationEvent['action']]: (
    event: Extract<KeyRotationEvent, { action: A }>,
    context: RotationContext,
    ports: DeploymentPorts,
  ) => Promise<RunOutcome>;
};

const answers: Answers = {
  deploy: async (_, context, ports) => {
    const { status, outcome } = await deployKeys(context, {
      pause: createPause(ports),
      describeDenial,
    });
    // A region that joins later answers 503 until its key is eligible, which may take a day.
    if (status === 'signing') await awaitSelfTest(ports.selfTest, ports);
    return outcome;
  },
  reconcile: (_, context) => reconcile(context),
  rotate: (event, context) => rotateKey(context, event.algorithm),
  withdraw: (event, context) =>
    withdrawKey(context, {
      kid: event.kid,
      emergency: event.emergency,
      activateEarly: event.activate_early,
    }),
};

/** Handles an event. */
export function answerEvent(
  event: KeyRotationEvent,
  context: RotationContext,
  ports: DeploymentPorts,
): Promise<RunOutcome> {
  const answer = answers[event.action] as Answers['reconcile'];
  return answer(event as { action: 'reconcile' }, context, ports);
}
