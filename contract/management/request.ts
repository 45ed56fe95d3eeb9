import * as v from 'valibot';
import { list } from './fields.ts';
import { isOperationName, type OperationName } from './operations.ts';
import { personRoles } from './roles.ts';
import { personPattern } from './rules.ts';

/**
 * How the management function is asked. The request is JSON text within the event: what the caller
 * signs is the bytes that the function reads.
 */

/** Characters of a request. Lambda takes 6 MB. */
export const maxManagementRequestLength = 1_048_576;

/** Bytes of an answer. Lambda fails a function whose answer has more than 6,291,556. */
export const maxManagementAnswerBytes = 6_000_000;

/** The event of an invocation. */
const managementEventSchema = v.strictObject({
  request: v.pipe(v.string(), v.maxLength(maxManagementRequestLength)),
  /** See contract/caller-proof.ts. It is parsed separately, because no error may repeat it. */
  caller_proof: v.unknown(),
});

const operationName = v.custom<OperationName>(
  (name) => typeof name === 'string' && isOperationName(name),
);

const call = v.strictObject({ operation: operationName, input: v.record(v.string(), v.unknown()) });

/** A person behind a portal: `https://issuer#subject`. */
const personSchema = v.strictObject({
  actor: v.pipe(v.string(), v.regex(personPattern)),
  role: v.picklist(personRoles),
  /** As the identity provider gave it. A change records it, if it is allowed as a name. */
  name: v.optional(v.string()),
});

/** One operation, and who asks for it. */
const managementRequestSchema = v.strictObject({
  ...call.entries,
  /** Restricts the request further than the caller already is. */
  trunk_groups: v.optional(list(v.string())),
  /** Only for the alias `portal`, which always needs it. */
  person: v.optional(personSchema),
});

export type ManagementCall = v.InferOutput<typeof call>;

export type ManagementRequest = v.InferOutput<typeof managementRequestSchema>;

export type Person = v.InferOutput<typeof personSchema>;

const managementErrorSchema = v.object({
  /** The name of its class in the library. */
  class: v.picklist([
    'InputError',
    'NotFoundError',
    'RefusedError',
    'IdempotencyKeyReusedError',
    'KeySetError',
    'ConflictError',
    'UncertainConflictError',
    'VersionConflictError',
    'FetchError',
    'MalformedRecordError',
    'UnavailableError',
    /** The caller is not accepted: its proof, its account or its role. */
    'AwsCallerError',
  ]),
  text: v.string(),
  /** Of an InputError: the path of the field in the input. */
  field: v.optional(v.string()),
  /** Of an InputError: what the text, which begins with it, calls the field. */
  label: v.optional(v.string()),
  /** Of a VersionConflictError: the version or registration of the caller, and the stored one. */
  expected: v.optional(v.union([v.number(), v.string()])),
  current: v.optional(v.union([v.number(), v.string()])),
  /** Of an UnavailableError: what did not answer, if it can be named. */
  service: v.optional(v.string()),
  /** Of a FetchError or an AwsCallerError: one word of a closed set. */
  problem: v.optional(v.string()),
  /** Of an InputError with several problems: all of them. */
  input_problems: v.optional(
    list(
      v.object({
        field: v.optional(v.string()),
        label: v.optional(v.string()),
        problem: v.string(),
      }),
    ),
  ),
  /** Of a KeySetError. */
  problems: v.optional(list(v.string())),
});

export type ManagementError = v.InferOutput<typeof managementErrorSchema>;

const outcome = v.union([
  v.object({ error: managementErrorSchema }),
  v.object({ result: v.optional(v.unknown()) }),
]);

export type ManagementOutcome = v.InferOutput<typeof outcome>;

/** One change, made or intended. No value in it is secret. */
const auditRecord = v.object({
  /** RFC 3339 UTC time with milliseconds. */
  time: v.string(),
  recordId: v.string(),
  /** Who: the AWS caller's ARN, or the function's name. */
  actor: v.string(),
  /** What, as `noun.verb`: `client.create`, `client_secret.delete`, `signing_key.promote`. */
  action: v.string(),
  /** The id of what was changed. */
  subject: v.string(),
  outcome: v.picklist(['intended', 'done', 'failed']),
  before: v.optional(v.record(v.string(), v.unknown())),
  after: v.optional(v.record(v.string(), v.unknown())),
});

/** What the function returns. It throws only if it fails. */
export const managementAnswerSchema = v.object({
  outcome,
  /** Stored records that could not be read and are left out of a list. */
  left_out: list(v.string()),
  /** What was written to the audit, for the log of the function. */
  audit: list(auditRecord),
  /** Outcomes that could not be written to the audit. Their changes were made. */
  audit_gaps: list(auditRecord),
});

export type ManagementAnswer = v.InferOutput<typeof managementAnswerSchema>;

/** @returns undefined if the event is not valid. No error says why: it may hold a proof. */
export function parseManagementEvent(
  event: unknown,
): v.InferOutput<typeof managementEventSchema> | undefined {
  const result = v.safeParse(managementEventSchema, event);
  return result.success ? result.output : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns undefined if the text is no request. */
export function parseManagementRequest(text: string): ManagementRequest | undefined {
  const result = v.safeParse(managementRequestSchema, parseJson(text));
  return result.success ? result.output : undefined;
}
