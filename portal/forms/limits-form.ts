import { formatDuration, numberOrTyped } from '../../core/duration.ts';
import type { GrantLimits } from '../../core/trunk-group/trunk-group-limits.ts';
import { requireChoice } from './choice.ts';
import { TypedDuration } from './duration.ts';
import type { Fields } from './fields.ts';
import type { Readers } from './form.ts';

/** The choice between no limit and a list. */
type ListChoice = 'all' | 'some';

/** The content of the form of a trunk group's limits, as entered. An empty text is no limit. */
export interface LimitsValues {
  readonly scopesChoice: ListChoice;
  readonly scopes: readonly string[];
  readonly maxClients: string;
  readonly maxApiKeys: string;
  readonly requireSubnet: boolean;
  /** Durations. */
  readonly maxTokenLifetime: string;
  readonly maxSecretLifetime: string;
  readonly providersChoice: ListChoice;
  readonly providers: readonly string[];
  readonly ownProviders: string;
}

/** The choice that a list belongs to. */
export const onlyThese = 'Only these';

const choiceOf = (list: readonly string[] | undefined): ListChoice =>
  list === undefined ? 'all' : 'some';

const textOf = (value: number | undefined) => (value === undefined ? '' : String(value));
const durationOf = (value: number | undefined) =>
  value === undefined ? '' : formatDuration(value);

export function valuesOfLimits(limits: GrantLimits): LimitsValues {
  return {
    scopesChoice: choiceOf(limits.scopes),
    scopes: limits.scopes ?? [],
    maxClients: textOf(limits.maxClients),
    maxApiKeys: textOf(limits.maxApiKeys),
    requireSubnet: limits.requireSubnet === true,
    maxTokenLifetime: durationOf(limits.maxTokenLifetime),
    maxSecretLifetime: durationOf(limits.maxSecretLifetime),
    providersChoice: choiceOf(limits.providers),
    providers: limits.providers ?? [],
    ownProviders: textOf(limits.ownProviders),
  };
}

const readChoice = (text: string): ListChoice => (text === 'some' ? 'some' : 'all');

export function readLimitsValues(form: Fields): LimitsValues {
  return {
    scopesChoice: readChoice(form.text('scopesChoice')),
    scopes: form.all('scopes'),
    maxClients: form.text('maxClients'),
    maxApiKeys: form.text('maxApiKeys'),
    requireSubnet: form.isOn('requireSubnet'),
    maxTokenLifetime: form.text('maxTokenLifetime'),
    maxSecretLifetime: form.text('maxSecretLifetime'),
    providersChoice: readChoice(form.text('providersChoice')),
    providers: form.all('providers'),
    ownProviders: form.text('ownProviders'),
  };
}

function readCount(text: string): number | undefined {
  return text.trim() === '' ? undefined : numberOrTyped(text.trim());
}

function readLifetime(text: string): TypedDuration | undefined {
  return text.trim() === '' ? undefined : new TypedDuration(text);
}

function readChosen(
  field: 'scopes' | 'providers',
  choice: ListChoice,
  list: readonly string[],
): readonly string[] | undefined {
  const isChosen = choice === 'some';
  requireChoice({ field, label: onlyThese, isChosen, text: list.join(', ') });
  return isChosen ? list : undefined;
}

/** Each limit of the form. A limit that has no entry here does not compile. */
const readers: {
  readonly [Name in keyof Required<GrantLimits>]: (
    values: LimitsValues,
  ) => GrantLimits[Name] | TypedDuration;
} = {
  scopes: ({ scopesChoice, scopes }) => readChosen('scopes', scopesChoice, scopes),
  maxClients: ({ maxClients }) => readCount(maxClients),
  maxApiKeys: ({ maxApiKeys }) => readCount(maxApiKeys),
  requireSubnet: ({ requireSubnet }) => requireSubnet || undefined,
  maxTokenLifetime: ({ maxTokenLifetime }) => readLifetime(maxTokenLifetime),
  maxSecretLifetime: ({ maxSecretLifetime }) => readLifetime(maxSecretLifetime),
  providers: ({ providersChoice, providers }) =>
    readChosen('providers', providersChoice, providers),
  ownProviders: ({ ownProviders }) => readCount(ownProviders),
};

/** The limits as the library takes them, which replace the stored ones as a whole. */
export function limitsInput(values: LimitsValues): Readers<GrantLimits> {
  return Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [name, () => read(values)]),
  );
}
