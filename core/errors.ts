/** A backing service did not answer, or not in time: the caller may come back later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** {@link UnavailableError} of a service that can be named, e.g. `DynamoDB`. */
export class ServiceUnavailableError extends UnavailableError {
  readonly service: string;
  /** Whether the service asked for fewer calls. */
  readonly isThrottling: boolean;

  constructor(
    service: string,
    message: string,
    { isThrottling = false, ...options }: ErrorOptions & { readonly isThrottling?: boolean } = {},
  ) {
    super(message, options);
    this.service = service;
    this.isThrottling = isThrottling;
  }
}

/** A host's clock differs from the times that others say. */
export class ClockError extends UnavailableError {
  override readonly name = 'ClockError';
}

/**
 * A client failed to authenticate too often. Its attempts are refused without a check for a while.
 */
export class TooManyFailuresError extends Error {
  override readonly name = 'TooManyFailuresError';
  /** Seconds. */
  readonly retryAfter: number;
  /** In log and metrics. */
  readonly outcome: string;

  constructor(retryAfter: number, outcome = 'throttled') {
    super('too many failed authentications of this client from this source');
    this.retryAfter = retryAfter;
    this.outcome = outcome;
  }
}

/** What a client is above: its share while KMS throttles, or the rate that always holds. */
export type ThrottleReason = 'client_share' | 'client_signs_per_minute' | 'trunk_group_share';

/** A client, or a trunk group, asks for so many tokens that it would take them from others. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
  readonly outcome = 'client_throttled';
  readonly reason: ThrottleReason;

  constructor(reason: ThrottleReason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * KMS knows the signing key but will not sign with it: disabled, pending deletion, or unusable for
 * this algorithm. Trying again does not help; another published key may.
 */
export class SigningKeyUnusableError extends Error {
  override readonly name = 'SigningKeyUnusableError';
}

/** A stored record that cannot be read. What depends on it fails closed; nothing else fails. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}

/** A record changed in the meantime. The caller reads it again and decides again. */
export class ConflictError extends Error {
  override readonly name: string = 'ConflictError';
}

/**
 * A conflict after a response was lost. The first attempt may have made the change, and another
 * caller may have changed the record since.
 */
export class UncertainConflictError extends ConflictError {
  override readonly name = 'UncertainConflictError';
}

/** Another version is stored than the one that the caller saw. Nothing was changed. */
export class VersionConflictError extends ConflictError {
  override readonly name = 'VersionConflictError';
  /** The version that the caller gave: a number, or the id of a registration. */
  readonly expected: number | string;
  /** The version that is stored. */
  readonly current: number | string;

  constructor(what: string, expected: number | string, current: number | string) {
    super(
      `${what} was changed in the meantime: received version ${expected}; it is now ${current}`,
    );
    this.expected = expected;
    this.current = current;
  }
}

/** What is wrong with one field of an input. */
export interface InputProblem {
  /**
   * The field of the input that is wrong, as a program names it: `tokenLifetime`,
   * `subnets[1].netmask`. Undefined if the value belongs to no field.
   */
  readonly field?: string | undefined;
  /** What the message calls the field: its name on the wire, `token_lifetime`. */
  readonly label?: string | undefined;
  /** The message without the label, for a surface that has its own: a form, a command line. */
  readonly problem: string;
}

/**
 * Values that a person gave and that are not allowed. The message has the label of each field, the
 * value and what is allowed.
 */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** All that is wrong, in the order of the fields. */
  readonly problems: readonly [InputProblem, ...InputProblem[]];
  /** Of the first problem, like `label` and `problem`. */
  readonly field: string | undefined;
  readonly label: string | undefined;
  readonly problem: string;

  constructor(
    problem: string | readonly [InputProblem, ...InputProblem[]],
    { field, label, ...options }: ErrorOptions & Omit<InputProblem, 'problem'> = {},
  ) {
    const problems = typeof problem === 'string' ? ([{ field, label, problem }] as const) : problem;
    super(problems.map(describeProblem).join('\n'), options);
    const [first] = problems;
    this.problems = problems;
    this.field = first.field;
    this.label = first.label;
    this.problem = first.problem;
  }
}

/**
 * Refuses the option of a program.
 *
 * @param received is shown as JSON. Of undefined and of functions there is none.
 * @throws {InputError}
 */
export function refuseOption(name: string, received: unknown, allowed: string): never {
  const shown = (JSON.stringify(received) as string | undefined) ?? 'nothing';
  throw new InputError(`${name}: received ${shown}; allowed: ${allowed}`);
}

function describeProblem({ label, problem }: InputProblem): string {
  return label === undefined ? problem : `${label}: ${problem}`;
}

/** A well-formed change that the rules do not allow in the present state. The message says why. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
}

/** A creation with an idempotency key that created something with other values before. */
export class IdempotencyKeyReusedError extends RefusedError {
  override readonly name = 'IdempotencyKeyReusedError';
}

/** The named resource does not exist, or belongs to a trunk group that the caller cannot access. */
export class NotFoundError extends RefusedError {
  override readonly name = 'NotFoundError';

  /** @param hint what may have been meant. */
  constructor(kind: string, id: string, hint?: string) {
    super(`there is no ${kind} ${JSON.stringify(id)}${hint === undefined ? '' : `; ${hint}`}`);
  }
}

/** The caller of a function is not accepted: its credentials, its account or its role. */
export class CallerRefusedError extends Error {
  override readonly name = 'CallerRefusedError';
  readonly problem: 'credentials' | 'access_denied';

  constructor(problem: CallerRefusedError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Names of an error and its causes: `UnavailableError < ThrottlingException`. */
function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.cause === undefined ? error.name : `${error.name} < ${namesOf(error.cause)}`;
}

/** The id of the request to AWS that failed, of an error or its causes. */
function requestIdOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { $metadata } = error as { readonly $metadata?: { readonly requestId?: string } };
  return $metadata?.requestId ?? requestIdOf(error.cause);
}

/** Log fields of an error that the caller did not cause. No response contains any of them. */
export function describeError(error: unknown): Readonly<Record<string, string | undefined>> {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error_name: namesOf(error) };
  return {
    error_name: namesOf(error),
    error_message: error.message,
    error_stack: error.stack,
    aws_request_id: requestIdOf(error),
  };
}
