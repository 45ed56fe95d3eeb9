import { secondsOrTyped } from '../../core/duration.ts';
import type { Fields } from './fields.ts';

/** The content of a provider's form, as entered. */
export interface ProviderValues {
  readonly url: string;
  readonly clientIdClaim: string;
  readonly isRiskAccepted: boolean;
  readonly audienceFrom: string;
  readonly allowsPatterns: boolean;
  readonly algorithms: string;
  readonly leeway: string;
  readonly trunkGroups: readonly string[];
}

export const providerLabels = {
  discoveryUrl: 'Discovery URL',
  clientIdClaim: 'Claim that names the client (optional)',
  audienceFrom: 'Audience',
  algorithms: 'Algorithms (optional)',
  leeway: 'Clock difference, e.g. 30s (optional)',
  trunkGroups: 'Trunk groups',
  keepClientsOf: 'Trunk groups whose clients stay in a takeover',
};

export function readProviderValues(fields: Fields): ProviderValues {
  return {
    url: fields.text('discoveryUrl').trim(),
    clientIdClaim: fields.text('clientIdClaim').trim(),
    isRiskAccepted: fields.isOn('allowUserWritableClaim'),
    audienceFrom: fields.text('audienceFrom'),
    allowsPatterns: fields.isOn('allowClientPatterns'),
    algorithms: fields.text('algorithms').trim(),
    leeway: fields.text('leeway').trim(),
    trunkGroups: fields.all('trunkGroups'),
  };
}

/** As input of the library, which refuses invalid values. */
export function choicesOf(values: ProviderValues) {
  return {
    clientIdClaim: values.clientIdClaim || undefined,
    allowUserWritableClaim: values.isRiskAccepted,
    audienceFrom: (values.audienceFrom || undefined) as 'aud' | 'scope' | undefined,
    allowClientPatterns: values.allowsPatterns,
    algorithms: values.algorithms === '' ? undefined : values.algorithms.split(/[\s,]+/),
    leeway: secondsOrTyped(values.leeway || undefined),
  };
}
