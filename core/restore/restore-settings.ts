import * as v from 'valibot';
import { wireNameOf } from '../../contract/management/fields.ts';
import { saying } from '../../contract/parse-problem.ts';
import type { Grant, GrantKind, GrantList } from '../identity-provider/grant.ts';
import type { ProviderOwner } from '../identity-provider/identity-provider.ts';
import type { ManagementContext } from '../management/management-context.ts';
import { erasePersonName } from '../management/person-names.ts';
import { withOwnProviderLimit } from '../management/providers/provider-ownership.ts';
import { viewTrunkGroupLimits } from '../management/trunk-group-limits/limits-record.ts';
import {
  type GrantLimits,
  intersectLimits,
  limitNames,
  type TrunkGroupLimits,
  withoutLimits,
} from '../trunk-group/trunk-group-limits.ts';
import { readView } from './audit-views.ts';
import {
  type AuditedChange,
  asStored,
  DroppedItem,
  describeChange,
  describeReplay,
} from './replay.ts';
import {
  type Replay,
  type Restorable,
  type RestoredRow,
  type RestoredTables,
  type RestoreOptions,
  restoreKind,
  restoring,
  sincePoint,
} from './restore-items.ts';

/** A change may have given something that the stored record had not: it is not repeated. */
function lookAtLast(changes: readonly AuditedChange[]): readonly string[] {
  return changes
    .slice(-1)
    .map(({ action, time }) => `${action} at ${time}: repeat it if it gave more than there is now`);
}

/** The version after every one that a record had. Without a change it is the stored one. */
function versionAfter({ version }: { readonly version: number }, { length }: { length: number }) {
  return length === 0 ? version : version + length + 1;
}

type Settings = Pick<
  RestoredTables,
  'limits' | 'owners' | 'subjectGrants' | 'issuerGrants' | 'people'
>;

const limitsView = v.object(
  Object.fromEntries(limitNames.map((name) => [wireNameOf(name), v.optional(v.unknown())])),
);

/** The limits after a change, by the names of the record. */
function readLimitsView(change: AuditedChange): GrantLimits {
  const view = readView(limitsView, change);
  return withOwnProviderLimit(
    Object.fromEntries(limitNames.map((name) => [name, view[wireNameOf(name)]])),
  );
}

/** The strictest limits since. A trunk group without a record would have none. */
function restorableLimits({ limits }: Settings): Restorable<TrunkGroupLimits> {
  return {
    ...limits,
    noun: 'trunk_group_limits',
    idOf: ({ serviceTrunkGroup }) => serviceTrunkGroup,
    view: viewTrunkGroupLimits,
    missing: withoutLimits,
    replay: (stored, all) => {
      const changes = all.filter(({ action }) => action.startsWith('trunk_group_limits.'));
      if (changes.length === 0) return asStored(stored);
      const before = withOwnProviderLimit(stored);
      const strictest = changes.map(readLimitsView).reduce(intersectLimits, before);
      const item = { ...before, ...strictest, version: versionAfter(stored, changes) };
      const [then, now] = [viewTrunkGroupLimits(before), viewTrunkGroupLimits(item)];
      const { narrowed } = describeReplay(then, now, undefined);
      return { item, narrowed, lookAt: lookAtLast(changes) };
    },
  };
}

const groups = v.optional(v.array(v.string()), []);
const ownerView = v.object({ registration_id: v.string(), service_trunk_groups: groups });
const grantView = v.object({ value: v.string(), service_trunk_groups: groups });

function within(trunkGroups: readonly string[], changes: readonly (readonly string[])[]) {
  return trunkGroups.filter((group) => changes.every((allowed) => allowed.includes(group)));
}

