import { type Form, sendForm, showForm } from './forms/form.ts';
import type { Fields } from './forms/problems.ts';
import {
  keyDeletion,
  keyDisabling,
  keyEdit,
  keyEnabling,
  subnetAddition,
  subnetRemoval,
} from './pages/api-keys/change-key.ts';
import { showApiKey } from './pages/api-keys/key-details.ts';
import { exportApiKeys, showApiKeys } from './pages/api-keys/key-list.ts';
import { keyCreation, keyRotation } from './pages/api-keys/new-key.ts';
import { showApiKeyHistory, showAudit, showClientHistory } from './pages/audit/audit.ts';
import {
  secretDeletion,
  secretDisabling,
  secretEdit,
  secretEnabling,
} from './pages/client-secrets/change-secret.ts';
import {
  publicKeyAddition,
  publicKeyRotation,
  secretCreation,
  secretRotation,
} from './pages/client-secrets/new-secret.ts';
import { showClient } from './pages/clients/client-details.ts';
import { clientCreation, clientEdit } from './pages/clients/client-forms.ts';
import { exportClients, showClients } from './pages/clients/client-list.ts';
import {
  clientDeletion,
  clientDisabling,
  clientEnabling,
  tokenRevocation,
} from './pages/clients/stop-client.ts';
import { credentialQuestion, explain } from './pages/explain/explain.ts';
import { showOverview } from './pages/overview/overview.ts';
import { providerDeletion } from './pages/providers/delete-provider.ts';
import {
  issuerGrant,
  issuerWithdrawal,
  subjectGrant,
  subjectWithdrawal,
} from './pages/providers/grant-forms.ts';
import { showGrants, showIssuerGrants } from './pages/providers/grants.ts';
import { providerGroups } from './pages/providers/provider-groups.ts';
import { showProvider, showProviders } from './pages/providers/provider-pages.ts';
import { newProvider, providerRegistration } from './pages/providers/register-provider.ts';
import { limitsChange } from './pages/trunk-groups/change-limits.ts';
import { showTrunkGroup } from './pages/trunk-groups/trunk-group-details.ts';
import { showTrunkGroups } from './pages/trunk-groups/trunk-group-list.ts';
import type { Handler } from './request-context.ts';
export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:name` matches one part of the path. */
  readonly path: string;
  readonly handle: Handler;
  /**
   * Whether it creates a credential, or shows the form for it. What is registered at a provider is
   * one: its tokens are accepted at once.
   *
   * @param fields of the form, or of the query of a GET.
   */
  readonly isForCredential?: ((fields: Fields) => boolean) | undefined;
  /** What a POST sends. */
  readonly form?: Pick<Form<never, never>, 'operation' | 'version' | 'creates'> | undefined;
}

const get = (path: string, handle: Handler): Route => ({ method: 'GET', path, handle });
/** The only way to a POST. */
const post = <Subject, Values, Input>(path: string, form: Form<Subject, Values, Input>): Route => ({
  method: 'POST',
  path,
  handle: sendForm(form, path),
  form,
});

/** A form with a page of its own: the address of the page, and the one that it is sent to. */
const form = <Subject, Values, Input>(
  page: string,
  to: string,
  declared: Form<Subject, Values, Input>,
): readonly Route[] => [get(page, showForm(declared, to)), post(to, declared)];

/** A form that is sent to the address of its page. */
const formAt = <Subject, Values, Input>(path: string, declared: Form<Subject, Values, Input>) =>
  form(path, path, declared);

const forCredential = (
  all: readonly Route[],
  isForCredential: Route['isForCredential'] = () => true,
): readonly Route[] => all.map((route) => ({ ...route, isForCredential }));

const isUnderProvider = (fields: Fields) => fields.text('provider') !== '';

const client = '/clients/:clientId';
const secret = `${client}/secrets/:secretId`;
const key = '/api-keys/:keyId';
const providers = '/identity-providers';

/**
 * Every page of the portal. A GET changes nothing; every change is a POST. A fixed path comes
 * before one with a name in its place.
 */
export const routes: readonly Route[] = [
  get('/', showOverview),

  get('/clients', showClients),
  get('/clients/export', exportClients),
  ...forCredential(form('/clients/new', '/clients', clientCreation), isUnderProvider),
  get(client, showClient),
  get(`${client}/history`, showClientHistory),
  ...form(`${client}/edit`, client, clientEdit),
  post(`${client}/enable`, clientEnabling),
  post(`${client}/disable`, clientDisabling),
  ...formAt(`${client}/revoke-tokens`, tokenRevocation),
  ...formAt(`${client}/delete`, clientDeletion),

  ...forCredential(form(`${client}/secrets/new`, `${client}/secrets`, secretCreation)),
  ...forCredential(formAt(`${client}/secrets/rotate`, secretRotation)),
  ...forCredential(form(`${client}/keys/new`, `${client}/keys`, publicKeyAddition)),
  ...forCredential(formAt(`${client}/keys/rotate`, publicKeyRotation)),
  ...form(`${secret}/edit`, secret, secretEdit),
  post(`${secret}/enable`, secretEnabling),
  post(`${secret}/disable`, secretDisabling),
  ...formAt(`${secret}/delete`, secretDeletion),

  get('/api-keys', showApiKeys),
  get('/api-keys/export', exportApiKeys),
  ...forCredential(form('/api-keys/new', '/api-keys', keyCreation)),
  get(key, showApiKey),
  get(`${key}/history`, showApiKeyHistory),
  ...forCredential(formAt(`${key}/rotate`, keyRotation)),
  ...form(`${key}/edit`, key, keyEdit),
  post(`${key}/enable`, keyEnabling),
  post(`${key}/disable`, keyDisabling),
  ...formAt(`${key}/delete`, keyDeletion),
  post(`${key}/subnets`, subnetAddition),
  ...formAt(`${key}/subnets/:subnetId/remove`, subnetRemoval),

  get(providers, showProviders),
  ...forCredential([get(`${providers}/new`, newProvider), post(providers, providerRegistration)]),
  get(`${providers}/show`, showProvider),
  get(`${providers}/grants`, showGrants),
  ...formAt(`${providers}/grants/edit`, subjectGrant),
  ...formAt(`${providers}/grants/withdraw`, subjectWithdrawal),
  get(`${providers}/issuer-grants`, showIssuerGrants),
  ...formAt(`${providers}/issuer-grants/edit`, issuerGrant),
  ...formAt(`${providers}/issuer-grants/withdraw`, issuerWithdrawal),
  ...formAt(`${providers}/trunk-groups`, providerGroups),
  ...formAt(`${providers}/delete`, providerDeletion),

  get('/trunk-groups', showTrunkGroups),
  get('/trunk-groups/:group', showTrunkGroup),
  ...form('/trunk-groups/:group/edit', '/trunk-groups/:group', limitsChange),

  get('/explain', explain),
  post('/explain/credential', credentialQuestion),
  get('/audit', showAudit),
];
