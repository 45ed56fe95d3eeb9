import type { Client } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { requireChoice } from '../../forms/choice.ts';
import { TypedDuration } from '../../forms/duration.ts';
import type { Fields } from '../../forms/fields.ts';
import { type Form, type InputOf, ownVersion } from '../../forms/form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { radioGroup } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import type { RequestContext } from '../../request-context.ts';
import { isKey, uses } from '../clients/secret-table.ts';
import { getClient, ofClient } from '../clients/stop-client.ts';
import {
  createdSecretPage,
  emptySecretValues,
  keyInput,
  readSecretValues,
  type SecretValues,
  secretInput,
  secretLabels,
  secretNameField,
} from './new-secret.ts';

/** When what a rotation replaces expires, as a form has it. */
export interface OverlapValues {
  readonly overlap: string;
  readonly overlapOther: string;
}

export const defaultOverlap: OverlapValues = { overlap: '7d', overlapOther: '' };

export interface RotationValues extends SecretValues, OverlapValues {}

const otherOverlap = 'After another time';

const overlaps = [
  ['0s', 'Now: callers that still use an old one fail at once'],
  ['1d', 'In 1 day'],
  ['7d', 'In 7 days'],
  ['30d', 'In 30 days'],
] as const;

interface OverlapWords {
  readonly label: string;
  readonly hint: string;
}

const ofSecrets: OverlapWords = {
  label: fieldLabel('overlap'),
  hint: 'Until then, old and new ones both work. One that expires sooner keeps its expiry.',
};

export function overlapField(
  values: OverlapValues,
  problems: Problems,
  { label, hint }: OverlapWords,
): Html {
  const other = html`
    <input type="text" class="short" name="overlapOther" value="${values.overlapOther}" aria-label="${label}: after another time" placeholder="12h" autocomplete="off">
  `;
  const error = problemAt(problems, 'overlap');
  const isTyped = error !== undefined && values.overlapOther !== '';
  return radioGroup({
    name: 'overlap',
    label,
    hint,
    value: isTyped ? 'other' : values.overlap,
    error,
    options: [
      ...overlaps.map(([value, text]) => ({ value, text })),
      { value: 'other', text: otherOverlap, more: other },
    ],
  });
}

function expiring({ now }: RequestContext, client: Client): Html {
  const live = client.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return html`
    <div class="note">
      <p>${live.length === 1 ? 'This one expires' : 'These expire'}:</p>
      ${uses(live, now)}
    </div>
  `;
}

export function readOverlapValues(form: Fields): OverlapValues {
  return { overlap: form.text('overlap'), overlapOther: form.text('overlapOther') };
}

/** @throws {FormError} for text that belongs to another choice. */
export function readOverlap({ overlap, overlapOther }: OverlapValues): TypedDuration {
  const isChosen = overlap === 'other';
  requireChoice({ field: 'overlap', label: otherOverlap, isChosen, text: overlapOther });
  return new TypedDuration(isChosen ? overlapOther : overlap);
}

/** A rotation replaces what is of the same kind. */
function onlySecrets(client: Client): Client {
  return { ...client, secrets: client.secrets.filter((one) => !isKey(one)) };
}

export const secretRotation: Form<Client, RotationValues, InputOf<'rotateClientSecret'>> = {
  operation: 'rotateClientSecret',
  creates: true,
  find: async (context) => onlySecrets(await getClient(context)),
  version: ownVersion,
  start: async ({ granted }, client) => ({
    ...emptySecretValues(await granted(client.serviceTrunkGroup)),
    ...defaultOverlap,
  }),
  read: (form) => ({
    ...readSecretValues(form),
    ...readOverlapValues(form),
  }),
  input: (values, { now }) => ({
    ...secretInput(values, now),
    ...keyInput(values),
    overlap: () => readOverlap(values),
  }),
  act: async (context, { input, ifVersion, idempotencyKey }) => {
    const client = await getClient(context);
    const rotation = { ...input, idempotencyKey, ifVersion };
    const rotated = await context.management.rotateClientSecret(client.clientId, rotation);
    return createdSecretPage(context, { client, ...rotated });
  },
  look: async (context, { subject: client, values, problems }) => {
    const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
    const label = 'The new one expires';
    return {
      title: 'Rotate secrets',
      ...ofClient(context, client),
      lead: 'A new secret now, and an expiry for the old ones, in one step.',
      labels: secretLabels,
      submit: 'Create the new secret',
      fields: [
        expiring(context, client),
        overlapField(values, problems, ofSecrets),
        secretNameField(values.name, problems),
        expiryField({ label, values, problems, maxLifetime }),
      ],
    };
  },
};
