import type { RegionId } from '../../contract/regions.ts';
import type { ApiKeyCredential, ClientSecretCredential } from './credential-notices.ts';

/** A credential of the report. */
export type ReportedCredential =
  | (Omit<ClientSecretCredential, 'createdAt' | 'changedAt'> & { readonly expiresAt: number })
  | (Omit<ApiKeyCredential, 'createdAt'> & { readonly expiresAt: number });

/**
 * One of two places for the credentials of a report. A run writes to the one that the last report
 * is not in, so a reader never sees a half of each.
 */
export type ReportSlot = 'a' | 'b';

/** Where credentials are stored: in so many parts of a slot. */
export interface StoredCredentials {
  readonly slot: ReportSlot;
  readonly parts: number;
  /** Of the run that wrote them, in seconds since the epoch. Each part has it. */
  readonly time: number;
  /**
   * The attempt that wrote them: the version of the state with which it began. Each part has it, and
   * none replaces a part of a later attempt. Undefined for a report of release 0.2.0.
   */
  readonly attempt?: number | undefined;
}

/** What is read, in this order. */
export const runStages = ['clients', 'api_keys', 'changes'] as const;

export type RunStage = (typeof runStages)[number];

/** How far a run is that has not ended. */
export interface OpenRun {
  /** Seconds since the epoch. Its notices are as of this time, no matter how long it takes. */
  readonly time: number;
  readonly stage: RunStage;
  /** Where the stage continues, in its own list. */
  readonly cursor?: string | undefined;
  /** Parts of the slot that it has written so far. */
  readonly parts: number;
  /** The attempt that wrote them. */
  readonly attempt?: number | undefined;
  /** Clients outside the grants of their trunk groups, of those that it has read. */
  readonly outside?: number | undefined;
}

/** What the state says of the last report. */
interface PublishedReport extends StoredCredentials {
  readonly count: number;
  /** Clients outside the grants of their trunk groups. Undefined for a report of release 0.2.0. */
  readonly outside?: number | undefined;
}

export interface DailyState {
  /** Grows by one with each write. An attempt begins with one. */
  readonly version: number;
  /** Drawn by the attempt that wrote it: two attempts never write the same state. */
  readonly nonce?: string | undefined;
  /** The last report; undefined before the first one. */
  readonly report?: PublishedReport | undefined;
  readonly run?: OpenRun | undefined;
  /** Up to when the changes of each region are told: RFC 3339 UTC with milliseconds. */
  readonly changesUntil: Readonly<Partial<Record<RegionId, string>>>;
}

/** The report as its readers need it. */
export interface DailyReportReader {
  /** @throws {UnavailableError} if the store does not answer in time. */
  readState(): Promise<DailyState | undefined>;
  /**
   * @throws {MalformedRecordError} if a part is missing, of another run or cannot be read.
   * @throws {UnavailableError} if the store does not answer in time.
   */
  readCredentials(stored: StoredCredentials): Promise<readonly ReportedCredential[]>;
}

export interface DailyReportStore extends DailyReportReader {
  /** @throws {ConflictError} if the stored version is not `state.version - 1`. */
  writeState(state: DailyState): Promise<void>;
  /**
   * @returns the number of parts.
   * @throws {ConflictError} if a later attempt has written to the slot.
   */
  writeCredentials(
    stored: Omit<StoredCredentials, 'parts'> & { readonly attempt: number },
    credentials: readonly ReportedCredential[],
  ): Promise<number>;
}

/** The list of a report: what expires first is first. */
export function sortByExpiry(
  credentials: readonly ReportedCredential[],
): readonly ReportedCredential[] {
  return credentials.toSorted((a, b) => a.expiresAt - b.expiresAt);
}
