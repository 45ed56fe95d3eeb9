import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { StopKind } from '../../contract/stop-kinds.ts';
import type { ApiKeyStore, ApiKeyUseReader } from '../api-key/api-key.ts';
import { auditChange, type Change } from '../audit/audit-change.ts';
import type {
  AuditHistoryReader,
  AuditLog,
  AuditPageReader,
  AuditRecord,
} from '../audit/audit-log.ts';
import type { PersonNameStore } from '../audit/person-name.ts';
import type { ClientStore } from '../client/client.ts';
import { encodeBase62, formatId, type IdKind, idBytes } from '../credential/credential-value.ts';
import { UnavailableError, UncertainConflictError } from '../errors.ts';
import type { FetchJson } from '../identity-provider/fetch-json.ts';
import type { GrantList } from '../identity-provider/grant.ts';
import type {
  IdentityProviderStore,
  ProviderOwner,
} from '../identity-provider/identity-provider.ts';
import type { CanaryRun } from '../key-rotation/canary-run.ts';
import type { RecordStore } from '../record-store.ts';
import type { TimeBounds } from '../server-date.ts';
import type { SigningKeyReader } from '../signing-key/signing-key.ts';
import type { Stop } from '../stops.ts';
import { type Clock, seconds } from '../time.ts';
import type { Limits, TrunkGroupLimits } from '../trunk-group/trunk-group-limits.ts';
import type { JwksCache } from '../verifier/jwks-cache.ts';

/** Everything that management reads and writes. */
interface ManagementPorts {
  readonly clients: ClientStore;
  readonly apiKeys: ApiKeyStore;
  /** When values of API keys were last used. Left out: it is not known. */
  readonly apiKeyUses?: ApiKeyUseReader | undefined;
  readonly identityProviders: IdentityProviderStore;
  /** By the id of the registration. */
  readonly providerOwners: RecordStore<ProviderOwner>;
  /** Client ids at a provider, by issuer. */
  readonly subjectGrants: RecordStore<GrantList, never>;
  /** Issuers, by host. */
  readonly issuerGrants: RecordStore<GrantList, never>;
  readonly signingKeys: SigningKeyReader;
  /** Of every region. Only for the staff. */
  readonly listCanaryRuns: () => Promise<readonly CanaryRun[]>;
  readonly trunkGroupLimits: RecordStore<TrunkGroupLimits, never>;
  readonly audit: AuditLog;
  readonly auditPages: AuditPageReader;
  readonly auditHistory: AuditHistoryReader;
  readonly personNames: PersonNameStore;
  readonly fetchJson: FetchJson;
  /** Keys of registered providers. Every question shares them, and the pause of one that fails. */
  readonly providerKeys: Pick<JwksCache, 'findKey' | 'findLeftOut' | 'readKeySet'>;
  readonly clock: Clock;
  /** The time at AWS; undefined before its first response. */
  readonly awsTime: () => TimeBounds | undefined;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Cryptographically random bytes. */
  readonly drawBytes: (length: number) => Uint8Array;
  /** Runs when the outcome of a change could not be written to the audit. Its intent is there. */
  readonly onAuditGap?: ((record: AuditRecord, cause: unknown) => void) | undefined;
}

/** What a caller of the management function may give to clients and API keys. */
export interface CallerLimits {
  /** What the deployment config allows a portal. */
  readonly limits: Limits;
  /** Whether the limits of trunk groups hold for the caller, too. They do not for the staff. */
  readonly hasTrunkGroupLimits: boolean;
}

/** What CloudFormation asks for. `stackId` is as in a {@link ClientDeclaration}. */
export interface StackResource {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** The first parameter of each management operation. */
export interface ManagementContext extends ManagementPorts {
  readonly config: ManagementConfig;
  /** Who makes the changes, for the audit: the AWS caller's ARN. Asked before each change. */
  readonly actor: () => Promise<string>;
  /** The deployment's AWS account, which no restricted caller reads. */
  readonly account?: string | undefined;
  /** The resource of a stack that asks, and the id of its event. Left out: people ask. */
  readonly stack?: StackResource | undefined;
  /**
   * The service trunk groups that operations are restricted to; every group if left out. Set in
   * `caller-reach.ts`, which also restricts the stores.
   */
  readonly trunkGroups?: readonly string[] | undefined;
  /** An actor of the audit as a restricted caller may know it. Set in the same place. */
  readonly nameActor?: ((actor: string) => string) | undefined;
  /** The clients of every group, for a restricted caller. Only to decide as platform APIs do. */
  readonly everyClient?: Pick<ClientStore, 'find'> | undefined;
  /** Milliseconds for all documents of an inspection. That of the staff if left out. */
  readonly inspectionTime?: number | undefined;
  /** What the caller may give. Set in the same place. */
  readonly callerLimits?: CallerLimits | undefined;
  /** Whether a provider may be on loopback. Only for the local run and tests. */
  readonly allowLoopbackProviders?: boolean | undefined;
}

/** The present second. */
export function currentTime(context: Pick<ManagementContext, 'clock'>): number {
  return seconds(context.clock());
}

/**
 * The time at AWS, which tokens are issued by. The clock of the operator's machine may be wrong.
 *
 * @throws {UnavailableError} if AWS has not responded yet.
 */
export function awsTimeOf(context: Pick<ManagementContext, 'awsTime'>): TimeBounds {
  const bounds = context.awsTime();
  if (bounds === undefined) throw new UnavailableError('AWS has not said the time');
  return bounds;
}

/**
 * Seconds by which the clock of a function that issues tokens may differ from AWS's time. AWS keeps
 * the clocks of its hosts much closer.
 */
export const clockAllowance = 1;

export function newId(context: Pick<ManagementContext, 'drawBytes'>, kind: IdKind): string {
  return formatId(kind, context.drawBytes(idBytes));
}

/** As what the caller stops and starts things. */
export function stopperOf({ stack }: Pick<ManagementContext, 'stack'>): StopKind {
  return stack === undefined ? 'person' : 'stack';
}

/** A stop that the caller sets. */
export async function newStop(context: ManagementContext): Promise<Stop> {
  const by = await context.actor();
  return { at: currentTime(context), by, event: context.stack?.requestId };
}

/** Makes a management change between its two audit records; see {@link auditChange}. */
export async function makeAuditedChange(
  context: ManagementContext,
  change: Change,
  apply: () => Promise<void>,
): Promise<void> {
  const audit = {
    log: context.audit,
    changeId: encodeBase62(context.drawBytes(idBytes)),
    actor: await context.actor(),
    clock: context.clock,
    isUncertain: (error: unknown) =>
      error instanceof UnavailableError || error instanceof UncertainConflictError,
    // The change was made, and its intent is in the audit.
    onGap: context.onAuditGap ?? (() => undefined),
  };
  await auditChange(audit, change, apply);
}
