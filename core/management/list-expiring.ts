import type * as v from 'valibot';
import type { expiringFilter } from '../../contract/management/inputs.ts';
import { ConflictError } from '../errors.ts';
import type { ReportedCredential } from '../notices/daily-report.ts';
import { formatTime } from '../rfc3339.ts';
import { formatCursor, readPageRequest } from './list-query.ts';
import type { ManagementContext } from './management-context.ts';
import { refuseInput } from './read-input.ts';

export type ExpiringFilter = v.InferOutput<typeof expiringFilter>;

/** A page of what the last daily run found to expire within 30 days. */
export interface ExpiringPage {
  /** Of the run, in seconds since the epoch; undefined if there was none. */
  readonly reportedAt?: number | undefined;
  /** What expires first is first. */
  readonly items: readonly ReportedCredential[];
  /** On all pages. */
  readonly total: number;
  readonly nextCursor?: string | undefined;
}

function readPosition(after: string | undefined): { time: number; index: number } | undefined {
  if (after === undefined) return undefined;
  const [, time, index] = /^(\d{1,12}) (\d{1,9})$/.exec(after) ?? [];
  if (time !== undefined && index !== undefined)
    return { time: Number(time), index: Number(index) };
  return refuseInput('cursor', after, 'the nextCursor of a page of the same list');
}

/**
 * One page of the secrets and API keys that expire within 30 days, in all trunk groups that the
 * caller can access, by their end. It is as of the last daily run.
 *
 * @throws {InputError} for a filter that is not allowed.
 * @throws {ConflictError} if a new run has replaced the list: start again.
 */
export async function listExpiring(
  context: ManagementContext,
  filter: ExpiringFilter = {},
): Promise<ExpiringPage> {
  const { limit, after } = readPageRequest(filter);
  const position = readPosition(after);
  const { trunkGroup: group } = filter;
  const { dailyReport, trunkGroups } = context;
  const report = (await dailyReport.readState())?.report;
  if (report === undefined) return { items: [], total: 0 };
  if (position !== undefined && position.time !== report.time) {
    throw new ConflictError('the list is of another daily run: start again without a cursor');
  }
  const all = await dailyReport.readCredentials(report);
  const own = all.filter(
    ({ serviceTrunkGroup }) =>
      trunkGroups?.includes(serviceTrunkGroup) !== false &&
      (group === undefined || group === serviceTrunkGroup),
  );
  const { index = 0 } = position ?? {};
  const end = index + limit;
  return {
    reportedAt: report.time,
    items: own.slice(index, end),
    total: own.length,
    nextCursor: end < own.length ? formatCursor(`${report.time} ${end}`) : undefined,
  };
}

/** A credential of the list as it is shown. */
export function viewExpiring(credential: ReportedCredential): Record<string, unknown> {
  const { kind, serviceTrunkGroup, expiresAt } = credential;
  const common = {
    credential: kind,
    service_trunk_group: serviceTrunkGroup,
    expires_at: formatTime(expiresAt),
  };
  return kind === 'api_key'
    ? { ...common, key_id: credential.keyId, key_name: credential.keyName }
    : {
        ...common,
        client_id: credential.clientId,
        client_name: credential.clientName,
        secret_id: credential.secretId,
        secret_name: credential.secretName,
        last_used_on: credential.lastUsedOn,
      };
}
