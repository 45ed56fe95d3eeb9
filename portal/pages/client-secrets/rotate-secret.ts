import type { Client } from '../../../adapters/management.ts';
import { requireChoice } from '../../forms/choice.ts';
import { readDuration } from '../../forms/client-form.ts';
import { readExpiry } from '../../forms/expiry.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { hiddenField, radioGroup } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { formatDayDistance } from '../../html/time.ts';
import type { Handler, Page, Visit } from '../../visit.ts';
import { secretTitle } from '../clients/secret-table.ts';
import { createdSecretPage } from './created-secret.ts';
import {
  emptySecretValues,
  readSecretValues,
  type SecretValues,
  secretLabels,
  secretNameField,
  secretPage,
} from './new-secret.ts';

interface RotationValues extends SecretValues {
  readonly overlap: string;
  readonly overlapOther: string;
}

const otherOverlap = 'After another time';

const overlaps = [
  ['0s', 'Now: callers that still use an old one fail at once'],
  ['1d', 'In 1 day'],
  ['7d', 'In 7 days'],
  ['30d', 'In 30 days'],
] as const;

function overlapField(values: RotationValues, problems: Problems): Html {
  const other = html`<input type="text" class="short" name="overlapOther" value="${values.overlapOther}" aria-label="Time until the old secrets end" placeholder="12h" autocomplete="off">`;
  const error = problemAt(problems, 'overlap');
  const isTyped = error !== undefined && values.overlapOther !== '';
  return radioGroup({
    name: 'overlap',
    label: 'The old secrets end',
    hint: 'Until then, old and new secrets both work. A secret that ends sooner keeps its end.',
    value: isTyped ? 'other' : values.overlap,
    error,
    options: [
      ...overlaps.map(([value, text]) => ({ value, text })),
      { value: 'other', text: otherOverlap, more: other },
    ],
  });
}

function ending({ now }: Visit, client: Client): Html {
  const live = client.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return html`<div class="note"><p>${live.length === 1 ? 'This secret ends' : 'These secrets end'}:</p><ul>${live.map(
    (secret) =>
      html`<li>${secretTitle(secret)} <span class="muted">${
        secret.lastUsedOn === undefined
          ? 'never used'
          : `last used ${formatDayDistance(secret.lastUsedOn, now)}`
      }</span></li>`,
  )}</ul></div>`;
}

function showForm(visit: Visit, client: Client, values: RotationValues, problems: Problems): Page {
  const address = `/clients/${client.clientId}`;
  const form = postForm(
    {
      action: visit.href(`${address}/secrets/rotate`),
      problems,
      labels: secretLabels,
      submit: 'Create the new secret',
      cancel: visit.href(address),
    },
    [
      hiddenField('requestId', values.requestId),
      hiddenField('ifVersion', client.version),
      ending(visit, client),
      overlapField(values, problems),
      secretNameField(values.name, problems),
      expiryField('The new secret ends', values, problems),
    ],
  );
  return secretPage(visit, client, {
    title: 'Rotate secrets',
    lead: 'A new secret now, and an end for the old ones, in one step.',
    problems,
    body: form,
  });
}

/** @throws {FormError} for text that is not a time, or that belongs to another choice. */
function readOverlap({ overlap, overlapOther }: RotationValues): number {
  const isChosen = overlap === 'other';
  requireChoice({ field: 'overlap', label: otherOverlap, isChosen, text: overlapOther });
  return readDuration('overlap', isChosen ? overlapOther : overlap);
}

export const newRotation: Handler = async (visit) => {
  visit.require('rotateClientSecret');
  const client = await visit.management.findClient(visit.id('clientId'));
  const values = { ...emptySecretValues(visit.newRequestId()), overlap: '7d', overlapOther: '' };
  return showForm(visit, client, values, noProblems);
};

export const rotateSecret: Handler = async (visit) => {
  const { management, form, now } = visit;
  const client = await management.findClient(visit.id('clientId'));
  const values: RotationValues = {
    ...readSecretValues(form),
    overlap: form.text('overlap'),
    overlapOther: form.text('overlapOther'),
  };
  return submit(
    async () => {
      const rotated = await management.rotateClientSecret(client.clientId, {
        name: values.name.trim() || undefined,
        expiresAt: readExpiry(values, now) ?? undefined,
        overlap: readOverlap(values),
        idempotencyKey: values.requestId || undefined,
        ifVersion: readVersion(form),
      });
      return createdSecretPage(visit, { client, ...rotated });
    },
    (problems) => showForm(visit, client, values, problems),
  );
};
