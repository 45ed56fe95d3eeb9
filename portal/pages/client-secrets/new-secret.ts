import { type Client, type ClientSecret, InputError } from '../../../adapters/management.ts';
import { maxNameLength } from '../../../contract/bounds.ts';
import { fieldLabel, fieldLabels } from '../../../contract/management/field-words.ts';
import type { ClientKeyAlg } from '../../../contract/proof-algorithms.ts';
import { readGivenKey } from '../../../core/client/client-key.ts';
import type { Limits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { clientPath } from '../../client-path.ts';
import { TypedDuration } from '../../forms/duration.ts';
import {
  defaultExpiry,
  type ExpiryValues,
  expiryField,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import { type Form, type InputOf, ownVersion } from '../../forms/form.ts';
import {
  type Fields,
  FormError,
  type Problems,
  problemAt,
  problemsOf,
  requireChoice,
} from '../../forms/problems.ts';
import { radioGroup, selectField, textArea, textField } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { copyable } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import { HttpError } from '../../http-error.ts';
import type { HtmlPage, Redirect, RequestContext } from '../../request-context.ts';
import { command, tokenCommand } from '../clients/next-steps.ts';
import { getClient, ofClient } from '../clients/one-client.ts';
import { isKey, secretTitle, uses } from '../clients/secret-table.ts';
import { madeCredentialPage } from '../made-credential.ts';
export const secretLabels = fieldLabels('publicKey', 'alg', 'name', 'expiresAt', 'overlap');

/** A public key as typed, or why the text is refused. */
export interface KeyValues {
  readonly publicKey: string;
  /** What the key signs with. */
  readonly alg?: ClientKeyAlg;
  /** As in the form: empty for that of the key. */
  readonly chosen: string;
  readonly refusal?: InputError;
}

export interface SecretValues extends ExpiryValues {
  readonly name: string;
  /** Of a form for a public key. */
  readonly key?: KeyValues;
}

function readSecretValues(form: Parameters<typeof readExpiryValues>[0]): SecretValues {
  return { ...readExpiryValues(form), name: form.text('name') };
}

/** What a new secret, or a changed one, is given. A name can be left out. */
export function secretInput({ name, ...expiry }: SecretValues, now: number) {
  return { name: name.trim() || undefined, expiresAt: () => readExpiry(expiry, now) ?? undefined };
}

function keyInput({ key }: SecretValues) {
  return {
    alg: key?.alg,
    publicKey: () => {
      if (key?.refusal === undefined) return key?.publicKey;
      throw new FormError(problemsOf(key.refusal)?.fields ?? []);
    },
  };
}

function emptySecretValues({ maxSecretLifetime }: Limits): SecretValues {
  return { name: '', expiry: defaultExpiry(maxSecretLifetime), expiryDate: '' };
}

export function secretNameField(value: string, problems: Problems): Html {
  return textField({
    name: 'name',
    label: 'Name (optional)',
    hint: 'Where it is used, e.g. “billing server 2”. It helps to tell them apart when one must be deleted.',
    value,
    maxLength: maxNameLength,
    error: problemAt(problems, 'name'),
  });
}

interface Created {
  readonly client: Pick<Client, 'clientId' | 'name'>;
  readonly secret: ClientSecret;
  readonly value: string | undefined;
  /** The secrets that expire because of a rotation, with their new expiry. */
  readonly expired?: readonly ClientSecret[];
}

/** The response to a form that created a secret: the only place that shows the value. A key has none. */
function createdSecretPage(
  context: RequestContext,
  { client, secret, value, expired = [] }: Created,
): HtmlPage | Redirect {
  const { now, deployment, href } = context;
  const { clientId } = client;
  const address = clientPath(clientId);
  if (isKey(secret)) return { redirectTo: href(address, { done: 'key-added' }) };
  const others = expired.map(
    (one) => html`<li>${secretTitle(one)}: ${timeWithDistance(one.expiresAt ?? now, now)}</li>`,
  );
  const request = command(tokenCommand(clientId, deployment.issuer), 'the command');
  const hint = html`<span class="hint">curl asks for the password: paste the secret there.</span>`;
  return madeCredentialPage(context, {
    title: 'The secret was created',
    ...ofClient(context, client),
    value,
    kind: 'Client secret',
    label: 'the client secret',
    address,
    facts: [
      ['Client id', copyable(clientId, 'the client id')],
      ['Name', secretTitle(secret)],
      [
        'Expires',
        secret.expiresAt === undefined ? 'Never' : timeWithDistance(secret.expiresAt, now),
      ],
      expired.length > 0 && ['These expire', html`<ul>${others}</ul>`],
      ['Try it', html`${request}${hint}`],
    ],
    before: {
      title: 'A secret that was created before',
      what: secretTitle(secret),
      back: 'Back to the client',
      again: [`${address}/secrets/${secret.secretId}/delete`, 'Delete it…'],
      cure: 'delete it and create another one',
    },
  });
}

export const secretCreation: Form<Client, SecretValues, InputOf<'createClientSecret'>> = {
  operation: 'createClientSecret',
  creates: true,
  find: getClient,
  start: async ({ limitsOf }, client) =>
    emptySecretValues(await limitsOf(client.serviceTrunkGroup)),
  read: readSecretValues,
  input: (values, { now }) => ({ ...secretInput(values, now), ...keyInput(values) }),
  act: async (context, { input, idempotencyKey }) => {
    const client = await getClient(context);
    const secret = { ...input, idempotencyKey };
    const created = await context.management.createClientSecret(client.clientId, secret);
    return createdSecretPage(context, { client, ...created });
  },
  look: async (context, { subject: client, values, problems }) => {
    const { maxSecretLifetime: maxLifetime } = await context.limitsOf(client.serviceTrunkGroup);
    return {
      title: 'New secret',
      ...ofClient(context, client),
      lead: 'The other secrets of the client stay as they are.',
      labels: secretLabels,
      submit: 'Create secret',
      fields: [
        secretNameField(values.name, problems),
        expiryField({ label: 'Expires', values, problems, maxLifetime }),
      ],
    };
  },
};

/** When what a rotation replaces expires, as a form has it. */
export type OverlapValues = Readonly<ReturnType<typeof readOverlapValues>>;

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

export function readOverlapValues(form: Fields) {
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
  start: async ({ limitsOf }, client) => ({
    ...emptySecretValues(await limitsOf(client.serviceTrunkGroup)),
    ...defaultOverlap,
  }),
  read: (form) => ({ ...readSecretValues(form), ...readOverlapValues(form) }),
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
    const { maxSecretLifetime: maxLifetime } = await context.limitsOf(client.serviceTrunkGroup);
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

const noKey: KeyValues = { publicKey: '', chosen: '' };

/** Any other text may be a private key: no page and no call has it. */
function readKeyValues(form: Fields): KeyValues {
  const [publicKey, alg] = [form.text('publicKey'), form.text('alg')];
  try {
    return { publicKey, alg: readGivenKey(publicKey, alg || undefined).alg, chosen: alg };
  } catch (refusal) {
    if (!(refusal instanceof InputError)) throw refusal;
    return { publicKey: '', chosen: alg, refusal };
  }
}

function keyFields(
  { deployment }: RequestContext,
  { publicKey, chosen }: KeyValues,
  problems: Problems,
): readonly Html[] {
  const algorithms = deployment.clientKeys?.algorithms ?? [];
  return [
    textArea({
      name: 'publicKey',
      label: 'Public key',
      hint: 'PEM or a JWK. The private key stays with the client: never paste it here.',
      rows: 8,
      value: publicKey,
      error: problemAt(problems, 'publicKey'),
    }),
    selectField({
      name: 'alg',
      label: 'Algorithm',
      hint: 'What the client signs with. It cannot be changed later.',
      value: chosen,
      options: [
        ['', 'That of the key (PS256 for RSA)'],
        ...algorithms.map((one) => [one, one] as const),
      ],
      error: problemAt(problems, 'alg'),
    }),
  ];
}

/** The form for a secret, with a key in place of the value that is made here. */
function withKey<Values extends SecretValues, Input>(
  form: Form<Client, Values, Input>,
  words: { readonly title: string; readonly lead: string; readonly submit: string },
): Form<Client, Values, Input> {
  return {
    ...form,
    find: async (context) => {
      const client = await getClient(context);
      if (context.deployment.clientKeys === undefined) throw new HttpError(404);
      return { ...client, secrets: client.secrets.filter(isKey) };
    },
    read: (fields) => ({ ...form.read(fields), key: readKeyValues(fields) }),
    look: async (context, shown) => {
      const page = await form.look(context, shown);
      const fields = keyFields(context, shown.values.key ?? noKey, shown.problems);
      return 'body' in page ? page : { ...page, ...words, fields: [...fields, page.fields] };
    },
  };
}

export const publicKeyAddition = withKey(secretCreation, {
  title: 'New public key',
  lead: 'The client signs with its private key (private_key_jwt). Its secrets and other keys stay as they are.',
  submit: 'Add public key',
});

export const publicKeyRotation = withKey(secretRotation, {
  title: 'Rotate keys',
  lead: 'A new public key now, and an expiry for the old ones, in one step.',
  submit: 'Add the new public key',
});
