import type { Client, ClientSecret } from '../client/client.ts';
import { type LaterOf, narrow } from '../narrowing/narrow.ts';
import { secretTable } from '../narrowing/tables.ts';
import { isEnabled } from '../stops.ts';
import { formatTime } from '../time.ts';
import { readView, type SecretView, secretChangeView } from './audit-views.ts';
import {
  type AuditedChange,
  describeChange,
  describeReplay,
  type LaterState,
  laterHistory,
  readClientId,
} from './replay.ts';

/** A change of a client's secrets, after the stored version. */
interface SecretChange {
  readonly change: AuditedChange;
  /** The client's version after the change. */
  readonly version: number;
  /** The secret that was changed. */
  readonly subject: SecretView;
  readonly isDeletion: boolean;
  /** Secrets whose state the record contains: the changed one, and those whose expiry a rotation set. */
  readonly states: readonly SecretView[];
}

function readSecretChange(change: AuditedChange): SecretChange {
  const view = readView(secretChangeView, change);
  const isDeletion = change.after === undefined;
  return {
    change,
    version: isDeletion ? view.client_version + 1 : view.client_version,
    subject: view,
    isDeletion,
    states: isDeletion ? [] : [view, ...view.expires_others],
  };
}

function isAbout(secret: ClientSecret, view: SecretView): boolean {
  return view.secret_id === secret.secretId && view.created_at === secret.createdAt;
}

interface ReplayedSecret {
  readonly secret: ClientSecret | undefined;
  readonly narrowed: readonly string[];
  readonly lookAt: readonly string[];
}

function laterSecret(view: SecretView): LaterOf<ClientSecret, typeof secretTable> {
  return { name: view.name, expiresAt: view.expires_at, stops: view.stops };
}

function replaySecret(
  secret: ClientSecret,
  changes: readonly SecretChange[],
  version: number,
): ReplayedSecret {
  const { secretId } = secret;
  const deletion = changes.find((one) => one.isDeletion && isAbout(secret, one.subject));
  if (deletion !== undefined) {
    const narrowed = `${secretId}: ${describeChange('deleted', deletion.change)}`;
    return { secret: undefined, narrowed: [narrowed], lookAt: [] };
  }
  const states = changes.flatMap((one): LaterState<SecretView & { version: number }>[] =>
    one.states
      .filter((view) => isAbout(secret, view))
      .map((view) => ({ change: one.change, view: { ...view, version: one.version } })),
  );
  const { last, bounds } = laterHistory(states, version);
  const { item } = narrow<ClientSecret>(secretTable, secret, {
    ever: states.map(({ view }) => laterSecret(view)),
    last: bounds.map(laterSecret),
    labels: last && laterSecret(last),
  });
  const show = (one: Pick<ClientSecret, 'expiresAt' | 'stops'>) => ({
    [`${secretId} expires_at`]: one.expiresAt && formatTime(one.expiresAt),
    [`${secretId} disabled`]: isEnabled(one) ? undefined : true,
  });
  const lastView = last && show({ expiresAt: last.expires_at, stops: last.stops });
  return { secret: item, ...describeReplay(show(secret), show(item), lastView) };
}

/** Secrets that were created since: their values were handed out, and their hashes are lost. */
function describeLost(client: Client, changes: readonly SecretChange[]): readonly string[] {
  const isGone = (id: string): boolean =>
    client.secrets.some((secret) => secret.secretId === id) ||
    changes.some((one) => one.isDeletion && one.subject.secret_id === id);
  const made = changes
    .filter((one) => !one.isDeletion && one.change.before === undefined)
    // Versions do not order the lives of an id: a client that was deleted may have had this secret.
    .filter(({ subject }) => subject.created_at >= client.createdAt)
    .map((one) => one.subject.secret_id);
  return [...new Set(made)]
    .filter((id) => !isGone(id))
    .map((id) => `${id} was made after the restore point and is lost: make another one`);
}

/**
 * Reduces a client's secrets: without those that were deleted since, and with no expiry later than in
 * the last state.
 *
 * @param began seconds since the epoch: the last life of its id, if that is a later one.
 * @throws {DroppedItem} if a record about a secret of this client cannot be interpreted.
 */
export function replaySecrets(client: Client, all: readonly AuditedChange[], began: number) {
  const ofId = all
    .filter(({ action }) => action.startsWith('client_secret.'))
    .filter((change) => {
      const id = readClientId(change);
      // The record does not name the client, so it may have been this one.
      return id === undefined || id === client.clientId;
    })
    .map(readSecretChange);
  const changes = ofId.filter(({ version }) => version > client.version);
  const replayed = client.secrets.map((one) => replaySecret(one, changes, client.version));
  return {
    secrets: replayed.map(({ secret }) => secret).filter((one) => one !== undefined),
    narrowed: replayed.flatMap(({ narrowed }) => narrowed),
    lookAt: [...replayed.flatMap(({ lookAt }) => lookAt), ...describeLost(client, changes)],
    /** The highest that a change of its secrets made, or may have made. */
    version: Math.max(client.version, ...changes.map(({ version }) => version)),
    /** An import or a stack may give each life the same secret or key, with another id. */
    endedInLastLife: ofId
      .filter(({ subject }) => subject.created_at >= began)
      .some(({ isDeletion, states }) => isDeletion || states.some((v) => v.stops ?? v.expires_at)),
  };
}
