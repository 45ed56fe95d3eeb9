import type { ManagementError } from '../../../contract/management/request.ts';
import {
  CallerRefusedError,
  ConflictError,
  IdempotencyKeyReusedError,
  InputError,
  MalformedRecordError,
  NotFoundError,
  RefusedError,
  ServiceUnavailableError,
  UnavailableError,
  UncertainConflictError,
  VersionConflictError,
} from '../../errors.ts';
import {
  FetchError,
  type FetchProblem,
  fetchProblems,
} from '../../identity-provider/fetch-json.ts';
import { KeySetError } from '../../identity-provider/key-lint.ts';

/**
 * An error of the library as an answer carries it.
 *
 * @returns undefined for any other error: it is a fault of the function.
 */
export function toManagementError(error: unknown): ManagementError | undefined {
  if (!(error instanceof Error)) return undefined;
  const text = error.message;
  if (error instanceof InputError) {
    const { field, label, problems } = error;
    const more = problems.length > 1 && { input_problems: [...problems] };
    return { class: 'InputError', text, field, label, ...more };
  }
  if (error instanceof NotFoundError) return { class: 'NotFoundError', text };
  if (error instanceof KeySetError) {
    return { class: 'KeySetError', text, problems: [...error.problems] };
  }
  if (error instanceof IdempotencyKeyReusedError) {
    return { class: 'IdempotencyKeyReusedError', text };
  }
  if (error instanceof RefusedError) return { class: 'RefusedError', text };
  if (error instanceof VersionConflictError) {
    const { expected, current } = error;
    return { class: 'VersionConflictError', text, expected, current };
  }
  if (error instanceof UncertainConflictError) return { class: 'UncertainConflictError', text };
  if (error instanceof ConflictError) return { class: 'ConflictError', text };
  if (error instanceof FetchError) return { class: 'FetchError', text, problem: error.problem };
  if (error instanceof MalformedRecordError) return { class: 'MalformedRecordError', text };
  if (error instanceof UnavailableError) {
    const service = error instanceof ServiceUnavailableError ? error.service : undefined;
    return { class: 'UnavailableError', text, service };
  }
  if (error instanceof CallerRefusedError) {
    return { class: 'AwsCallerError', text, problem: error.problem };
  }
  return undefined;
}

function readProblem(problem: string | undefined): FetchProblem {
  return Object.hasOwn(fetchProblems, problem ?? '') ? (problem as FetchProblem) : 'unreachable';
}

/** The message is the function's: the class would build another one. */
function withText<E extends Error>(error: E, message: string): E {
  return Object.defineProperty(error, 'message', { value: message });
}

type Revive = (error: ManagementError) => Error;

const revivals: Readonly<Record<ManagementError['class'], Revive>> = {
  InputError: ({ text, field, label, input_problems: [first, ...more] = [] }) => {
    if (first !== undefined) return new InputError([first, ...more]);
    const head = `${label}: `;
    if (!text.startsWith(head)) return new InputError(text, { field });
    return new InputError(text.slice(head.length), { field, label });
  },
  NotFoundError: ({ text }) => withText(new NotFoundError('', ''), text),
  RefusedError: ({ text }) => new RefusedError(text),
  IdempotencyKeyReusedError: ({ text }) => new IdempotencyKeyReusedError(text),
  KeySetError: ({ text, problems = [] }) => withText(new KeySetError(problems), text),
  ConflictError: ({ text }) => new ConflictError(text),
  UncertainConflictError: ({ text }) => new UncertainConflictError(text),
  VersionConflictError: ({ text, expected = '', current = '' }) =>
    withText(new VersionConflictError('', expected, current), text),
  FetchError: ({ text, problem }) => withText(new FetchError('', readProblem(problem)), text),
  MalformedRecordError: ({ text }) => new MalformedRecordError(text),
  UnavailableError: ({ text, service }) =>
    service === undefined ? new UnavailableError(text) : new ServiceUnavailableError(service, text),
  AwsCallerError: ({ text, problem }) =>
    new CallerRefusedError(problem === 'credentials' ? 'credentials' : 'access_denied', text),
};

/** The error of the library that an answer carries. */
export function fromManagementError(error: ManagementError): Error {
  return revivals[error.class](error);
}
