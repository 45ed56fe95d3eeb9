import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AwsClients } from '../../adapters/aws-clients.ts';
import type { SendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { createDynamoDbAuditLog } from '../../adapters/dynamodb/audit-log.ts';
import {
  createDynamoDbHeartbeatReader,
  createDynamoDbRotationStore,
} from '../../adapters/dynamodb/rotation-store.ts';
import { createKmsKeys } from '../../adapters/kms/kms-keys.ts';
import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import type { Environment } from '../../contract/environment.ts';
import { parseKeyRotationEvent, type SelfTestResult } from '../../contract/function-events.ts';
import { functionName } from '../../contract/function-names.ts';
import { keyMetrics } from '../../contract/key-metrics.ts';
import type { RotationContext } from '../../core/key-rotation/execute-action.ts';
import type {
  ProveKey,
  PublishKey,
  RotationPorts,
} from '../../core/key-rotation/rotation-ports.ts';
import { replicationLag } from '../../core/key-rotation/rotation-state.ts';
import { type ClockOptions, createCheckedClock } from '../shared/create-checked-clock.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';
import { answerEvent } from './answer-event.ts';
import { type DeployedRotationHandler, deployForStack } from './deploy-for-stack.ts';
import { findActor } from './find-actor.ts';
import { type LagMetric, reportFailure, reportSuccess } from './report-run.ts';
import type { RunRotation } from './run-rotation.ts';

/** The calls of the rotation to other functions and to STS. */
export interface FunctionPorts extends ClockOptions {
  /** Finds out from STS who signed an operator's request. */
  readonly authenticateCaller: AuthenticateCaller;
  /** Invokes the token function's self-test, which signs a token for no client and verifies it. */
  readonly selfTest: () => Promise<SelfTestResult>;
  /** Invokes the canary function to prove a key. */
  readonly proveKey: ProveKey;
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
  environment: Environment<'key-rotation'>,
  aws: Pick<AwsClients, 'dynamodb' | 'kms'>,
  functions: FunctionPorts,
): DeployedRotationHandler {
  const { sendAnswer, sleep = wait } = functions;
  return deployForStack(createRotation(environment, aws, functions), { sendAnswer, sleep });
}

function createRotation(
  environment: Environment<'key-rotation'>,
  aws: Pick<AwsClients, 'dynamodb' | 'kms'>,
  functions: FunctionPorts,
): RunRotation {
  // Every function skips a record that cannot be read. The rotation reports it.
  const malformed = new Set<string>();
  const { leeway } = environment.AUTH_SIGNING_KEY_POLICY;
  const clock = createCheckedClock(leeway, aws, functions);
  const ports = createPorts(environment, aws, { ...functions, now: clock.now }, malformed);
  const telemetry = functions.telemetry ?? createRunTelemetry('key-rotation');
  const [alg, ...others] = environment.AUTH_SIGNING_ALGORITHMS;
  if (alg === undefined) throw new RangeError('AUTH_SIGNING_ALGORITHMS: received nothing');
  const readLag = createLagReader(environment, aws, ports);
  const settingsOf = (): RotationContext['settings'] => ({
    regionId: environment.AUTH_REGION_ID,
    runId: randomUUID(),
    algs: [alg, ...others],
    policy: environment.AUTH_SIGNING_KEY_POLICY,
  });
  return async (input, invocation) => {
    const event = parseKeyRotationEvent(input);
    malformed.clear();
    clock.begin();
    const lag = await readLag();
    let actor: string | undefined;
    try {
      actor = await findActor(event, input, {
        authenticate: functions.authenticateCaller,
        functionName: functionName(environment.AUTH_DEPLOYMENT_NAME, 'key-rotation'),
        functionArn: invocation.invokedFunctionArn,
        requestId: invocation.awsRequestId,
        now: ports.now,
      });
      const context: RotationContext = { ports, settings: settingsOf(), actor };
      const outcome = await answerEvent(event, context, {
        selfTest: functions.selfTest,
        sleep: functions.sleep ?? wait,
        remaining: () => invocation.getRemainingTimeInMillis(),
      });
      return reportSuccess({ event, outcome, context }, telemetry, {
        lag,
        malformed: [...malformed],
      });
    } catch (error) {
      reportFailure(event, error, telemetry, { lag, actor });
      throw error;
    }
  };
}

/**
 * Reads the replication lag before everything else: a disconnected region cannot write, but must
 * still report it.
 */
function createLagReader(
  environment: Environment<'key-rotation'>,
  aws: Pick<AwsClients, 'dynamodb'>,
  { now }: RotationPorts,
): () => Promise<LagMetric> {
  const { AUTH_SIGNING_KEYS_TABLE, AUTH_REGION_ID } = environment;
  const readHeartbeats = createDynamoDbHeartbeatReader(aws.dynamodb, AUTH_SIGNING_KEYS_TABLE);
  return async (): Promise<LagMetric> => {
    try {
      const lag = replicationLag(AUTH_REGION_ID, await readHeartbeats(), now());
      return { [keyMetrics.replicationLag]: lag };
    } catch {
      // A table that does not answer fails the run itself.
      return {};
    }
  };
}

function createPorts(
  environment: Environment<'key-rotation'>,
  aws: Pick<AwsClients, 'dynamodb' | 'kms'>,
  { proveKey, publishKey, now }: Pick<RotationPorts, 'proveKey' | 'publishKey' | 'now'>,
  malformed: Set<string>,
): RotationPorts {
  return {
    store: createDynamoDbRotationStore(aws.dynamodb, environment.AUTH_SIGNING_KEYS_TABLE, {
      onMalformedRecord: ({ message }) => malformed.add(message),
    }),
    keyManagement: createKmsKeys(aws.kms, {
      deploymentName: environment.AUTH_DEPLOYMENT_NAME,
      keyPolicy: environment.AUTH_KMS_KEY_POLICY,
    }),
    audit: createDynamoDbAuditLog(aws.dynamodb, environment.AUTH_AUDIT_TABLE),
    proveKey,
    publishKey,
    now,
    newId: randomUUID,
  };
}
