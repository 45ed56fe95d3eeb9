// Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.
// `default` is the library as it comes; `ready` has the lines that this service requires. `key` and
// `key-ready` authenticate with a key, and `assertion` with what a platform signed. `proof` binds the
// tokens to a key, and calls an API with each.
import { createInterface } from 'node:readline';

const [library, mode] = process.argv.slice(2);
const { ISSUER, TOKEN_URL, CLIENT_ID, CLIENT_SECRET, AUDIENCE, EXAMPLE_URL } = process.env;
const { ASSERTION, KEY_ALG, PRIVATE_KEY, PRIVATE_JWK, CERTIFICATE } = process.env;
const withKey = mode.startsWith('key');
const withProof = mode === 'proof';
const { SCOPE: scope = 'messaging:view' } = process.env;

async function importKey() {
  const { importPKCS8 } = await import('jose');
  return importPKCS8(PRIVATE_KEY, KEY_ALG);
}

function mcpProvider(sdk) {
  const usual = { clientId: CLIENT_ID, expectedIssuer: ISSUER, scope };
  if (withKey) {
    const privateKey = JSON.parse(PRIVATE_JWK);
    return new sdk.PrivateKeyJwtProvider({ ...usual, privateKey, algorithm: KEY_ALG });
  }
  if (mode === 'assertion') {
    return new sdk.StaticPrivateKeyJwtProvider({ ...usual, jwtBearerAssertion: ASSERTION });
  }
  return new sdk.ClientCredentialsProvider({ ...usual, clientSecret: CLIENT_SECRET });
}

// Calls an MCP server with the SDK's own flow: refusal, its metadata, discovery here, token.
function withMcp({ StreamableHTTPClientTransport, ...providers }) {
  const server = new URL(AUDIENCE);
  let authorization;
  const answerAsServer = (url, { method, headers }) => {
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) {
      const metadata = { resource: AUDIENCE, authorization_servers: [ISSUER] };
      return Response.json({ ...metadata, scopes_supported: [scope] });
    }
    authorization = new Headers(headers).get('authorization');
    if (authorization !== null) return new Response(null, { status: method === 'GET' ? 405 : 202 });
    return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
  };
  const authProvider = mcpProvider(providers);
  const transport = new StreamableHTTPClientTransport(server, {
    authProvider,
    fetch: async (input, init = {}) => {
      const url = new URL(input);
      return url.origin === server.origin ? answerAsServer(url, init) : fetch(url, init);
    },
  });
  let started;
  return async () => {
    await (started ??= transport.start());
    authorization = null;
    await transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    return { access_token: authorization?.replace('Bearer ', '') };
  };
}

const factories = {
  async '@modelcontextprotocol/sdk'() {
    const extensions = await import('@modelcontextprotocol/sdk/client/auth-extensions.js');
    const http = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return withMcp({ ...extensions, ...http });
  },
  async '@modelcontextprotocol/client'() {
    return withMcp(await import('@modelcontextprotocol/client'));
  },
  async 'openid-client'() {
    const client = await import('openid-client');
    const authentication = withKey
      ? [client.PrivateKeyJwt(await importKey())]
      : mode === 'ready' || withProof
        ? [client.ClientSecretBasic(CLIENT_SECRET)]
        : [];
    const server = await client.discovery(
      new URL(ISSUER),
      CLIENT_ID,
      CLIENT_SECRET,
      ...authentication,
    );
    if (!withProof) return () => client.clientCredentialsGrant(server, { scope });
    const DPoP = client.getDPoPHandle(server, await client.randomDPoPKeyPair());
    const call = [new URL(EXAMPLE_URL), 'GET', undefined, undefined, { DPoP }];
    return async () => {
      const token = await client.clientCredentialsGrant(server, { scope }, { DPoP });
      await client.fetchProtectedResource(server, token.access_token, ...call);
      return token;
    };
  },
  async oauth4webapi() {
    const oauth = await import('oauth4webapi');
    const issuer = new URL(ISSUER);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer),
    );
    const client = { client_id: CLIENT_ID };
    const authentication = withKey
      ? oauth.PrivateKeyJwt(await importKey())
      : oauth.ClientSecretBasic(CLIENT_SECRET);
    const parameters = { scope };
    const options = withProof
      ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')) }
      : undefined;
    const call = ['GET', new URL(EXAMPLE_URL), undefined, undefined, options];
    return async () => {
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authentication,
        parameters,
        options,
      );
      const token = await oauth.processClientCredentialsResponse(server, client, response);
      if (withProof) await oauth.protectedResourceRequest(token.access_token, ...call);
      return token;
    };
  },
  async axios() {
    const { default: axios } = await import('axios');
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope });
    const auth = { username: CLIENT_ID, password: CLIENT_SECRET };
    return async () => (await axios.post(TOKEN_URL, form, { auth })).data;
  },
  async 'simple-oauth2'() {
    const { ClientCredentials } = await import('simple-oauth2');
    const { origin, pathname } = new URL(TOKEN_URL);
    const client = new ClientCredentials({
      client: { id: CLIENT_ID, secret: CLIENT_SECRET },
      auth: { tokenHost: origin, tokenPath: pathname },
    });
    return async () => (await client.getToken({ scope })).token;
  },
  async '@n8n/client-oauth2'() {
    const { ClientOAuth2 } = await import('@n8n/client-oauth2');
    const client = new ClientOAuth2({
      clientId: CLIENT_ID,
      ...(withKey
        ? {
            clientCredentialType: 'certificate',
            clientCertificate: { privateKey: PRIVATE_KEY, certificate: CERTIFICATE },
          }
        : { clientSecret: CLIENT_SECRET }),
      accessTokenUri: TOKEN_URL,
      scopes: [scope],
    });
    return async () => ({ access_token: (await client.credentials.getToken()).accessToken });
  },
};

const getToken = await factories[library]();
for await (const _ of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ ok: true, token: (await getToken()).access_token }));
  } catch (error) {
    const cause = error.cause?.error_description ?? error.error_description ?? '';
    const why = `${error.message} ${error.error ?? ''} ${cause}`;
    console.log(JSON.stringify({ ok: false, why: why.slice(0, 200) }));
  }
}
