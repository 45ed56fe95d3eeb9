import type { IdentityProvider } from '../../../adapters/management.ts';
import { findProviderGroups, mayChange } from '../../access/own-providers.ts';
import { type Form, Instead } from '../../forms/form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { providerLabels } from '../../forms/provider-form.ts';
import { hiddenField, textArea } from '../../html/field.ts';
import { html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import { trunkGroupChoices } from '../../html/trunk-group-choices.ts';
import type { RequestContext } from '../../request-context.ts';
import { findProvider, providerCrumbs, toProvider } from './provider-details.ts';

/** A user with few trunk groups chooses among them. The platform's staff types any. */
async function groupsField(
  context: RequestContext,
  { owner }: IdentityProvider,
  chosen: readonly string[],
  problems: Problems,
) {
  const error = problemAt(problems, 'trunkGroups');
  const allowed = await findProviderGroups(context);
  if (allowed !== undefined) {
    const groups = [...new Set([...(owner?.trunkGroups ?? []), ...allowed])];
    return trunkGroupChoices(groups, chosen, error);
  }
  return textArea({
    name: 'trunkGroups',
    label: providerLabels.trunkGroups,
    hint: 'Only clients of these can be under the provider, one on each line. None: the platform takes it over, and the limits of each trunk group say who may use it.',
    value: chosen.join('\n'),
    rows: 4,
    error,
  });
}

const heading = 'Trunk groups of this identity provider';
const section = 'identity-providers';

/** The chosen trunk groups. */
export const providerGroups: Form<IdentityProvider, readonly string[]> = {
  operation: 'setProviderTrunkGroups',
  find: findProvider,
  version: ({ owner }) => owner?.version ?? 0,
  start: (context, provider) =>
    mayChange(context, provider)
      ? (provider.owner?.trunkGroups ?? [])
      : new Instead(toProvider(context, provider)),
  read: (form) => form.all('trunkGroups').flatMap((text) => text.split(/\s+/).filter(Boolean)),
  act: async ({ management, form, href }, { values, ifVersion }) => {
    const issuer = form.text('issuer');
    await management.setProviderTrunkGroups(issuer, { trunkGroups: values, ifVersion });
    const done = 'provider-assigned';
    return { redirectTo: href('/identity-providers/show', { issuer, done }) };
  },
  look: async (context, { subject: provider, values, problems }) => {
    const { issuer, owner } = provider;
    const title = `Trunk groups of ${issuer}`;
    const head = { crumbs: providerCrumbs(context, issuer), lead: html`<code>${issuer}</code>` };
    if (owner === undefined) {
      const body = html`
        ${pageHeader({ title: heading, ...head })}
        <p class="notice">
          It was registered for the whole platform. The limits of each trunk group say who may
          use it.
        </p>
      `;
      return { title, section, body };
    }
    return {
      ...head,
      title,
      heading,
      section,
      labels: providerLabels,
      submit: 'Save',
      fields: [
        hiddenField('issuer', issuer),
        await groupsField(context, provider, values, problems),
      ],
    };
  },
};
