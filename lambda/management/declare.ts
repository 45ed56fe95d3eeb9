import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { SendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import {
  type CustomResourceEvent,
  parseCustomResourceEvent,
} from '../../contract/custom-resource.ts';
import type { ManagementError } from '../../contract/management/request.ts';
import { accountOfStackAlias, trunkGroupsOfStack } from '../../contract/reach.ts';
import {
  ConflictError,
  describeError,
  InputError,
  RefusedError,
  UnavailableError,
} from '../../core/errors.ts';
import { restrictCaller } from '../../core/management/caller-reach.ts';
import { declareClient, undeclareClient } from '../../core/management/declare-client.ts';
import {
  type CreateContext,
  openContext,
  RequestRecord,
} from '../../core/management/requests/answer-request.ts';
import { toManagementError } from '../../core/management/requests/wire-errors.ts';
import {
  type AnswerPorts,
  answerCustomResource,
  answerTime,
  type CustomResourceResult,
  repeatWhile,
} from '../shared/answer-custom-resource.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';
import { reportAnswer } from './report-answer.ts';

export interface DeclareOptions {
  readonly createContext: CreateContext;
  readonly sendAnswer: SendAnswer;
  /** Whether a result may go to this machine, where an emulator of CloudFormation wants it. */
  readonly allowLoopback: boolean;
  readonly sleep?: AnswerPorts['sleep'];
  /** Standard output if left out. */
  readonly telemetry?: RunTelemetry;
}

/** The alias says whose stacks ask. */
export type StackInvocation = Pick<Context, 'invokedFunctionArn' | 'getRemainingTimeInMillis'>;

const accepted = 'the client is as the stack declares it';

/** Milliseconds that a pause, the last attempt and the response take. */
const reserve = answerTime + 12_000;

const stackArn =
  /^arn:aws[a-z-]*:cloudformation:([a-z0-9-]+):(\d{12}):stack\/([A-Za-z][A-Za-z0-9-]{0,127})\/[\w-]{1,64}$/;

/**
 * `StackId` is the caller's word: the alias decides whose stacks it may be.
 *
 * @throws {RefusedError} for a stack of another account or region.
 */
function readStack({ StackId: received }: CustomResourceEvent, invokedArn: string) {
  const [, , , region = '', own = ''] = invokedArn.split(':');
  const [, stackRegion, account = '', name = ''] = stackArn.exec(received) ?? [];
  const allowed = accountOfStackAlias(invokedArn);
  if (account !== allowed || stackRegion !== region) {
    throw new RefusedError(
      `StackId: received ${JSON.stringify(received.slice(0, 200))}; allowed: a stack of the account ${allowed} in ${region}`,
    );
  }
  // No customer reads the account of the deployment.
  return { account, name, stackId: received.replace(`:${own}:stack/`, '::stack/') };
}

/** With the names of properties, as a template has them. */
function inProperties(error: unknown): unknown {
  if (!(error instanceof InputError)) return error;
  const [first, ...more] = error.problems.map((one) => ({ ...one, label: one.field ?? one.label }));
  return first === undefined ? error : new InputError([first, ...more], { cause: error });
}

/** @returns the id of the client, by which the stack knows the resource. */
async function apply(
  event: CustomResourceEvent,
  invokedArn: string,
  createContext: CreateContext,
  done: RequestRecord,
): Promise<string | undefined> {
  const { stackId, ...named } = readStack(event, invokedArn);
  const actor = async () => stackId;
  const context = openContext(createContext, done, { actor, account: invokedArn.split(':')[4] });
  const groups = trunkGroupsOfStack(context.config.management.stackReach, named);
  const { LogicalResourceId: logicalId, RequestId: requestId, PhysicalResourceId } = event;
  const { ResourceProperties: properties } = event;
  const reached = {
    ...restrictCaller(context, groups, { limits: {}, hasTrunkGroupLimits: true }),
    stack: { stackId, logicalId, requestId },
  };
  if (event.RequestType !== 'Delete') return declareClient(reached, properties);
  // What is its own, it may always stop.
  const { clients } = context;
  await undeclareClient({ ...reached, clients }, PhysicalResourceId, properties);
  return PhysicalResourceId;
}

/**
 * The management function, as CloudFormation invokes it: a client is a resource of a stack. Outages
 * that pass are waited for.
 */
export function createDeclareHandler(options: DeclareOptions) {
  const { createContext, sendAnswer, allowLoopback, sleep = wait } = options;
  const telemetry = options.telemetry ?? createRunTelemetry('management');
  const report = (level: 'info' | 'error', outcome: string, error: unknown) =>
    telemetry.report({ level, outcome, fields: describeError(error), metrics: {} });
  const readEvent = (input: unknown): CustomResourceEvent | undefined => {
    try {
      return parseCustomResourceEvent(input, allowLoopback);
    } catch (error) {
      // No alarm: any caller of the alias can send what CloudFormation does not.
      report('info', 'refused', error);
      return undefined;
    }
  };
  const describe = (error: unknown): { readonly error: ManagementError } => {
    const known = toManagementError(inProperties(error));
    if (known !== undefined) return { error: known };
    report('error', 'failed', error);
    const text = 'the management function failed; its log says why';
    return { error: { class: 'UnavailableError', text } };
  };
  return async (input: unknown, invocation: StackInvocation): Promise<void> => {
    const { invokedFunctionArn: invoked, getRemainingTimeInMillis: remaining } = invocation;
    const event = readEvent(input);
    if (event === undefined) return;
    const done = new RequestRecord();
    const mayRepeat = (error: unknown) =>
      (error instanceof UnavailableError || error instanceof ConflictError) &&
      remaining() >= reserve;
    const run = async () => ({ result: await apply(event, invoked, createContext, done) });
    const outcome = await repeatWhile(mayRepeat, run, sleep).catch(describe);
    reportAnswer(telemetry, invoked, { arn: event.StackId }, done.answer(outcome, undefined));
    const result: CustomResourceResult =
      'error' in outcome
        ? { status: 'FAILED', reason: outcome.error.text }
        : { status: 'SUCCESS', reason: accepted, physicalId: outcome.result };
    await answerCustomResource(event, result, { sendAnswer, sleep });
  };
}
