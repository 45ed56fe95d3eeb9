import type * as v from 'valibot';
import { secondsPerDay } from '../../contract/limits.ts';
import type { expiringFilter } from '../../contract/management/inputs.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { isId } from '../credential/credential-value.ts';
import { ConflictError, UnavailableError } from '../errors.ts';
import { isExpiring, keyInUse, secretsInUse } from '../notices/credential-notices.ts';
import { type ReportedCredential, sortByExpiry } from '../notices/daily-report.ts';
import { formatDay, formatMilliseconds, formatTime } from '../rfc3339.ts';
import { withUsesOfRotated } from './api-key-uses.ts';
import { formatCursor, readPageRequest } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { refuseInput } from './read-input.ts';

/** A page of what the last daily run found to expire within 30 days. */
export type ExpiringPage = OperationResult<'listExpiring'>;

/** Clients and keys that are read again for a page as of now, those that were changed first. */
const mostReadAgain = 500;

/** They are read so many at a time, in one call, and no more when there are enough for the page. */
const readAtOnce = 100;

function readPosition(after: string | undefined): { time: number; index: number } | undefined {
  if (after === undefined) return undefined;
  const [, time, index] = /^(\d{1,12}) (\d{1,9})$/.exec(after) ?? [];
  if (time !== undefined && index !== undefined)
    return { time: Number(time), index: Number(index) };
  return refuseInput('cursor', after, 'the nextCursor of a page of the same list');
}

const ownerOf = (one: ReportedCredential) => (one.kind === 'api_key' ? one.keyId : one.clientId);

/** The clients and keys that were changed since a time, and whether all of them are known. */
async function findChanged({ auditHistory }: ManagementContext, since: number, now: number) {
  const days = new Set([formatDay(since), formatDay(now)]);
  const reads = auditHistory.regions.flatMap((region) =>
    [...days].map(async (day) => {
      try {
        const after = day === formatDay(since) ? formatMilliseconds(since * 1000) : undefined;
        return await auditHistory.readChanges(region, day, after);
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
        return { items: [], next: region };
      }
    }),
  );
  const pages = await Promise.all(reads);
  const ids = pages
    .flatMap(({ items }) => items)
    .map(({ subject, before, after }) => after?.['client_id'] ?? before?.['client_id'] ?? subject)
    .filter((id) => typeof id === 'string')
    .filter((id) => isId('client', id) || isId('apiKey', id));
  const isComplete =
    now - since < 2 * secondsPerDay && pages.every(({ next }) => next === undefined);
  return { ids: [...new Set(ids)], isComplete };
}

/** What of some clients and keys expires within 30 days; nothing of one that cannot be read. */
async function readExpiring(
  { clients, apiKeys, apiKeyUses }: ManagementContext,
  ids: readonly string[],
  now: number,
): Promise<readonly ReportedCredential[]> {
  const [found, keys] = await Promise.all([
    clients.findClients(ids.filter((id) => isId('client', id))),
    apiKeys.findApiKeys(ids.filter((id) => isId('apiKey', id))),
  ]);
  return [
    ...found.flatMap((client) => secretsInUse(client, now)),
    ...(await withUsesOfRotated({ apiKeyUses }, keys)).flatMap((key) => keyInUse(key, now)),
  ].filter((one) => isExpiring(one, now));
}

interface Reported {
  readonly reported: readonly ReportedCredential[];
  readonly time: number;
  readonly group: string | undefined;
  readonly limit: number;
}

/** The first of the list as they are now: a read of each, and the audits since the run. */
async function readAsOfNow(
  context: ManagementContext,
  { reported, time, group, limit }: Reported,
): Promise<Pick<ExpiringPage, 'items' | 'isPartial'>> {
  const now = currentTime(context);
  const changed = await findChanged(context, time, now);
  const coming = reported.filter(({ expiresAt }) => expiresAt > now);
  const ids = [...new Set([...changed.ids, ...coming.map(ownerOf)])];
  const most = Math.min(ids.length, mostReadAgain);
  const found: ReportedCredential[] = [];
  let read = 0;
  /** What ends before has been read. */
  let until = now;
  const ready = () => found.filter(({ expiresAt }) => expiresAt <= until).length;
  while (read < most && ready() < limit) {
    const batch = ids.slice(read, read + readAtOnce);
    read += batch.length;
    found.push(...(await readExpiring(context, batch, now)));
    // What was changed may expire before everything that the report has.
    if (read < changed.ids.length) continue;
    const known = new Set(ids.slice(0, read));
    until = coming.find((one) => !known.has(ownerOf(one)))?.expiresAt ?? Number.POSITIVE_INFINITY;
  }
  const isCut = read < changed.ids.length;
  if (isCut) until = Number.POSITIVE_INFINITY;
  const items = sortByExpiry(found)
    .filter(
      (one) => one.expiresAt <= until && (group === undefined || group === one.serviceTrunkGroup),
    )
    .slice(0, limit);
  const isAll = changed.isComplete && !isCut && (read === ids.length || ready() >= limit);
  return isAll ? { items } : { items, isPartial: true };
}

/**
 * One page of the secrets and API keys that expire within 30 days, in all trunk groups that the
 * caller can access, by their end. It is as of the last daily run, or one page as of now.
 *
 * @throws {InputError} for a filter that is not allowed.
 * @throws {ConflictError} if a new run has replaced the list: start again.
 */
export async function listExpiring(
  context: ManagementContext,
  filter: v.InferOutput<typeof expiringFilter> = {},
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
  if (filter.asOfNow === true) {
    const page = await readAsOfNow(context, { reported: own, time: report.time, group, limit });
    return { reportedAt: report.time, total: own.length, ...page };
  }
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
    last_used_on: credential.lastUsedOn,
    replaced: credential.replaced,
  };
  return kind === 'api_key'
    ? {
        ...common,
        key_id: credential.keyId,
        key_name: credential.keyName,
        value_id: credential.valueId,
      }
    : {
        ...common,
        client_id: credential.clientId,
        client_name: credential.clientName,
        secret_id: credential.secretId,
        secret_name: credential.secretName,
      };
}
