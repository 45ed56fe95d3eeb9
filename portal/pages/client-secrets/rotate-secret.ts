import type { Client } from '../../../adapters/management.ts';
import { requireChoice } from '../../forms/choice.ts';
import { readDuration } from '../../forms/duration.ts';
import { readExpiry } from '../../forms/expiry.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { findIfSentTwice } from '../../forms/sent-twice.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { hiddenField, radioGroup } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { formatDayDistance } from '../../html/time.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { secretTitle } from '../clients/secret-table.ts';
import { createdSecretPage } from './created-secret.ts';
import {
  emptySecretValues,
  readSecretValues,
  type SecretValues,
  secretChecks,
  secretLabels,
  secretNameField,
  secretPage,
} from './new-secret.ts';

interface RotationValues extends SecretValues {
  readonly overlap: string;
  /** The version of the client that the form was made from. */
  readonly version: number;
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
  const other = html`<input type="text" class="short" name="overlapOther" value="${values.overlapOther}" aria-label="Time until the old secrets expire" placeholder="12h" autocomplete="off">`;
  const error = problemAt(problems, 'overlap');
  const isTyped = error !== undefined && values.overlapOther !== '';
  return radioGroup({
    name: 'overlap',
    label: 'The old secrets expire',
    hint: 'Until then, old and new secrets both work. A secret that expires sooner keeps its expiry.',
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
  return html`<div class="note"><p>${live.length === 1 ? 'This secret expires' : 'These secrets expire'}:</p><ul>${live.map(
    (secret) =>
      html`<li>${secretTitle(secret)} <span class="muted">${
        secret.lastUsedOn === undefined
          ? 'never used'
          : `last used ${formatDayDistance(secret.lastUsedOn, now)}`
      }</span></li>`,
  )}</ul></div>`;
}

async function showForm(
  context: RequestContext,
  client: Client,
  values: RotationValues,
  problems: Problems,
): Promise<Page> {
  const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
  const address = `/clients/${client.clientId}`;
  const form = postForm(
    {
      action: context.href(`${address}/secrets/rotate`),
      problems,
      labels: secretLabels,
      submit: 'Create the new secret',
      cancel: context.href(address),
    },
    [
      hiddenField('requestId', values.requestId),
      hiddenField('ifVersion', problems.status === 409 ? client.version : values.version),
      expiring(context, client),
      overlapField(values, problems),
      secretNameField(values.name, problems),
      expiryField({ label: 'The new secret expires', values, problems, maxLifetime }),
    ],
  );
  return secretPage(context, client, {
    title: 'Rotate secrets',
    lead: 'A new secret now, and an expiry for the old ones, in one step.',
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

export const newRotation: Handler = async (context) => {
  context.require('rotateClientSecret');
  const client = await context.management.findClient(context.id('clientId'));
  const values = {
    ...emptySecretValues(context.newRequestId(), await context.granted(client.serviceTrunkGroup)),
    overlap: '7d',
    overlapOther: '',
    version: client.version,
  };
  return showForm(context, client, values, noProblems);
};

export const rotateSecret: Handler = async (context) => {
  const { management, form, now } = context;
  const client = await management.findClient(context.id('clientId'));
  const values: RotationValues = {
    ...readSecretValues(form),
    overlap: form.text('overlap'),
    version: readVersion(form),
    overlapOther: form.text('overlapOther'),
  };
  return submit(
    async () => {
      requireFields(form, {}, [() => readOverlap(values), ...secretChecks(values, now)]);
      const rotated = await findIfSentTwice(values.requestId, () =>
        management.rotateClientSecret(client.clientId, {
          name: values.name.trim() || undefined,
          expiresAt: readExpiry(values, now) ?? undefined,
          overlap: readOverlap(values),
          idempotencyKey: values.requestId || undefined,
          ifVersion: values.version,
        }),
      );
      return createdSecretPage(context, { client, ...rotated });
    },
    // It is read again: what is shown after a conflict is what the next request is based on.
    async (problems) =>
      showForm(context, await management.findClient(client.clientId), values, problems),
  );
};
