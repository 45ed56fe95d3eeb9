import type { Client } from '../../adapters/management.ts';
import { groupClaims } from '../../core/client/claim-condition.ts';
import { formatDuration } from '../../core/duration.ts';
import { TypedDuration } from './duration.ts';
import type { Fields } from './fields.ts';
import { FormError } from './problems.ts';

/** The content of a client's form, as entered. */
export interface ClientValues {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /** Undefined if the form has no field for it, because the provider of the client sets it. */
  readonly tokenLifetime: string | undefined;
  readonly scopes: readonly string[];
  /** One per line. */
  readonly audiences: string;
  /** Issuer of a registered provider; empty: this service. */
  readonly provider: string;
  readonly externalClientId: string;
  /** `NAME=VALUE` on each line. */
  readonly requiredClaims: string;
  /** Whether the rule is left out that refuses tokens of people. */
  readonly allowsUserTokens: boolean;
  /** Whether the staff means an id that is granted to another trunk group. */
  readonly allowsOtherGrant: boolean;
}

/** @param tokenLifetime seconds. */
export function newClientValues(tokenLifetime: number, trunkGroup: string): ClientValues {
  return {
    name: '',
    serviceTrunkGroup: trunkGroup,
    tokenLifetime: formatDuration(tokenLifetime),
    scopes: [],
    audiences: '',
    provider: '',
    externalClientId: '',
    requiredClaims: '',
    allowsUserTokens: false,
    allowsOtherGrant: false,
  };
}

export function valuesOfClient(client: Client): ClientValues {
  return {
    name: client.name,
    serviceTrunkGroup: client.serviceTrunkGroup,
    tokenLifetime: formatDuration(client.tokenLifetime),
    scopes: client.scopes,
    audiences: client.audiences.join('\n'),
    provider: client.provider?.issuer ?? '',
    externalClientId: client.provider?.externalClientId ?? '',
    requiredClaims: '',
    allowsUserTokens: false,
    allowsOtherGrant: false,
  };
}

export function readClientValues(form: Fields): ClientValues {
  return {
    name: form.text('name'),
    serviceTrunkGroup: form.text('serviceTrunkGroup'),
    tokenLifetime: form.all('tokenLifetime').length === 0 ? undefined : form.text('tokenLifetime'),
    scopes: form.all('scopes'),
    audiences: form.text('audiences'),
    provider: form.text('provider'),
    externalClientId: form.text('externalClientId'),
    requiredClaims: form.text('requiredClaims'),
    allowsUserTokens: form.isOn('allowUserTokens'),
    allowsOtherGrant: form.isOn('allowOtherGrant'),
  };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** As the library takes them; undefined if the field is empty. */
export function readRequiredClaims({ requiredClaims }: ClientValues) {
  const lines = linesOf(requiredClaims);
  if (lines.length === 0) return undefined;
  const conditions = groupClaims(lines);
  if (conditions !== undefined) return conditions;
  const message = 'Received a line that is not NAME=VALUE, such as repository_id=1296269.';
  throw new FormError([{ field: 'requiredClaims', message }]);
}

/** The fields that can change later, as the library takes them. Its provider sets the lifetime. */
export function clientChanges(values: ClientValues) {
  const { name, scopes, tokenLifetime, provider } = values;
  return {
    name,
    scopes,
    tokenLifetime: () =>
      tokenLifetime === undefined || provider !== '' ? undefined : new TypedDuration(tokenLifetime),
    audiences: linesOf(values.audiences),
  };
}
