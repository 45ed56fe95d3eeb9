/**
 * What a check of revocation decides about a token of this service whose client cannot be looked
 * up: `refuse` gives no access while the look-up fails, `accept` decides without it.
 */
export const lookupFailureChoices = ['refuse', 'accept'] as const;

export type OnLookupFailure = (typeof lookupFailureChoices)[number];

export function isLookupFailureChoice(value: unknown): value is OnLookupFailure {
  return lookupFailureChoices.some((choice) => choice === value);
}
