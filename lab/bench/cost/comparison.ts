import { formatTable } from '../../support/generated-parts.ts';

/** The month in which someone read the pages below, except where a cell has its own. */
const read = '2026-11';

const products = {
  cognito: 'Amazon Cognito',
  auth0: 'Auth0',
  hydra: 'Ory Hydra',
  keycloak: 'Keycloak',
} as const;
const productKeys = Object.keys(products) as (keyof typeof products)[];

/** What a page says of another product, the page, and the month in which someone read it. */
type Cell = readonly [text: string, source: string, month?: string];

type Topic = Readonly<Record<'topic' | 'ours', string> & Record<keyof typeof products, Cell>>;

const cognito = 'https://docs.aws.amazon.com/cognito/latest/developerguide';
const aboutCognito = `${cognito}/what-is-amazon-cognito.html`;
const cognitoEndpoint = `${cognito}/token-endpoint.html`;
const auth0 = 'https://auth0.com/docs';
const aboutAuth0 = `${auth0}/deploy-monitor/deployment-options`;
const auth0Credentials = `${auth0}/secure/application-credentials`;
const aboutHydra = 'https://github.com/ory/hydra#readme';
const hydra = 'https://www.ory.com/docs/hydra';
const keycloak = 'https://www.keycloak.org';
const keycloakAdmin = `${keycloak}/docs/latest/server_admin/`;

