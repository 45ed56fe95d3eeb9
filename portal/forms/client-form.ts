import type { Client } from '../../adapters/management.ts';
import { clientWords } from '../../contract/management/field-words.ts';
import { type ClientField, plainClientFields } from '../../contract/management/inputs.ts';
import type { RequestContext } from '../request-context.ts';
import { TypedDuration } from './duration.ts';
import { type FieldValues, inputOf, requiredOf, valuesOf } from './worded-fields.ts';

/** The content of a client's form, as entered. */
export type ClientValues = FieldValues<ClientField>;

export function valuesOfClient({ provider, ...client }: Partial<Client>): ClientValues {
  return valuesOf(clientWords, {
    ...client,
    provider: provider?.issuer,
    externalClientId: provider?.externalClientId,
  });
}

/** The fields that can change later, and those of a new client. */
export const changedFields = ['name', 'scopes', 'audiences', ...plainClientFields] as const;
export type ChangedField = (typeof changedFields)[number];
export const requiredChanges = requiredOf(clientWords, changedFields);
export const requiredFields = requiredOf(clientWords);

/** As the library takes them. A provider sets the lifetime of its own tokens. */
export function clientInput(
  values: ClientValues,
  { deployment: { acceptsAssertions } }: Pick<RequestContext, 'deployment'>,
  names?: readonly ClientField[],
) {
  const { tokenLifetime, provider } = values;
  const isOurs = tokenLifetime.isOn && (provider.text === '' || acceptsAssertions === true);
  return {
    ...inputOf(clientWords, values, names),
    tokenLifetime: () => (isOurs ? new TypedDuration(tokenLifetime.text) : undefined),
  };
}
