import { type Client, InputError } from '../../../adapters/management.ts';
import { readGivenKey } from '../../../core/client/client-key.ts';
import type { Form } from '../../forms/form.ts';
import { type Fields, type Problems, problemAt } from '../../forms/problems.ts';
import { selectField, textArea } from '../../html/field.ts';
import type { Html } from '../../html/html.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { getClient } from '../clients/one-client.ts';
import { isKey } from '../clients/secret-table.ts';
import { type KeyValues, type SecretValues, secretCreation, secretRotation } from './new-secret.ts';

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
