/**
 * An identity provider on this machine, the OpenID-certified node-oidc-provider, with one client
 * that may get tokens: `erp` with the secret `a-secret-of-erp`. It has the certificate of
 * `npm start -- --https`, which the local run trusts, and ends after ten minutes.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import OpenIdProvider from 'oidc-provider';

const [issuer = 'https://localhost:9443', audience = 'https://api.example.com'] =
  process.argv.slice(2);

const provider = new OpenIdProvider(issuer, {
  clients: [
    {
      client_id: 'erp',
      client_secret: 'a-secret-of-erp',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: () => ({
        scope: 'calls:view',
        audience,
        accessTokenTTL: 300,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});

const tls = { cert: readFileSync('.local/tls/cert.pem'), key: readFileSync('.local/tls/key.pem') };
const { hostname, port } = new URL(issuer);
createServer(tls, provider.callback()).listen(Number(port), hostname, () => {
  process.stdout.write(`${issuer}\n`);
});
setTimeout(() => process.exit(), 600_000);
