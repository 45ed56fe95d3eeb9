import * as v from 'valibot';
import { regionIds } from '../../contract/regions.ts';
import { dailyReportRecordType, dailyRunRecordType } from '../../contract/tables.ts';
import {
  type DailyState,
  type ReportedCredential,
  runStages,
  type StoredCredentials,
} from '../../core/notices/daily-report.ts';
import {
  epochSeconds,
  type Item,
  isMap,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toAttributes,
  toItem,
  toReadableItem,
  toRecord,
  version,
  wholeNumber,
} from './item.ts';

/** Far more than a deployment has: 50,000,000 credentials that expire within a month. */
const maxParts = 99_999;

/** A part is cut by its size. A credential has some 200 bytes, at least 100. */
const maxCredentialsOfPart = 4000;

/** Sort key of the state. */
export const stateId = 'state';

const slot = v.picklist(['a', 'b']);
const parts = wholeNumber(0, maxParts);
const day = v.pipe(v.string(), v.isoDate());
/** RFC 3339 with milliseconds. */
const time = v.pipe(v.string(), v.isoTimestamp());

const report = {
  slot,
  parts,
  time: epochSeconds,
  count: wholeNumber(0, Number.POSITIVE_INFINITY),
};
const run = {
  time: epochSeconds,
  stage: v.picklist(runStages),
  cursor: v.optional(textUpTo(4096)),
  parts,
};

/** What release 0.2.0 wrote. */
export const dailyStateSchema = v.strictObject({
  record_type: v.literal(dailyReportRecordType),
  record_id: v.literal(stateId),
  schema_version: schemaVersion,
  version,
  report: v.optional(v.strictObject(report)),
  run: v.optional(v.strictObject(run)),
  changes_until: v.pipe(
    v.custom<Record<string, unknown>>(isMap, 'a map'),
    v.strictObject(
      Object.fromEntries(regionIds.map((id) => [id, v.optional(time)])) as Record<
        (typeof regionIds)[number],
        v.OptionalSchema<typeof time, undefined>
      >,
    ),
  ),
});

const added = {
  attempt: v.optional(version),
  outside: v.optional(wholeNumber(0, Number.POSITIVE_INFINITY)),
};

export const dailyRunStateSchema = v.strictObject({
  ...dailyStateSchema.entries,
  record_type: v.literal(dailyRunRecordType),
  nonce: text,
  report: v.optional(v.strictObject({ ...report, ...added })),
  run: v.optional(v.strictObject({ ...run, ...added })),
});

const expiring = { service_trunk_group: text, expires_at: epochSeconds };

const part = {
  record_id: v.pipe(v.string(), v.regex(/^[ab]#\d{5}$/)),
  schema_version: schemaVersion,
  time: epochSeconds,
};

const clientSecret = v.strictObject({
  kind: v.literal('client_secret'),
  ...expiring,
  client_id: text,
  client_name: text,
  secret_id: text,
  secret_name: v.optional(text),
  last_used_on: v.optional(day),
});

const apiKey = { kind: v.literal('api_key'), ...expiring, key_id: text, key_name: text };

/** What release 0.2.0 wrote. */
export const dailyReportPartSchema = v.strictObject({
  record_type: v.literal(dailyReportRecordType),
  ...part,
  credentials: v.pipe(
    v.array(v.variant('kind', [clientSecret, v.strictObject(apiKey)])),
    v.maxLength(maxCredentialsOfPart),
  ),
});

export const dailyRunPartSchema = v.strictObject({
  record_type: v.literal(dailyRunRecordType),
  ...part,
  attempt: version,
  credentials: v.pipe(
    v.array(
      v.variant('kind', [
        clientSecret,
        v.strictObject({ ...apiKey, value_id: v.optional(text), last_used_on: v.optional(day) }),
      ]),
    ),
    v.maxLength(maxCredentialsOfPart),
  ),
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseDailyStateItem(item: Item): DailyState {
  const isOld = item['record_type'] === dailyReportRecordType;
  const schema = isOld ? dailyStateSchema : dailyRunStateSchema;
  const state = parseItem(schema, item, 'the daily run', 'record_id');
  return {
    version: state.version,
    ...('nonce' in state ? { nonce: state.nonce } : {}),
    report: state.report,
    run: state.run,
    changesUntil: state.changes_until,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toDailyStateItem(state: DailyState): Item {
  return toReadableItem(parseDailyStateItem, {
    record_type: dailyRunRecordType,
    record_id: stateId,
    schema_version: 1,
    ...toAttributes(state),
  });
}

/** How the sort keys of the parts of a slot begin. */
export function partPrefix({ slot: of }: Pick<StoredCredentials, 'slot'>): string {
  return `${of}#`;
}

/** What a run passes has more: when the credential was created and changed. */
function toStored(credential: ReportedCredential): Item {
  const { created_at: _created, changed_at: _changed, ...stored }: Item = toAttributes(credential);
  return stored;
}

/** A part of a report, as it is read. */
interface ReportPart {
  readonly time: number;
  readonly attempt: number | undefined;
  readonly credentials: readonly ReportedCredential[];
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseDailyReportPart(item: Item): ReportPart {
  const isOld = item['record_type'] === dailyReportRecordType;
  const schema = isOld ? dailyReportPartSchema : dailyRunPartSchema;
  const part = parseItem(schema, item, 'the daily report', 'record_id');
  const { time } = part;
  return 'attempt' in part
    ? { time, attempt: part.attempt, credentials: part.credentials.map(toRecord) }
    : { time, attempt: undefined, credentials: part.credentials.map(toRecord) };
}

/** Bytes of the credentials of a part. DynamoDB takes items of 400 KB. */
const maxPartBytes = 250_000;

/** The credentials as parts, each of which fits into an item. */
export function toDailyReportParts(
  stored: Omit<StoredCredentials, 'parts'> & { readonly attempt: number },
  credentials: readonly ReportedCredential[],
): readonly Item[] {
  const parts: Item[][] = [[]];
  let bytes = 0;
  for (const one of credentials.map(toStored)) {
    const size = Buffer.byteLength(JSON.stringify(one));
    if (bytes + size > maxPartBytes) {
      parts.push([]);
      bytes = 0;
    }
    bytes += size;
    parts.at(-1)?.push(one);
  }
  return parts.map((part, index) =>
    toItem({
      record_type: dailyRunRecordType,
      record_id: `${partPrefix(stored)}${String(index).padStart(5, '0')}`,
      schema_version: 1,
      time: stored.time,
      attempt: stored.attempt,
      credentials: part,
    }),
  );
}

/** Any item of the daily run. @throws {MalformedRecordError} see {@link parseItem}. */
export function parseDailyReportItem(item: Item): DailyState | ReportPart {
  return item['record_id'] === stateId ? parseDailyStateItem(item) : parseDailyReportPart(item);
}