/** The trunk groups that own a provider. None would make it the whole platform's. */
function restorableOwners({ owners }: Settings): Restorable<ProviderOwner> {
  return {
    ...owners,
    noun: 'provider_owner',
    idOf: ({ registrationId }) => registrationId,
    auditedAs: ({ issuer }) => issuer,
    nameOf: ({ issuer }) => issuer,
    view: ({ issuer, trunkGroups }) => ({ issuer, service_trunk_groups: trunkGroups }),
    replay: (stored, all) => {
      const changes = all
        .filter(({ action }) => action === 'identity_provider.set_trunk_groups')
        .filter((one) => readView(ownerView, one).registration_id === stored.registrationId);
      const trunkGroups = within(
        stored.trunkGroups,
        changes.map((change) => readView(ownerView, change).service_trunk_groups),
      );
      const last = changes.at(-1);
      if (last !== undefined && trunkGroups.length === 0) {
        const moved = describeChange('given to others', last);
        throw new DroppedItem(`${moved}: set its trunk groups again`);
      }
      return {
        item: { ...stored, trunkGroups, version: versionAfter(stored, changes) },
        narrowed: saying(
          trunkGroups.length < stored.trunkGroups.length && `only for ${trunkGroups.join(', ')}`,
        ),
        lookAt: lookAtLast(changes),
      };
    },
  };
}

/** What is granted at a place, without what was withdrawn since. */
function restorableGrants(tables: Settings, kind: GrantKind): Restorable<GrantList> {
  const noun = `${kind}_grant`;
  return {
    ...tables[`${kind}Grants`],
    noun,
    idOf: ({ place }) => place,
    view: (list) => ({ place: list.place, values: list.grants.map(({ value }) => value) }),
    replay: (stored, all) => {
      const changes = all.filter(({ action }) => action === `${noun}.set`);
      const views = changes.map((change) => ({
        ...readView(grantView, change),
        isWithdrawn: change.after === undefined,
      }));
      const narrow = ({ value, trunkGroups }: Grant): Grant => {
        const own = views.filter((view) => view.value === value);
        const allowed = own.map((one) => (one.isWithdrawn ? [] : one.service_trunk_groups));
        return { value, trunkGroups: within(trunkGroups, allowed) };
      };
      const narrowed = stored.grants.map(narrow);
      return {
        item: {
          ...stored,
          grants: narrowed.filter((one) => one.trunkGroups.length > 0),
          version: versionAfter(stored, changes),
        },
        narrowed: narrowed
          .filter(
            (one, at) => one.trunkGroups.length < (stored.grants[at]?.trunkGroups ?? []).length,
          )
          .map(({ value, trunkGroups }) => `${value} only for ${trunkGroups.join(', ') || 'none'}`),
        lookAt: lookAtLast(changes),
      };
    },
  };
}

/** Names that are not erased. An erased one is erased, regardless of what else is stored. */
async function restorePeople(
  context: ManagementContext,
  { people }: Settings,
  { changes, dryRun }: Replay,
): Promise<readonly RestoredRow[]> {
  const erased = new Set(
    changes.flatMap(({ action, subject }) => (action === 'person_name.delete' ? [subject] : [])),
  );
  const rows: RestoredRow[] = [];
  const add = (id: string, outcome: RestoredRow['outcome']) =>
    rows.push({ id, name: undefined, outcome, because: [], lookAt: [] });
  for await (const person of people.list()) {
    const { subject } = person;
    if ('erased' in person || erased.has(subject)) erased.add(subject);
    else if ((await people.find(subject)) !== undefined) add(subject, 'present');
    else {
      if (!dryRun) await people.create(person);
      add(subject, 'restored');
    }
  }
  for (const subject of erased) {
    if (!dryRun) await erasePersonName(context, subject);
    add(subject, 'dropped');
  }
  return rows;
}

/** Restores a table of settings, so that what was withdrawn or erased since remains withdrawn or erased. */
export function restoreSettings(
  context: ManagementContext,
  tables: Settings,
  options: RestoreOptions,
): Promise<readonly RestoredRow[]> {
  return restoring(options, async (replay) => {
    const later = sincePoint(replay);
    return [
      ...(await restoreKind(context, restorableLimits(tables), later)),
      ...(await restoreKind(context, restorableOwners(tables), later)),
      ...(await restoreKind(context, restorableGrants(tables, 'subject'), later)),
      ...(await restoreKind(context, restorableGrants(tables, 'issuer'), later)),
      ...(await restorePeople(context, tables, replay)),
    ];
  });
}
