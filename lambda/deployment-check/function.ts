import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { describePassing } from '../../adapters/aws-errors.ts';
import type { SendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import type { JsonTables } from '../../adapters/dynamodb/clients/json-documents.ts';
import { tableExists } from '../../adapters/dynamodb/stores/check-tables.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/stores/rotation-store.ts';
import type { ReadConcurrency, ReadVariables } from '../../adapters/lambda/function-calls.ts';
import type { ReadQuota } from '../../adapters/service-quotas.ts';
import {
  type CustomResourceEvent,
  CustomResourceEventError,
  parseCustomResourceEvent,
} from '../../contract/custom-resource.ts';
import {
  type DeploymentCheckProperties,
  parseDeploymentCheckProperties,
  readFormerProperties,
} from '../../contract/deployment-check.ts';
import { liveAlias } from '../../contract/function-names.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { assertQuota, assertReservable } from '../../core/deployment/account-quotas.ts';
import { assertLiteralsKept } from '../../core/deployment/kept-literals.ts';
import { MalformedRecordError, RefusedError } from '../../core/errors.ts';
import { assertAlgorithmsKept } from '../../core/key-rotation/kept-algorithms.ts';
import { seconds } from '../../core/time.ts';
import { answerCustomResource, repeatWhile } from '../shared/answer-custom-resource.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';

/** The dependencies of the check. Tests pass their own. */
export interface DeploymentCheckPorts {
  readonly readVariables: ReadVariables;
  readonly readConcurrency: ReadConcurrency;
  readonly readQuota: ReadQuota;
  readonly sendAnswer: SendAnswer;
  /** Seconds since the epoch. */
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly telemetry?: RunTelemetry;
}

export type DeploymentCheckHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<void>;

const accepted =
  'the config is that of the deployed service, and every signing key in use keeps its algorithm';

/** Milliseconds that a pause, the last attempt and the response take, with every retry. */
const reserve = 72_000;

/**
 * The deployment check. A stack invokes it before anything else changes. The deployment continues
 * only if its config is that of the deployed service, and every signing key in use keeps its
 * algorithm. A rollback invokes it again, with the config of before.
 */
export function createDeploymentCheckHandler(
  settings: Settings<'deployment-check'>,
  dynamodb: JsonTables,
  ports: DeploymentCheckPorts,
): DeploymentCheckHandler {
  const { now = () => seconds(Date.now()), sleep = wait } = ports;
  const telemetry = ports.telemetry ?? createRunTelemetry('deployment-check');
  const store = createDynamoDbRotationStore(dynamodb, settings.signingKeysTable, {
    // A record that this version cannot read may belong to a key that signs.
    onMalformedRecord: (error) => {
      throw error;
    },
  });
  const checkKeys = async ({
    SigningAlgorithms,
    Regions,
  }: DeploymentCheckProperties): Promise<void> => {
    const [keys, heartbeats] = await Promise.all([store.listSigningKeys(), store.listHeartbeats()]);
    assertAlgorithmsKept({
      keys,
      heartbeats,
      algs: SigningAlgorithms,
      regionIds: Regions,
      policy: settings.policy,
      now: now(),
    });
  };
  const check = async (event: CustomResourceEvent): Promise<void> => {
    const config = parseDeploymentCheckProperties(event.ResourceProperties);
    const before = readFormerProperties(event.OldResourceProperties);
    const variables = await ports.readVariables(settings.tokenFunction, liveAlias);
    const live = variables && readSettings('token', variables);
    if (live !== undefined) assertLiteralsKept({ config, before, deployed: live });
    await checkReservations(config, settings, ports);
    for (const quota of config.Quotas) assertQuota(quota, await ports.readQuota(quota));
    const isTableInUse = live?.signingKeysTable === settings.signingKeysTable;
    // If not, the deployment creates a table that nothing uses yet.
    if (isTableInUse || (await tableExists(dynamodb, settings.signingKeysTable))) {
      await checkKeys(config);
    }
  };
  return async (input, context) => {
    const event = parseCustomResourceEvent(input);
    const mayRepeat = (error: unknown) =>
      describePassing(error) !== undefined && context.getRemainingTimeInMillis() > reserve;
    const reason =
      event.RequestType === 'Delete'
        ? undefined
        : await repeatWhile(mayRepeat, () => check(event), sleep).then(() => undefined, describe);
    telemetry.report({
      level: reason === undefined ? 'info' : 'error',
      outcome: reason === undefined ? 'allowed' : 'refused',
      fields: { request_type: event.RequestType, reason },
      metrics: {},
    });
    const status = reason === undefined ? 'SUCCESS' : 'FAILED';
    await answerCustomResource(event, { status, reason: reason ?? accepted }, { ...ports, sleep });
  };
}

/** Lambda would refuse the reservations later, in the middle of the deployment. */
async function checkReservations(
  { Reservations: reservations }: DeploymentCheckProperties,
  { tokenFunction: token }: Settings<'deployment-check'>,
  { readConcurrency }: DeploymentCheckPorts,
): Promise<void> {
  if (reservations.length === 0) return;
  const names = reservations.map(({ name }) => token.replace(/token$/, name));
  assertReservable({ reservations, ...(await readConcurrency(names)) });
}

/** Errors whose message says why a deployment must not continue. */
const objections = [RefusedError, MalformedRecordError, CustomResourceEventError] as const;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (objections.some((objection) => error instanceof objection)) return error.message;
  const reason = describePassing(error) ?? `${error.name}: ${error.message}`;
  return `the deployed service could not be checked: ${reason}`;
}
