import type { IdentityProvider } from '../../../adapters/management.ts';
import { findProviderGroups, mayChange } from '../../access/own-providers.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { providerLabels } from '../../forms/provider-form.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField, textArea } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import { trunkGroupChoices } from '../../html/trunk-group-choices.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { toProvider } from './provider-details.ts';

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

async function showForm(
  context: RequestContext,
  provider: IdentityProvider,
  chosen: readonly string[],
  problems: Problems,
): Promise<Page> {
  const { href } = context;
  const { issuer, owner } = provider;
  const version = problems.currentVersion ?? owner?.version ?? 0;
  return {
    status: problems.status,
    title: `Trunk groups of ${issuer}`,
    section: 'identity-providers',
    body: html`${pageHeader({
      title: 'Trunk groups of this identity provider',
      crumbs: [
        { text: 'Identity providers', href: href('/identity-providers') },
        { text: issuer, href: href('/identity-providers/show', { issuer }) },
      ],
      lead: html`<code>${issuer}</code>`,
    })}${
      owner === undefined
        ? html`<p class="notice">It was registered for the whole platform. The limits of each trunk group say who may use it.</p>`
        : postForm(
            {
              action: href('/identity-providers/trunk-groups'),
              problems,
              labels: providerLabels,
              submit: 'Save',
              cancel: href('/identity-providers/show', { issuer }),
            },
            [
              hiddenField('issuer', issuer),
              hiddenField('ifVersion', version),
              await groupsField(context, provider, chosen, problems),
            ],
          )
    }`,
  };
}

export const editProviderGroups: Handler = async (context) => {
  context.require('setProviderTrunkGroups');
  const provider = await context.management.findProvider(context.query.text('issuer'));
  if (!mayChange(context, provider)) return toProvider(context, provider);
  return showForm(context, provider, provider.owner?.trunkGroups ?? [], noProblems);
};

export const updateProviderGroups: Handler = async (context) => {
  const { management, form, href } = context;
  const issuer = form.text('issuer');
  const trunkGroups = form.all('trunkGroups').flatMap((text) => text.split(/\s+/).filter(Boolean));
  return submit(
    async () => {
      await management.setProviderTrunkGroups(issuer, {
        trunkGroups,
        ifVersion: readVersion(form),
      });
      return {
        redirectTo: href('/identity-providers/show', { issuer, done: 'provider-assigned' }),
      };
    },
    async (problems) =>
      showForm(context, await management.findProvider(issuer), trunkGroups, problems),
  );
};
