import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import { closeServer, listenOnLoopback, loopbackHost } from '../../emulator/loopback-server.ts';
import { readBody } from '../../emulator/request-body.ts';
import { choosePersonPage, providerErrorPage, signOutPage } from './pages.ts';
import { localPeople } from './people.ts';

/** A relying party of the provider. */
interface LoginClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly signedOutUri: string;
}

const interactionPath = '/choose/';

/** Seconds. */
const hour = 3600;

/** A choice of a person is a few bytes. */
const maxChoiceBytes = 1024;

async function readChoice(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, maxChoiceBytes);
  return new URLSearchParams(body.toString()).get('person') ?? '';
}

const findPerson = (id: string) => localPeople.find((person) => person.id === id);

function createProvider(issuer: string, client: LoginClient): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [client.redirectUri],
        post_logout_redirect_uris: [client.signedOutUri],
        require_auth_time: true,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'groups', 'trunk_groups'] },
    // The portal reads the ID token and asks for nothing else.
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => {
      const person = findPerson(id);
      return person && { accountId: id, claims: () => ({ sub: id, ...person.claims }) };
    },
    adapter: (model: string) => new MemoryAdapter(model),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context: { body: string }, form: string) => {
          // The provider's form has no button of its own.
          context.body = signOutPage('op.logoutForm').replace('</main>', `${form}</main>`);
        },
      },
    },
    renderError: (context: { type: string; body: string }, { error }: { error: string }) => {
      context.type = 'html';
      context.body = providerErrorPage(error);
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => interactionPath + uid },
    // The portal belongs to the company, so the provider does not ask for consent.
    loadExistingGrant: async (context: {
      readonly oidc: {
        readonly client: { readonly clientId: string };
        readonly session: { readonly accountId: string };
      };
    }) => {
      const { clientId } = context.oidc.client;
      const grant = new provider.Grant({ clientId, accountId: context.oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { Session: 8 * hour, Grant: hour, Interaction: hour, IdToken: hour, AccessToken: hour },
  });
  return provider;
}

/** Shows the people, and finishes the login of the chosen one. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    response.writeHead(200, headers).end(choosePersonPage(request.url ?? ''));
    return;
  }
  const person = findPerson(await readChoice(request));
  if (person === undefined) {
    response.writeHead(400).end();
    return;
  }
  await provider.interactionFinished(request, response, { login: { accountId: person.id } });
}

/** Starts a real OpenID provider on loopback for one relying party. Its people need no password. */
export async function startLocalLogin(client: LoginClient) {
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    if (provider === undefined) return;
    if (request.url?.startsWith(interactionPath) !== true) {
      provider.callback()(request, response);
      return;
    }
    interact(provider, request, response).catch(() => {
      // The interaction is over, or belongs to another browser.
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  const issuer = `http://${loopbackHost}:${await listenOnLoopback(server)}`;
  provider = createProvider(issuer, client);
  return { issuer, close: () => closeServer(server) };
}