/** @param price what this service costs, as the model of costs says it. */
function listTopics(price: string): readonly Topic[] {
  return [
    {
      topic: 'list price',
      ours: price,
      cognito: [
        '$2.25 for 1,000 tokens at the first tier, less above 250,000 a month; nothing for each client',
        'https://aws.amazon.com/cognito/pricing/',
      ],
      auth0: [
        '1,000 tokens a month in the free plan; more with a plan that is priced by users',
        'https://community.auth0.com/t/m2m-tokens-quota/68980/6',
      ],
      hydra: ['servers and an SQL database', aboutHydra],
      keycloak: ['servers and an SQL database', `${keycloak}/server/db`],
    },
    {
      topic: 'you operate',
      ours: 'nothing that runs: Lambda, DynamoDB, KMS; stacks, alarms and upgrades',
      cognito: ['nothing', aboutCognito],
      auth0: ['nothing', aboutAuth0],
      hydra: ['servers, upgrades, a database; or their hosted service', aboutHydra],
      keycloak: ['servers, upgrades, a database', `${keycloak}/server/db`],
    },
    {
      topic: 'signing keys',
      ours: 'KMS, one per region; no process ever holds one',
      cognito: ['held by AWS', `${cognito}/amazon-cognito-user-pools-using-the-access-token.html`],
      auth0: ['held by Auth0, its own for each tenant', `${auth0}/tokens/manage-signing-keys`],
      hydra: ['encrypted in the database by default', `${hydra}/jwks`],
      keycloak: ['in the database by default', `${keycloakAdmin}#configuring-realm-keys`],
    },
    {
      topic: 'key rotation',
      ours: 'automatic; a key signs only after a test token of it verified with the JWKS of every region',
      cognito: [
        'by AWS, when it chooses',
        `${cognito}/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html`,
      ],
      auth0: [
        'by an administrator; the JWKS has the next key beforehand',
        `${auth0}/configure/tenant-settings/signing-keys/rotate-signing-keys`,
      ],
      hydra: [
        'one command; the newest key signs at once',
        `${hydra}/self-hosted/secrets-key-rotation`,
      ],
      keycloak: ['by an administrator, with priorities', `${keycloakAdmin}#rotating-keys`],
    },
    {
      topic: 'regions of one issuer',
      ours: 'three; each issues and manages; a revocation acts in its own region at once, in the others after the replication lag',
      cognito: [
        'two; the second, since June 2026, issues tokens and takes no changes',
        `${cognito}/user-pool-multi-region.html`,
      ],
      auth0: ['one; a second is an add-on of a private cloud', aboutAuth0],
      hydra: ['as its database allows', aboutHydra],
      keycloak: [
        'one, in two clusters less than 10 ms apart',
        `${keycloak}/high-availability/multi-cluster/building-blocks`,
      ],
    },
    {
      topic: 'client secrets',
      ours: 'many per client, with names, expiry, last use and overlap',
      cognito: [
        'two',
        'https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AddUserPoolClientSecret.html',
      ],
      auth0: ['one; a rotation replaces it', auth0Credentials],
      hydra: ['one, and up to five rotated ones', 'https://github.com/ory/docs/pull/2682'],
      keycloak: ['two, supported since 26.8', 'https://github.com/keycloak/keycloak/issues/51888'],
    },
    {
      topic: 'clients without a secret',
      ours: 'the token of a workload’s own provider, [by `client_assertion` or the grant `jwt-bearer`](keyless.md), if the config has `federatedClients`; [`private_key_jwt`](keyless.md#a-key-in-place-of-a-secret), if it has `clientKeys`, without a memory of `jti`, which SMART wants; both off by default. No certificates',
      cognito: ['none documented', cognitoEndpoint],
      auth0: ['`private_key_jwt` in the Enterprise plan, certificates', auth0Credentials],
      hydra: [
        '`private_key_jwt`; the grant `jwt-bearer` for assertions of issuers that it trusts',
        `${hydra}/guides/jwt`,
      ],
      keycloak: [
        '`private_key_jwt`, certificates; tokens of Kubernetes and other providers, supported since 26.6',
        'https://github.com/keycloak/keycloak/pull/47184',
      ],
    },
    {
      topic: 'tokens that only their client can use',
      ours: '[DPoP](platform-api.md#tokens-that-are-bound-to-a-key), by audience, if the config has `dpop`; a proof works once in each process, not once. Off by default. No certificates',
      cognito: ['none documented', cognitoEndpoint],
      auth0: ['DPoP, certificates with an add-on', `${auth0}/secure/sender-constraining`],
      hydra: ['none documented', `${hydra}/guides/jwt`],
      keycloak: ['DPoP, certificates', `${keycloak}/securing-apps/dpop`],
    },
    {
      topic: 'users, login, consent',
      ours: '**none**',
      cognito: ['yes', aboutCognito],
      auth0: ['yes', aboutAuth0],
      hydra: ['consent; the login is an application of yours', aboutHydra],
      keycloak: ['yes', keycloakAdmin],
    },
    {
      topic: 'in production, with support',
      ours: '**[not yet on AWS](deployment-test.md)**, no support',
      cognito: ['yes', aboutCognito],
      auth0: ['yes', aboutAuth0],
      hydra: ['yes', aboutHydra],
      keycloak: [
        'yes',
        'https://docs.redhat.com/en/documentation/red_hat_build_of_keycloak/26.6/html/high_availability_guide/multi-cluster-introduction-',
      ],
    },
  ];
}

/** The table of docs/compare.md. */
export function formatComparison(price: string): string {
  const cellOf = ([text, source, month = read]: Cell) => `${text} ([${month}](${source}))`;
  return formatTable([
    ['', 'this service', ...Object.values(products)],
    ...listTopics(price).map((topic) => [
      topic.topic,
      topic.ours,
      ...productKeys.map((product) => cellOf(topic[product])),
    ]),
  ]);
}

/** A cell of another product. */
export interface Fact {
  readonly topic: string;
  readonly text: string;
  readonly source: string;
  /** The month in which someone read it there, e.g. `2026-11`. */
  readonly month: string;
}

export function listFacts(): readonly Fact[] {
  return listTopics('').flatMap(({ topic, ...others }) =>
    productKeys.map((product) => {
      const [text, source, month = read] = others[product];
      return { topic, text, source, month };
    }),
  );
}

const yearMs = 365 * 86_400_000;

/** The cells that no one has read again for a year. @param now milliseconds since the epoch. */
export function findOldFacts(facts: readonly Fact[], now: number): readonly string[] {
  return facts
    .filter(({ month }) => now - Date.parse(month) > yearMs)
    .map(({ topic, text, month, source }) => `${topic}, ${text}: read in ${month} at ${source}`);
}
