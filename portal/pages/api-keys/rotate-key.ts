import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { type ExpiryValues, readExpiry, readExpiryValues } from '../../forms/expiry.ts';
import { type Form, type InputOf, ownVersion } from '../../forms/form.ts';
import { expiryField } from '../../html/expiry-field.ts';
import {
  defaultOverlap,
  type OverlapValues,
  overlapField,
  readOverlap,
  readOverlapValues,
} from '../client-secrets/rotate-secret.ts';
import { getKey, ofKey } from './change-key.ts';
import { createdKeyPage } from './new-key.ts';

interface RotationValues extends OverlapValues, ExpiryValues {}

const overlapLabel = 'The old value expires';

export const keyRotation: Form<ApiKey, RotationValues, InputOf<'rotateApiKey'>> = {
  operation: 'rotateApiKey',
  creates: true,
  find: getKey,
  version: ownVersion,
  start: () => ({ ...defaultOverlap, expiry: 'keep', expiryDate: '' }),
  read: (form) => ({ ...readOverlapValues(form), ...readExpiryValues(form, 'keep') }),
  input: (values, { now }) => ({
    overlap: () => readOverlap(values),
    expiresAt: () => readExpiry(values, now) ?? undefined,
  }),
  // What is left makes it happen once, and only to the version that the form showed.
  act: async (context, { input, values: _values, showAgain: _showAgain, ...guards }) => {
    const keyId = context.id('keyId');
    const rotated = await context.management.rotateApiKey(keyId, { ...input, ...guards });
    return createdKeyPage(context, rotated, true);
  },
  look: async (context, { subject: key, values, problems }) => ({
    title: `Rotate ${key.name}`,
    ...ofKey(context, key),
    lead: 'A new value now, and an expiry for the old one, in one step. The id, the name, the scopes and the subnets stay.',
    labels: { overlap: overlapLabel, expiresAt: fieldLabel('expiresAt') },
    submit: 'Create the new value',
    fields: [
      overlapField(values, problems, {
        label: overlapLabel,
        hint: 'Until then, the old and the new value both work, at every verifier.',
      }),
      expiryField({
        label: 'The key expires',
        values,
        problems,
        present: key,
        maxLifetime: (await context.granted(key.serviceTrunkGroup)).maxApiKeyLifetime,
      }),
    ],
  }),
};
