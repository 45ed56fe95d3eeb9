import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { describeDenial } from '../../adapters/aws-errors.ts';
import type { BackgroundClients } from '../../adapters/background-clients.ts';
import type { SendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import type { DynamoDbDocuments } from '../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { heartbeatItem } from '../../adapters/dynamodb/items/rotation-item.ts';
import { createDynamoDbAuditLog } from '../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/stores/rotation-store.ts';
import { listRecords } from '../../adapters/dynamodb/stores/signing-key-reader.ts';
import { createKmsKeys } from '../../adapters/kms/kms-keys.ts';
import { type ClockOptions, createCheckedClock } from '../../adapters/record-server-dates.ts';
import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import {
  type CustomResourceEvent,
  isCustomResourceEvent,
  parseCustomResourceEvent,
} from '../../contract/custom-resource.ts';
import {
  type KeyRotationEvent,
  parseKeyRotationEvent,
  type RotationReport,
  type SelfTestResult,
} from '../../contract/function-events.ts';
import { functionName } from '../../contract/function-names.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { requestDigest } from '../../core/audit/request-digest.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import {
  deployKeys,
  type RunOutcome,
  reconcile,
  rotateKey,
  withdrawKey,
} from '../../core/key-rotation/reconcile.ts';
import {
  type CheckKey,
  type PublishKey,
  type RotationContext,
  type RotationPorts,
  replicationLag,
} from '../../core/key-rotation/rotation-ports.ts';
import {
  type AnswerPorts,
  answerCustomResource,
  answerTime,
  type CustomResourceResult,
} from '../shared/answer-custom-resource.ts';
import { accountOf, authenticateProof } from '../shared/authenticate-proof.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';
import { awaitSelfTest, createPause, type Waiting } from './await-self-test.ts';
import { reportFailure, reportSuccess } from './report-run.ts';
/** The calls of the rotation to other functions and to STS. */
export interface FunctionPorts extends ClockOptions {
  /** Finds out from STS who signed an operator's request. */
  readonly authenticateCaller: AuthenticateCaller;
  /** Invokes the token function's self-test, which signs a token for no client and verifies it. */
  readonly selfTest: () => Promise<SelfTestResult>;
  /** Invokes the canary function to check a key. */
  readonly checkKey: CheckKey;
  /** Invokes the canary function to publish a key. */
  readonly publishKey: PublishKey;
  /** Sends the result of a deployment to CloudFormation. */
  readonly sendAnswer: SendAnswer;
  /** Waits for so many milliseconds. The default is a timer. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Standard output if left out. */
  readonly telemetry?: RunTelemetry;
}

/** The key-rotation function, without the environment of a process. */
export function createKeyRotationHandler(
  settings: Settings<'key-rotation'>,
  aws: BackgroundClients,
  functions: FunctionPorts,
): DeployedRotationHandler {
  const { sendAnswer, sleep = wait } = functions;
  return deployForStack(createRotation(settings, aws, functions), { sendAnswer, sleep });
}

function createRotation(
  settings: Settings<'key-rotation'>,
  { kms, openDynamoDb }: BackgroundClients,
  functions: FunctionPorts,
): RunRotation {
  // Every function skips a record that cannot be read. The rotation reports it.
  const malformed = new Set<string>();
  const { leeway } = settings.policy;
  const clock = createCheckedClock(leeway, kms, functions);
  const dynamodb = openDynamoDb(clock.record).own;
  const calls = { ...functions, now: clock.now };
  const ports = createPorts(settings, { kms, dynamodb }, calls, malformed);
  const telemetry = functions.telemetry ?? createRunTelemetry('key-rotation');
  // As this region sees them: an eventually consistent read.
  const readHeartbeats = listRecords(dynamodb, settings.signingKeysTable, heartbeatItem);
  return async (input, invocation) => {
    const event = parseKeyRotationEvent(input);
    malformed.clear();
    clock.begin();
    // First of all: a disconnected region cannot write, and must still report it. A table that does
    // not answer fails the run itself.
    const lag = await readHeartbeats()
      .then((beats) => replicationLag(settings.regionId, beats, ports.now()))
      .catch(() => undefined);
    let actor: string | undefined;
    try {
      actor = await getActor(event, input, {
        authenticate: functions.authenticateCaller,
        functionName: functionName(settings.deploymentName, 'key-rotation'),
        functionArn: invocation.invokedFunctionArn,
        requestId: invocation.awsRequestId,
        now: ports.now,
      });
      const context: RotationContext = {
        ports,
        settings: { ...settings, runId: randomUUID() },
        actor,
      };
      const outcome = await answerEvent(event, context, {
        selfTest: functions.selfTest,
        sleep: functions.sleep ?? wait,
        remaining: () => invocation.getRemainingTimeInMillis(),
      });
      return reportSuccess({ event, outcome, context }, telemetry, {
        lag,
        malformed: [...malformed],
        // Only for the log, so a failure ends no run.
        canary: await ports.store.listCanaryRuns().catch(() => undefined),
      });
    } catch (error) {
      reportFailure(event, error, telemetry, { lag, actor });
      throw error;
    }
  };
}

function createPorts(
  settings: Settings<'key-rotation'>,
  aws: Pick<BackgroundClients, 'kms'> & { readonly dynamodb: DynamoDbDocuments },
  { checkKey, publishKey, now }: Pick<RotationPorts, 'checkKey' | 'publishKey' | 'now'>,
  malformed: Set<string>,
): RotationPorts {
  return {
    store: createDynamoDbRotationStore(aws.dynamodb, settings.signingKeysTable, {
      onMalformedRecord: ({ message }) => malformed.add(message),
    }),
    keyManagement: createKmsKeys(aws.kms, settings),
    audit: createDynamoDbAuditLog(aws.dynamodb, settings.auditTable),
    checkKey,
    publishKey,
    now,
    newId: randomUUID,
  };
}

/** How a deployment waits. */
interface DeploymentPorts extends Waiting {
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
function answerEvent(
  event: KeyRotationEvent,
  context: RotationContext,
  ports: DeploymentPorts,
): Promise<RunOutcome> {
  const answer = answers[event.action] as Answers['reconcile'];
  return answer(event as { action: 'reconcile' }, context, ports);
}

/** The actor of scheduled runs and deployments. */
const ownActor = 'key-rotation';

/** What is known about an invocation, and how to authenticate its caller. */
interface CallerSource {
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
export async function getActor(
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

/** What Lambda tells an invocation. */
interface InvocationContext {
  /** Milliseconds. */
  getRemainingTimeInMillis(): number;
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
}

/** Runs the rotation. */
export type RunRotation = (event: unknown, context: InvocationContext) => Promise<RotationReport>;

/** Runs the rotation. CloudFormation gets its answer in another way. */
interface DeployedRotationHandler extends RunRotation {
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
