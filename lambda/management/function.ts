import type { Context } from 'aws-lambda';
import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import {
  type ManagementAnswer,
  maxManagementAnswerBytes,
  maxManagementRequestLength,
  parseManagementEvent,
  parseManagementRequest,
} from '../../contract/management/request.ts';
import { accountOfStackAlias } from '../../contract/reach.ts';
import { managementDigest } from '../../core/audit/request-digest.ts';
import { CallerRefusedError, describeError, InputError, RefusedError } from '../../core/errors.ts';
import {
  type AuthenticatedCaller,
  answerManagementRequest,
  type CreateContext,
} from '../../core/management/requests/answer-request.ts';
import { readInvokedAlias } from '../../core/management/requests/management-role.ts';
import { toManagementError } from '../../core/management/requests/wire-errors.ts';
import { type Clock, seconds } from '../../core/time.ts';
import { authenticateProof } from '../shared/authenticate-proof.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';
import { createDeclareHandler, type DeclareOptions, type StackInvocation } from './declare.ts';
import { reportAnswer } from './report-answer.ts';

interface ManagementFunctionOptions {
  readonly createContext: CreateContext;
  /** Finds out from STS who signed a request. */
  readonly authenticateCaller: AuthenticateCaller;
  readonly clock?: Clock;
  /** Standard output if left out. */
  readonly telemetry?: RunTelemetry;
}

export type ManagementHandler = (
  event: unknown,
  invocation: Pick<Context, 'invokedFunctionArn'>,
) => Promise<ManagementAnswer>;

const eventHelp = `an event with "request", JSON text of at most ${maxManagementRequestLength} characters, and "caller_proof"`;

async function authenticate(
  event: { readonly request: string; readonly caller_proof?: unknown },
  invokedArn: string,
  { authenticateCaller, clock = Date.now }: ManagementFunctionOptions,
): Promise<AuthenticatedCaller> {
  const { account, alias } = readInvokedAlias(invokedArn);
  const check = { authenticate: authenticateCaller, now: () => seconds(clock()) };
  try {
    const digest = managementDigest(invokedArn, event.request);
    const arn = await authenticateProof(event.caller_proof, digest, check);
    return { account, alias, arn };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CallerRefusedError('credentials', error.message);
  }
}

function answerError(error: unknown): ManagementAnswer {
  const known = toManagementError(error);
  if (known === undefined) throw error;
  return { outcome: { error: known }, left_out: [], audit: [], audit_gaps: [] };
}

/**
 * Lambda fails a function whose answer is too large, and that raises an alarm: a caller could make
 * it ring with a page of large records.
 */
function refuseLarge(answer: ManagementAnswer): ManagementAnswer {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes <= maxManagementAnswerBytes) return answer;
  const made = answer.audit.some(({ outcome }) => outcome === 'done')
    ? 'the changes were made, and the audit has them; make fewer in one request'
    : 'ask for fewer items (limit)';
  return answerError(
    new RefusedError(
      `the answer would have ${bytes} bytes; allowed: at most ${maxManagementAnswerBytes}: ${made}`,
    ),
  );
}

/**
 * The management function: the only place that decides about changes of clients, API keys and
 * identity providers. It has no public address, and IAM decides who may invoke which alias. An error
 * of the library is an answer; the function throws only if it fails.
 */
export function createManagementHandler(options: ManagementFunctionOptions): ManagementHandler {
  const telemetry = options.telemetry ?? createRunTelemetry('management');
  const answer = async (
    input: unknown,
    invokedArn: string,
    onCaller: (caller: AuthenticatedCaller) => void,
  ): Promise<ManagementAnswer> => {
    try {
      const event = parseManagementEvent(input);
      if (event === undefined) throw new InputError(`the event: allowed: ${eventHelp}`);
      const caller = await authenticate(event, invokedArn, options);
      onCaller(caller);
      const request = parseManagementRequest(event.request);
      if (request === undefined) {
        throw new InputError('the request: allowed: an operation and its input');
      }
      return await answerManagementRequest(options.createContext, caller, request);
    } catch (error) {
      return answerError(error);
    }
  };
  return async (input, { invokedFunctionArn: invoked }) => {
    let caller: AuthenticatedCaller | undefined;
    try {
      const response = await answer(input, invoked, (found) => {
        caller = found;
      });
      const sent = refuseLarge(response);
      reportAnswer(telemetry, invoked, caller, { ...response, outcome: sent.outcome });
      return sent;
    } catch (error) {
      const fields = { ...describeError(error), invoked, actor: caller?.arn };
      telemetry.report({ level: 'error', outcome: 'failed', fields, metrics: {} });
      // Lambda shows the error to the caller. Its message may quote anything.
      throw new Error('the management function failed; its log says why', { cause: error });
    }
  };
}

/** Callers ask by the alias of their role, and CloudFormation by that of an account. */
export function createAliasHandler(options: ManagementFunctionOptions & DeclareOptions) {
  const [manage, declare] = [createManagementHandler(options), createDeclareHandler(options)];
  return (event: unknown, invocation: StackInvocation) =>
    accountOfStackAlias(invocation.invokedFunctionArn) === undefined
      ? manage(event, invocation)
      : declare(event, invocation);
}
