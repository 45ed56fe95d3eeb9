/** `refuse`: no access while the client cannot be looked up. `accept`: decides without it. */
export const lookupFailureChoices = ['refuse', 'accept'] as const;

export type OnLookupFailure = (typeof lookupFailureChoices)[number];

export function isLookupFailureChoice(value: unknown): value is OnLookupFailure {
  return lookupFailureChoices.some((choice) => choice === value);
}
