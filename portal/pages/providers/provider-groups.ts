import type { IdentityProvider } from '../../../adapters/management.ts';
import { maxListedItems } from '../../../contract/bounds.ts';
import { findProviderGroups, mayChange } from '../../access/own-providers.ts';
import { type Form, Instead, type Shown } from '../../forms/form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { hiddenField, textArea } from '../../html/field.ts';
import { html } from '../../html/html.ts';
import { panel } from '../../html/parts.ts';
import type { RequestContext } from '../../request-context.ts';
import {
  clientsPanel,
  getProvider,
  ofProvider,
  providerFacts,
  toProvider,
} from './provider-pages.ts';
import { providerLabels, riskField, trunkGroupChoices } from './register-provider.ts';

interface GroupValues {
  readonly trunkGroups: readonly string[];
  /** Of a takeover. */
  readonly keepClientsOf: readonly string[];
  readonly isRiskAccepted: boolean;
}

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
    hint: 'Only clients of these can be under the provider, one on each line. None: the platform takes it over with its choices, and the limits of each trunk group say who may use it.',
    value: chosen.join('\n'),
    rows: 4,
    error,
  });
}

/** What the staff needs for a takeover: what it keeps, and what it asks for again. */
async function takeover(
  context: RequestContext,
  { subject: provider, values, problems }: Shown<IdentityProvider, GroupValues>,
) {
  const { issuer } = provider;
  const page = await context.management.listClients({ provider: issuer, limit: maxListedItems });
  const kept = html`${panel(
    { title: 'What a takeover keeps', id: 'details' },
    providerFacts(provider),
  )}${clientsPanel(context, issuer, page)}`;
  const fields = html`${textArea({
    name: 'keepClientsOf',
    label: providerLabels.keepClientsOf,
    hint: 'One on each line. With clients of other trunk groups, the provider is not taken over.',
    value: values.keepClientsOf.join('\n'),
    rows: 2,
    error: problemAt(problems, 'keepClientsOf'),
  })}${riskField({ ...provider, isRiskAccepted: values.isRiskAccepted })}`;
  return { kept, fields };
}

/** Names, separated by white space. */
export function readGroups(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(/\s+/).filter(Boolean));
}

/** The chosen trunk groups. None: the staff takes the provider over. */
export const providerGroups: Form<IdentityProvider, GroupValues> = {
  operation: 'setProviderTrunkGroups',
  find: getProvider,
  version: ({ owner }) => owner?.version ?? 0,
  start: (context, provider) =>
    mayChange(context, provider)
      ? { trunkGroups: provider.owner?.trunkGroups ?? [], keepClientsOf: [], isRiskAccepted: false }
      : new Instead(toProvider(context, provider)),
  read: (form) => ({
    trunkGroups: readGroups(form.all('trunkGroups')),
    keepClientsOf: readGroups(form.all('keepClientsOf')),
    isRiskAccepted: form.isOn('allowUserWritableClaim'),
  }),
  act: async ({ management, form, href }, { values, ifVersion }) => {
    const issuer = form.text('issuer');
    const { trunkGroups, keepClientsOf, isRiskAccepted } = values;
    await management.setProviderTrunkGroups(issuer, {
      trunkGroups,
      keepClientsOf: keepClientsOf.length === 0 ? undefined : keepClientsOf,
      allowUserWritableClaim: isRiskAccepted || undefined,
      ifVersion,
    });
    const done = 'provider-assigned';
    return { redirectTo: href('/identity-providers/show', { issuer, done }) };
  },
  look: async (context, shown) => {
    const { subject: provider, values, problems } = shown;
    const { issuer, owner } = provider;
    const head = {
      title: `Trunk groups of ${issuer}`,
      heading: 'Trunk groups of this identity provider',
      ...ofProvider(context, issuer),
      lead: html`<code>${issuer}</code>`,
    } as const;
    if (owner === undefined) {
      const body = html`
        <p class="notice">
          It was registered for the whole platform. The limits of each trunk group say who may
          use it.
        </p>
      `;
      return { ...head, body };
    }
    const isStaff = context.person.trunkGroups === undefined && owner.trunkGroups.length > 0;
    const more = isStaff ? await takeover(context, shown) : undefined;
    return {
      ...head,
      labels: providerLabels,
      submit: 'Save',
      above: more?.kept,
      fields: [
        hiddenField('issuer', issuer),
        await groupsField(context, provider, values.trunkGroups, problems),
        more?.fields,
      ],
    };
  },
};
