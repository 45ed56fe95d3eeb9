import type { Management } from '../../adapters/management.ts';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { importedClient } from '../../contract/management/inputs.ts';
import { ownValue } from '../../contract/own-value.ts';
import { isScopeToken, type ScopeDefinition, scopeName } from '../../contract/scopes.ts';
import { expiryOrTyped } from '../../core/time.ts';
import { parseJsonObject } from '../../core/verifier/json-object.ts';
import { UsageError } from '../usage-error.ts';

/** What other providers print of their clients and scopes. */

export type Imported = Parameters<Management['importClient']>[0];

/** A client of the file. */
export interface ImportEntry {
  readonly client: Imported;
  /** Why the other provider gives the client no token. It must get none here. */
  readonly stopped: string | undefined;
}

const byteOrderMarks = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

/** PowerShell writes UTF-16, and UTF-8 with a byte order mark. */
function decodeText(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  try {
    return new TextDecoder(byteOrderMarks.get(mark), { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError('allowed: text in UTF-8 or UTF-16; nothing was sent', { cause });
  }
}

/** Objects of JSON, each from the start of a line. @throws {UsageError} if one is broken. */
function readObjects(bytes: Buffer): readonly JsonObject[] {
  let line = 1;
  return decodeText(bytes)
    .split(/\n(?=[^\s}])/)
    .map((part) => {
      const found = parseJsonObject(part);
      if (found === undefined) {
        // Without the text: it has a secret.
        const allowed = 'an object of JSON, each member once';
        throw new UsageError(`line ${line}: allowed: ${allowed}; nothing was sent`);
      }
      line += part.split('\n').length;
      return found;
    });
}

const secondsOf: Readonly<Record<string, number>> = { days: 86_400, hours: 3600, minutes: 60 };

/** What `aws cognito-idp describe-user-pool-client` prints. */
function fromCognito(client: JsonObject): JsonObject {
  const { AccessTokenValidity: validity, TokenValidityUnits: units } = client;
  // Cognito prints only the units that were set.
  const { AccessToken: unit = 'hours' } = isJsonObject(units) ? units : {};
  return {
    client_id: client['ClientId'],
    secret: client['ClientSecret'],
    name: client['ClientName'],
    scopes: client['AllowedOAuthScopes'],
    token_lifetime: validity && Number(validity) * (ownValue(secondsOf, String(unit)) ?? 1),
  };
}

/** Whether a list of grants has the one of clients. */
function hasClientGrant(grants: unknown): boolean {
  return Array.isArray(grants) && grants.includes('client_credentials');
}

/**
 * Why a client gets no token at its provider, by the members that say so. Cognito shows the flows also
 * of a client whose OAuth is off.
 */
const stops = {
  AllowedOAuthFlows: (flows) => !hasClientGrant(flows),
  AllowedOAuthFlowsUserPoolClient: (value) => value !== true,
  ClientSecret: (value) => value === undefined,
  grant_types: (grants = ['client_credentials']) => !hasClientGrant(grants),
  enabled: (value = true) => value !== true,
  secret: (value) => value === undefined,
} satisfies Record<string, (value: unknown) => boolean>;

function findStop(members: JsonObject, names: readonly (keyof typeof stops)[]): string | undefined {
  const name = names.find((one) => stops[one](members[one]));
  if (name === undefined) return undefined;
  const { [name]: value } = members;
  return `no token there: ${name} is ${value === undefined ? 'absent' : JSON.stringify(value)}`;
}

const fieldOf = new Map(importedClient.fields.map((name) => [wireNameOf(name), name]));

function readClient(entry: JsonObject, trunkGroup: string | undefined): ImportEntry {
  const { UserPoolClient: client, enabled, grant_types, expires_at: end, ...others } = entry;
  const ofCognito = isJsonObject(client);
  const members = {
    service_trunk_group: trunkGroup,
    ...(ofCognito && fromCognito(client)),
    // RFC 7591 §3.2.1: 0 is never.
    ...(end !== 0 && { expires_at: typeof end === 'string' ? expiryOrTyped(end) : end }),
    ...others,
  };
  const stopped =
    (ofCognito &&
      findStop(client, ['AllowedOAuthFlows', 'AllowedOAuthFlowsUserPoolClient', 'ClientSecret'])) ||
    findStop({ enabled, grant_types, ...members }, ['enabled', 'grant_types', 'secret']);
  const fields = Object.entries(members).map(([name, value]) => [fieldOf.get(name) ?? name, value]);
  return { client: Object.fromEntries(fields) as Imported, stopped };
}

/** @param trunkGroup of clients that name none. @throws {UsageError} if a line is broken. */
export function readClients(bytes: Buffer, trunkGroup: string | undefined): readonly ImportEntry[] {
  return readObjects(bytes).map((entry) => readClient(entry, trunkGroup));
}

/** The most of both halves of a scope, which are labels of one with a `value`. */
const maxPartLength = 32;

/** A half of a scope from a name: its end, as the beginnings of addresses are alike. */
function toScopePart(name: string): string {
  const allowed = name
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replaceAll(/[^a-z0-9_.-]+/g, '-');
  return allowed.slice(-maxPartLength).replace(/^[^a-z]+/, '') || 'api';
}

function readScopes({ ResourceServer: server }: JsonObject): readonly ScopeDefinition[] {
  const { Identifier: identifier, Scopes: scopes = [] } = isJsonObject(server) ? server : {};
  if (typeof identifier !== 'string' || !Array.isArray(scopes)) {
    throw new UsageError('allowed: what `aws cognito-idp describe-resource-server` prints');
  }
  return scopes
    .filter(isJsonObject)
    .map(({ ScopeName: name, ScopeDescription: description }) => ({
      service: toScopePart(identifier),
      permission: toScopePart(String(name)),
      description: String(description || name).slice(0, 200),
      value: `${identifier}/${String(name)}`,
    }));
}

/**
 * The config's `scopes` for what `aws cognito-idp describe-resource-server` prints, and what is wrong
 * with them.
 *
 * @param catalogue the present one, which the others are added to.
 * @throws {UsageError} if the file has something else.
 */
export function readCatalogue(bytes: Buffer, catalogue: readonly ScopeDefinition[]) {
  const found = readObjects(bytes).flatMap(readScopes);
  const present = new Set(catalogue.map(scopeName));
  const byName = Map.groupBy(found, scopeName);
  const problems = [...byName].flatMap(([name, same]) => [
    ...(same.length > 1
      ? [`${name}: ${same.length} resource servers have it; here it is one`]
      : []),
    ...(present.has(name) ? [`${name}: the config has it`] : []),
    ...(isScopeToken(name) ? [] : [`${name}: it cannot be a scope here (RFC 6749 §3.3)`]),
  ]);
  const scopes = [...byName]
    .filter(([name]) => !present.has(name) && isScopeToken(name))
    .flatMap(([, [scope]]) => scope ?? []);
  return { scopes, problems };
}
