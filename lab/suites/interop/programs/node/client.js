// Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.
// `default` is the library as it comes; `ready` has the lines that this service requires.
import { createInterface } from 'node:readline';

const [library, mode] = process.argv.slice(2);
const { ISSUER, TOKEN_URL, CLIENT_ID, CLIENT_SECRET, AUDIENCE, ASSERTION } = process.env;
const scope = 'messaging:view';

// A workload has the token of its platform, in place of a secret.
function mcpProvider({ ClientCredentialsProvider, StaticPrivateKeyJwtProvider }) {
  const usual = { clientId: CLIENT_ID, expectedIssuer: ISSUER, scope };
  if (ASSERTION === undefined) {
    return new ClientCredentialsProvider({ ...usual, clientSecret: CLIENT_SECRET });
  }
  const provider = new StaticPrivateKeyJwtProvider({ ...usual, jwtBearerAssertion: ASSERTION });
  if (mode !== 'jwt_bearer') return provider;
  const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  provider.addClientAuthentication = undefined;
  provider.prepareTokenRequest = () =>
    new URLSearchParams({ grant_type: grant, assertion: ASSERTION, scope });
  return provider;
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
    const authentication = mode === 'ready' ? [client.ClientSecretBasic(CLIENT_SECRET)] : [];
    const server = await client.discovery(
      new URL(ISSUER),
      CLIENT_ID,
      CLIENT_SECRET,
      ...authentication,
    );
    return () => client.clientCredentialsGrant(server, { scope });
  },
  async oauth4webapi() {
    const oauth = await import('oauth4webapi');
    const issuer = new URL(ISSUER);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer),
    );
    const client = { client_id: CLIENT_ID };
    return async () => {
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        oauth.ClientSecretBasic(CLIENT_SECRET),
        { scope },
      );
      return oauth.processClientCredentialsResponse(server, client, response);
    };
  },
  async '@n8n/client-oauth2'() {
    const { ClientOAuth2 } = await import('@n8n/client-oauth2');
    const client = new ClientOAuth2({
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      accessTokenUri: TOKEN_URL,
      scopes: [scope],
    });
    return async () => ({ access_token: (await client.credentials.getToken()).accessToken });
  },
  async fetch() {
    const credentials = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
    return async () => {
      const response = await fetch(TOKEN_URL, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      });
      return response.json();
    };
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
