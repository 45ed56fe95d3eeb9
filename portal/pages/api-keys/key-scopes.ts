import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import type { Limits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { offeredScopes } from '../../access/offer.ts';
import { requireChoice } from '../../forms/choice.ts';
import { type Fields, type Problems, problemAt } from '../../forms/problems.ts';
import { radioGroup } from '../../html/field.ts';
import type { Html } from '../../html/html.ts';
import { scopeTable } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';

const every = { value: 'every', text: 'Everything that the platform’s APIs offer the trunk group' };
const chosenLabel = 'Only these scopes';

/** What a key may do, as a form has it. */
export type KeyScopes = Readonly<ReturnType<typeof readKeyScopes>>;

export function readKeyScopes(form: Fields) {
  const scopes = form.all('scopes');
  return { access: form.text('access') || (scopes.length > 0 ? 'chosen' : ''), scopes };
}

export function startKeyScopes(
  scopes: readonly string[] | undefined,
  { requireApiKeyScopes }: Limits = {},
): KeyScopes {
  const isChosen = scopes !== undefined || requireApiKeyScopes === true;
  return { access: isChosen ? 'chosen' : 'every', scopes: scopes ?? [] };
}

/**
 * @returns null: every scope; undefined: as it is, of a form without the field.
 * @throws {FormError} if scopes are ticked and not chosen.
 */
export function toKeyScopes({ access, scopes }: KeyScopes): readonly string[] | null | undefined {
  requireChoice({
    field: 'scopes',
    label: chosenLabel,
    isChosen: access === 'chosen',
    text: scopes.join(' '),
    what: 'the scopes',
  });
  if (access === 'chosen') return scopes;
  return access === 'every' ? null : undefined;
}

/** A field for the scopes of a key. */
export function keyScopesField(
  { deployment }: RequestContext,
  { access, scopes }: KeyScopes,
  problems: Problems,
  {
    limits,
    present,
  }: { readonly limits: Limits; readonly present?: Pick<ApiKey, 'scopes'> | undefined },
): Html {
  const isRequired = limits.requireApiKeyScopes === true;
  const mayHaveEvery = !isRequired || (present !== undefined && present.scopes === undefined);
  const error = problemAt(problems, 'scopes');
  return radioGroup({
    name: 'scopes',
    group: 'access',
    label: fieldLabel('scopes'),
    hint: 'What a request with the key may do. Anyone who finds a key can do the same.',
    value: error !== undefined && scopes.length > 0 ? 'chosen' : access,
    error,
    options: [
      ...(mayHaveEvery ? [every] : []),
      {
        value: 'chosen',
        text: chosenLabel,
        // Without the limit, a key may have every scope of the catalogue in any case.
        more: scopeTable(
          offeredScopes(deployment.scopes, isRequired ? limits : {}, present?.scopes ?? []),
          scopes,
        ),
      },
    ],
  });
}
