import * as v from 'valibot';
import { describeIssues } from './parse-problem.ts';
import { regionIds } from './regions.ts';
import { algs } from './signing-algorithms.ts';

/** Events that functions send one another. All keys on the wire are snake_case. */

/** Answer of the token function's self-test; `reason` is safe to log and holds no secret. */
export const selfTestResultSchema = v.object({ ok: v.boolean(), reason: v.optional(v.string()) });

export type SelfTestResult = Readonly<v.InferOutput<typeof selfTestResultSchema>>;

const kid = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{43}$/, 'allowed: a kid, 43 characters of base64url (RFC 7638)'),
);

/** Proves who asks (caller-proof.ts). It is parsed separately: no error may repeat its content. */
const callerProof = v.optional(v.unknown());

/** A request to the key-rotation function. CloudFormation sends an event of its own. */
const keyRotationEventSchema = v.variant('action', [
  /** Makes sure that a signing key exists, then waits until the token function signs. */
  v.object({ action: v.literal('deploy') }),
  /** Takes every step that is due. */
  v.object({ action: v.literal('reconcile') }),
  /** Promotes the published `next` key now, or moves to another algorithm. */
  v.object({
    action: v.literal('rotate'),
    algorithm: v.optional(v.picklist(algs)),
    caller_proof: callerProof,
  }),
  /** Takes a key out of use. A key that is still in use is refused unless `emergency` is set. */
  v.object({
    action: v.literal('withdraw'),
    kid,
    emergency: v.optional(v.boolean(), false),
    /** Whether a `next` key may sign before every verifier knows it. */
    activate_early: v.optional(v.boolean(), false),
    caller_proof: callerProof,
  }),
]);

export type KeyRotationEvent = Readonly<v.InferOutput<typeof keyRotationEventSchema>>;

/** What a run of the key-rotation function did. Times are RFC 3339 UTC. */
export const rotationReportSchema = v.object({
  region: v.picklist(regionIds),
  /** `waiting`: no key of the region signs yet. */
  status: v.picklist(['signing', 'waiting']),
  kid: v.optional(v.string()),
  /** When the region's published `next` keys may sign; no time for one that is not proved yet. */
  next: v.array(v.object({ kid: v.string(), eligible_at: v.optional(v.string()) })),
  done: v.array(v.object({ action: v.string(), subject: v.string() })),
  refused: v.array(v.object({ kid: v.string(), reason: v.string() })),
  /** Steps that wait until the JWKS has room for another key of the region. */
  waits_for_room: v.optional(v.string()),
});

export type RotationReport = Readonly<v.InferOutput<typeof rotationReportSchema>>;

/** A request to the canary function. Without a kid, it checks the region's `current` keys. */
const canaryEventSchema = v.object({ kid: v.optional(kid) });

/**
 * Asks the canary function to publish the key of an intent, if only this deployment can sign with
 * it. It reads the intent itself.
 */
const publicationRequestSchema = v.object({
  action: v.literal('publish'),
  slot: v.picklist(['first', ...regionIds]),
  /** The intent's version: one that has changed since is not published. */
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

export type PublicationRequest = Readonly<
  Omit<v.InferOutput<typeof publicationRequestSchema>, 'action'>
>;

/** What is wrong with a key that must never be published; nothing if it is published now. */
export const publicationResultSchema = v.object({ faults: v.array(v.string()) });

export type PublicationResult = Readonly<v.InferOutput<typeof publicationResultSchema>>;

/** Whether a canary token of a key verified with the JWKS that a region serves. */
const canaryFindingSchema = v.object({
  kid: v.string(),
  region: v.picklist(regionIds),
  ok: v.boolean(),
  /** `absent`: the JWKS was read and lacks the key, so the lead of the key begins again. */
  problem: v.optional(
    v.picklist(['absent', 'unreachable', 'not_signed', 'not_verified', 'not_listed']),
  ),
  reason: v.optional(v.string()),
});

export type CanaryFinding = Readonly<v.InferOutput<typeof canaryFindingSchema>>;

export const canaryResultSchema = v.object({ findings: v.array(canaryFindingSchema) });

export type CanaryResult = Readonly<v.InferOutput<typeof canaryResultSchema>>;

/** An event that a function does not understand. */
export class EventError extends Error {
  override readonly name = 'EventError';
}

function parseEvent<T extends v.GenericSchema>(schema: T, event: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, event);
  if (result.success) return result.output;
  throw new EventError(`the event cannot be used:\n${describeIssues(result.issues).join('\n')}`);
}

/**
 * @param input the event; if it is empty or has no action, it means `deploy`.
 * @throws {EventError} naming each key that is not as allowed.
 */
export function parseKeyRotationEvent(input: unknown): KeyRotationEvent {
  const hasAction = typeof input === 'object' && input !== null && 'action' in input;
  return parseEvent(keyRotationEventSchema, hasAction ? input : { action: 'deploy' });
}

/** @throws {EventError} naming each key that is not as allowed. */
export function parseCanaryEvent(
  input: unknown,
):
  | Readonly<v.InferOutput<typeof canaryEventSchema>>
  | Readonly<v.InferOutput<typeof publicationRequestSchema>> {
  const hasAction = typeof input === 'object' && input !== null && 'action' in input;
  return hasAction
    ? parseEvent(publicationRequestSchema, input)
    : parseEvent(canaryEventSchema, input ?? {});
}
