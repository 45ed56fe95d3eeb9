import { formatTable } from '../../support/generated-parts.ts';

/** What a public page said of another product. */
export interface Fact {
  readonly text: string;
  readonly source: string;
  /** The day on which someone read it there. */
  readonly day: string;
}

/** A row of README's comparison. */
export interface Comparison {
  readonly topic: string;
  /** What this project has, in Markdown. */
  readonly own: string;
  /** In the order of {@link products}. */
  readonly others: readonly Fact[];
}

export const products = ['Amazon Cognito', 'Ory Hydra', 'Keycloak'] as const;

const cognitoDocs = 'https://docs.aws.amazon.com/cognito/latest/developerguide';
const oryDocs = 'https://www.ory.com/docs/hydra';
const hydraReadme = 'https://github.com/ory/hydra#readme';
const keycloakDocs = 'https://www.keycloak.org';
const redHat =
  'https://docs.redhat.com/en/documentation/red_hat_build_of_keycloak/26.6/html/high_availability_guide/multi-cluster-introduction-';

const read = '2026-11-22';

function fact(text: string, source: string): Fact {
  return { text, source, day: read };
}

export const comparisons: readonly Comparison[] = [
  {
    topic: 'a million tokens, list price',
    own: '[$8.82](docs/cost.md)',
    others: [
      fact(
        '$2,250 at the first tier, less above 250,000; nothing for each client',
        'https://aws.amazon.com/cognito/pricing/',
      ),
      fact('servers and an SQL database', hydraReadme),
      fact('servers and an SQL database', `${keycloakDocs}/server/db`),
    ],
  },
  {
    topic: 'you operate',
    own: 'nothing that runs: Lambda, DynamoDB, KMS; stacks, alarms and upgrades',
    others: [
      fact('nothing', `${cognitoDocs}/what-is-amazon-cognito.html`),
      fact('servers, upgrades, a database; or their hosted service', hydraReadme),
      fact('servers, upgrades, a database', `${keycloakDocs}/server/db`),
    ],
  },
  {
    topic: 'signing keys',
    own: 'KMS, one per region; no process ever holds one',
    others: [
      fact('held by AWS', `${cognitoDocs}/amazon-cognito-user-pools-using-the-access-token.html`),
      fact('encrypted in the database by default', `${oryDocs}/jwks`),
      fact(
        'in the database by default',
        `${keycloakDocs}/docs/latest/server_admin/#configuring-realm-keys`,
      ),
    ],
  },
  {
    topic: 'key rotation',
    own: 'automatic; a key signs only after a test token of it verified with the JWKS of every region',
    others: [
      fact(
        'by AWS, when it chooses',
        `${cognitoDocs}/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html`,
      ),
      fact(
        'one command; the newest key signs at once',
        `${oryDocs}/self-hosted/secrets-key-rotation`,
      ),
      fact(
        'by an administrator, with priorities',
        `${keycloakDocs}/docs/latest/server_admin/#rotating-keys`,
      ),
    ],
  },
  {
    topic: 'regions of one issuer',
    own: 'three; each issues and manages; a revocation acts in its own region at once, in the others after the replication lag',
    others: [
      fact(
        'two; the second, since June 2026, issues tokens and takes no changes',
        `${cognitoDocs}/user-pool-multi-region.html`,
      ),
      fact('as its database allows', hydraReadme),
      fact(
        'one, in two clusters less than 10 ms apart',
        `${keycloakDocs}/high-availability/multi-cluster/building-blocks`,
      ),
    ],
  },
  {
    topic: 'client secrets',
    own: 'many per client, with names, expiry, last use and overlap',
    others: [
      fact(
        'two',
        'https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AddUserPoolClientSecret.html',
      ),
      fact('one, and up to five rotated ones', 'https://github.com/ory/docs/pull/2682'),
      fact('two, supported since 26.8', 'https://github.com/keycloak/keycloak/issues/51888'),
    ],
  },
  {
    topic: 'clients without a secret',
    own: '**none**; workloads use their own provider, [without a secret](docs/keyless.md)',
    others: [
      fact('none documented', `${cognitoDocs}/token-endpoint.html`),
      fact('`private_key_jwt`', `${oryDocs}/reference/api`),
      fact(
        '`private_key_jwt`, certificates',
        `${keycloakDocs}/docs/latest/server_admin/#_client-credentials`,
      ),
    ],
  },
  {
    topic: 'tokens that only their client can use',
    own: '**none**: a bearer token works for anyone who has it',
    others: [
      fact('none documented', `${cognitoDocs}/token-endpoint.html`),
      fact('none documented', `${oryDocs}/guides/jwt`),
      fact('DPoP, certificates', `${keycloakDocs}/securing-apps/dpop`),
    ],
  },
  {
    topic: 'users, login, consent',
    own: '**none**',
    others: [
      fact('yes', `${cognitoDocs}/what-is-amazon-cognito.html`),
      fact('consent; the login is an application of yours', hydraReadme),
      fact('yes', `${keycloakDocs}/docs/latest/server_admin/`),
    ],
  },
  {
    topic: 'in production, with support',
    own: '**[not yet on AWS](#what-this-is-not)**, no support',
    others: [
      fact('yes', `${cognitoDocs}/what-is-amazon-cognito.html`),
      fact('yes', hydraReadme),
      fact('yes', redHat),
    ],
  },
];

function formatFact({ text, source, day }: Fact): string {
  return `${text} ([${day.slice(0, 7)}](${source}))`;
}

/** README's table. The date of a cell is the link to its source. */
export function formatComparison(rows: readonly Comparison[]): string {
  return formatTable([
    ['', 'this service', ...products],
    ...rows.map(({ topic, own, others }) => [topic, own, ...others.map(formatFact)]),
  ]);
}

const dayMs = 86_400_000;
const days = 365;

/** The cells that no one has read again for a year. @param now milliseconds since the epoch. */
export function findOldFacts(rows: readonly Comparison[], now: number): readonly string[] {
  return rows.flatMap(({ topic, others }) =>
    others.flatMap(({ day, source }, index) =>
      now - Date.parse(day) > days * dayMs
        ? [`${topic}, ${products[index]}: read on ${day} at ${source}`]
        : [],
    ),
  );
}
