import * as v from 'valibot';
import { wireNameOf } from '../../contract/management/fields.ts';
import type { Grant, GrantKind, GrantList } from '../identity-provider/grant.ts';
import type { ProviderOwner } from '../identity-provider/identity-provider.ts';
import type { ManagementContext } from '../management/management-context.ts';
import { erasePersonName } from '../management/person-names.ts';
import { withOwnProviderLimit } from '../management/providers/provider-ownership.ts';
import { viewTrunkGroupLimits } from '../management/trunk-group-limits/limits-record.ts';
import { followOwner } from '../management/trunk-group-limits/trunk-group-stop.ts';
import type { Stops } from '../stops.ts';
import {
  intersectLimits,
  type Limits,
  limitNames,
  type TrunkGroupLimits,
  withoutLimits,
} from '../trunk-group/trunk-group-limits.ts';
import { readView, stops as stopsView } from './audit-views.ts';
import {
  type AuditedChange,
  asStored,
  DroppedItem,
  describeChange,
  describeReplay,
  type Replayed,
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

/**
 * The record with the version after every one that it had since, and what it lost. A change may have
 * given something that the stored record had not: it is not repeated.
 */
function narrowTo<T extends { readonly version: number }>(
  view: Restorable<T>['view'],
  [stored, narrowed]: readonly [T, T],
  changes: readonly AuditedChange[],
  told: readonly AuditedChange[] = changes.slice(-1),
): Replayed<T> {
  if (changes.length === 0) return asStored(stored);
  const item = { ...narrowed, version: stored.version + changes.length + 1 };
  return {
    item,
    narrowed: describeReplay(view(stored), view(item), undefined).narrowed,
    lookAt: told.map(
      ({ action, time }) => `${action} at ${time}: repeat it if it gave more than there is now`,
    ),
  };
}

type Settings = Pick<
  RestoredTables,
  'limits' | 'owners' | 'subjectGrants' | 'issuerGrants' | 'people'
>;

const limitsView = v.object(
  Object.fromEntries(limitNames.map((name) => [wireNameOf(name), v.optional(v.unknown())])),
);

const stoppedView = v.object({ stops: stopsView, version: v.number() });

/** The limits after a change, by the names of the record. */
function readLimitsView(change: AuditedChange): Limits {
  const view = readView(limitsView, change);
  return withOwnProviderLimit(
    Object.fromEntries(limitNames.map((name) => [name, view[wireNameOf(name)]])),
  );
}

/** The stop of the last change, by version as clocks differ, unless it is not known whether that change ended one. */
function lastStops(stored: Stops | undefined, changes: readonly AuditedChange[]) {
  const last = changes
    .map((change) => ({ change, view: readView(stoppedView, change) }))
    .toSorted((a, b) => a.view.version - b.view.version)
    .findLast(({ change, view }) => change.isCertain || view.stops !== undefined);
  return last === undefined ? stored : last.view.stops;
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
      const before = withOwnProviderLimit(stored);
      const strictest = changes.map(readLimitsView).reduce(intersectLimits, before);
      const stops = lastStops(stored.stops, changes);
      return narrowTo(viewTrunkGroupLimits, [stored, { ...before, ...strictest, stops }], changes);
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
function restorableOwners(context: ManagementContext, tables: Settings): Restorable<ProviderOwner> {
  const view = ({ issuer, trunkGroups }: ProviderOwner) => ({
    issuer,
    service_trunk_groups: trunkGroups,
  });
  return {
    ...tables.owners,
    noun: 'provider_owner',
    idOf: ({ registrationId }) => registrationId,
    auditedAs: ({ issuer }) => issuer,
    nameOf: ({ issuer }) => issuer,
    afterLoss: 'set the trunk groups of its provider again, which until then is open to no one',
    view,
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
      return narrowTo(view, [stored, { ...stored, trunkGroups }], changes);
    },
    stopWithGroup: ({ issuer }) => followOwner(context, issuer),
  };
}

/** An owner is made and deleted with its provider. */
function findOwnerChanges(changes: readonly AuditedChange[]): readonly AuditedChange[] {
  return changes.flatMap((change) => {
    const [noun, verb = ''] = change.action.split('.');
    const isOwn = noun === 'identity_provider' && ['register', 'delete'].includes(verb);
    const view = v.safeParse(ownerView, change.after ?? change.before);
    if (!isOwn || !view.success) return [];
    const { registration_id: subject, service_trunk_groups: owners } = view.output;
    return owners.length === 0 ? [] : [{ ...change, action: `provider_owner.${verb}`, subject }];
  });
}

/** The last change of each value at a place, unless it withdrew the value. */
function findGiven(changes: readonly AuditedChange[]): readonly AuditedChange[] {
  const keyOf = ({ action, subject, before, after }: AuditedChange) =>
    JSON.stringify([action, subject, (after ?? before)?.['value']]);
  const last = new Map(changes.map((change) => [keyOf(change), change]));
  return [...last.values()].filter(({ after }) => after !== undefined);
}

/** What is granted at a place, without what was withdrawn since. */
function restorableGrants(tables: Settings, kind: GrantKind): Restorable<GrantList> {
  const noun = `${kind}_grant`;
  const view = ({ place, grants }: GrantList) => ({
    place,
    grants: grants.map(({ value, trunkGroups }) => `${value} for ${trunkGroups.join(', ')}`),
  });
  return {
    ...tables[`${kind}Grants`],
    noun,
    idOf: ({ place }) => place,
    view,
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
      const grants = stored.grants.map(narrow).filter((one) => one.trunkGroups.length > 0);
      return narrowTo(view, [stored, { ...stored, grants }], changes, findGiven(changes));
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
  return restoring(context, options, async (replay) => {
    const later = sincePoint(replay);
    const givenLater = { ...later, changes: findGiven(later.changes) };
    return [
      ...(await restoreKind(context, restorableLimits(tables), later)),
      ...(await restoreKind(context, restorableOwners(context, tables), {
        ...later,
        changes: findOwnerChanges(later.changes),
      })),
      ...(await restoreKind(context, restorableGrants(tables, 'subject'), givenLater)),
      ...(await restoreKind(context, restorableGrants(tables, 'issuer'), givenLater)),
      ...(await restorePeople(context, tables, replay)),
    ];
  });
}
