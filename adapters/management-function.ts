import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { isJsonObject } from '../contract/json-object.ts';
import {
  type ManagementOperation,
  type OperationName,
  operationOf,
} from '../contract/management/operations.ts';
import {
  type ManagementAnswer,
  type ManagementOutcome,
  managementAnswerSchema,
} from '../contract/management/request.ts';
import type { ManagementAlias, PersonRole } from '../contract/management/roles.ts';
import {
  InputError,
  MalformedRecordError,
  ServiceUnavailableError,
  UnavailableError,
} from '../core/errors.ts';
import { narrowTrunkGroups } from '../core/management/caller-reach.ts';
import { nameArguments, neededFields } from '../core/management/requests/read-call.ts';
import { fromManagementError } from '../core/management/requests/wire-errors.ts';
import type { ManagementOptions } from './management-tables.ts';
import { isThrottlingError } from './retries.ts';

/**
 * Sends one request to an alias of the management function. Each request has its own signature.
 *
 * @param request the text of the request.
 * @throws {UnavailableError} if Lambda or the function does not answer. The function may have run.
 */
export type AskFunction = (alias: ManagementAlias, request: string) => Promise<unknown>;

export interface FunctionOptions
  extends Pick<ManagementOptions, 'onMalformedRecord' | 'onAuditGap'> {
  readonly ask: AskFunction;
  /** The alias to invoke. By default those that may call an operation are tried one after another. */
  readonly alias?: ManagementAlias | undefined;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The caller, and what it can access. */
export interface ManagementCaller {
  /**
   * For the audit: the person behind a portal, for instance. The management function accepts a
   * person, `https://issuer#subject`, only from the portal.
   */
  readonly actor?: (() => Promise<string>) | undefined;
  /** The role of that person, which the management function checks. The default is `viewer`. */
  readonly role?: PersonRole | undefined;
  /** The name of that person, recorded for the history and the audit when a change is made. */
  readonly name?: string | undefined;
  /** The service trunk groups that every operation is restricted to. By default every one. */
  readonly trunkGroups?: readonly string[] | undefined;
}

const maxAttempts = 3;
/** Milliseconds; the whole delay is random, and doubles with each attempt. */
const retryDelay = 200;

/** A change whose answer was lost may have been made. Only a throttled one certainly was not. */
function mayRepeat(error: unknown, { changes }: ManagementOperation): boolean {
  if (!(error instanceof UnavailableError) || error.name !== 'UnavailableError') return false;
  return !changes || (error.cause instanceof Error && isThrottlingError(error.cause));
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && error.name === 'AccessDeniedException';
}

/**
 * JSON writes NaN and the infinities as null, which means "never" when the field is an expiry. The
 * function gets what no field takes instead, and refuses it with the other problems.
 */
function keepUnreadable(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? [[String(value)]] : value;
}

function toText(request: unknown): string {
  try {
    return JSON.stringify(request, keepUnreadable);
  } catch (cause) {
    throw new InputError('the input: allowed: values that JSON can express', { cause });
  }
}

function readAnswer(answer: unknown): ManagementAnswer {
  const result = v.safeParse(managementAnswerSchema, answer);
  if (result.success) return result.output;
  throw new ServiceUnavailableError(
    'Lambda',
    'the management function returned an answer of an unknown shape',
  );
}

/** The function has checked the result. */
function readResult(name: OperationName, outcome: ManagementOutcome | undefined): unknown {
  if (outcome === undefined) {
    throw new ServiceUnavailableError(
      'Lambda',
      `the management function returned no outcome of ${name}`,
    );
  }
  if ('error' in outcome) throw fromManagementError(outcome.error);
  return outcome.result;
}

/** How the version or the registration of each kind of record is found. */
const sightings = {
  client: ['findClient', 'version'],
  apiKey: ['findApiKey', 'version'],
  provider: ['findProvider', 'registrationId'],
  providerOwner: ['findProvider', 'owner', 'version'],
  subjectGrants: ['findSubjectGrants', 'version'],
  issuerGrants: ['findIssuerGrants', 'version'],
  trunkGroup: ['findTrunkGroupLimits', 'version'],
} as const;

/** The operations of the management function. */
export class FunctionClient {
  readonly #options: FunctionOptions;
  readonly #denied = new Set<ManagementAlias>();

  constructor(options: FunctionOptions) {
    this.#options = options;
  }

  /** Calls an operation with the arguments of the library. */
  async call(
    asker: ManagementCaller,
    name: OperationName,
    args: readonly unknown[],
  ): Promise<unknown> {
    const operation = operationOf(name);
    const complete = await this.#complete(asker, operation, args);
    const input = nameArguments(operation, complete);
    const { actor, role = 'viewer', trunkGroups } = asker;
    const named = operation.changes && { name: asker.name };
    const text = toText({
      operation: name,
      input,
      trunk_groups: trunkGroups,
      ...(actor !== undefined && { person: { actor: await actor(), role, ...named } }),
    });
    const answer = readAnswer(await this.#askAny(operation, text));
    this.#report(answer);
    return readResult(name, answer.outcome);
  }

  /**
   * Adds what the function needs to recognise a repetition, if the caller gave none: a new key, and
   * the version that is stored at present.
   */
  async #complete(
    asker: ManagementCaller,
    operation: ManagementOperation,
    args: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const last = Object.keys(operation.parameters).length - 1;
    // Null is a value, which the function refuses.
    const options = args[last] === undefined ? {} : args[last];
    const missing = neededFields(operation, args).map(([field]) => field);
    const fields = isJsonObject(options) ? missing.filter((one) => options[one] === undefined) : [];
    if (fields.length === 0) return args;
    const added: Record<string, unknown> = {};
    for (const field of fields) {
      added[field] =
        field === 'idempotencyKey' ? randomUUID() : await this.#see(asker, operation, args[0]);
    }
    const next = [...args];
    next[last] = { ...options, ...added };
    return next;
  }

  async #see(
    asker: ManagementCaller,
    { guarded }: ManagementOperation,
    id: unknown,
  ): Promise<unknown> {
    const [find, ...path] = sightings[guarded ?? 'client'];
    const found = await this.call(asker, find, [id]);
    return path.reduce((value, key) => (isJsonObject(value) ? value[key] : undefined), found);
  }

  /** Asks the aliases that may call the operation, until IAM allows one. */
  async #askAny(operation: ManagementOperation, text: string): Promise<unknown> {
    const { alias } = this.#options;
    if (alias !== undefined) return this.#askRepeatedly(alias, operation, text);
    const untried = operation.aliases.filter((one) => !this.#denied.has(one));
    let denial: unknown;
    for (const one of untried.length === 0 ? operation.aliases : untried) {
      try {
        return await this.#askRepeatedly(one, operation, text);
      } catch (error) {
        if (!isDenied(error)) throw error;
        this.#denied.add(one);
        denial ??= error;
      }
    }
    throw denial;
  }

  async #askRepeatedly(
    alias: ManagementAlias,
    operation: ManagementOperation,
    text: string,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#options.ask(alias, text);
      } catch (error) {
        if (attempt === maxAttempts || !mayRepeat(error, operation)) throw error;
        await this.#options.wait(Math.random() * retryDelay * 2 ** attempt);
      }
    }
  }

  #report({ left_out: leftOut, audit_gaps: gaps }: ManagementAnswer): void {
    const { onMalformedRecord, onAuditGap } = this.#options;
    for (const text of leftOut) onMalformedRecord?.(new MalformedRecordError(text));
    for (const record of gaps) onAuditGap?.(record, undefined);
  }
}

/** The asker behind another caller: only with a narrower reach. */
export function narrowAsker(
  asker: ManagementCaller,
  { actor, role, name, trunkGroups }: ManagementCaller,
): ManagementCaller {
  return {
    actor: actor ?? asker.actor,
    role: role ?? asker.role,
    // A name is not another person's.
    name: actor === undefined ? (name ?? asker.name) : name,
    trunkGroups:
      trunkGroups === undefined
        ? asker.trunkGroups
        : narrowTrunkGroups(asker.trunkGroups, trunkGroups),
  };
}
