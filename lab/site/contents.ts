/** A link of the site's contents: its text, and a page of the repository with or without an anchor. */
type Entry = readonly [text: string, page: string];

/** A part of the contents. */
interface Part {
  readonly text: string;
  readonly entries: readonly Entry[];
  /** Folders whose other pages follow, with their titles. */
  readonly folders?: readonly string[];
  readonly isClosed?: boolean;
}

/** The site's contents, by what a reader wants to do. */
export const parts: readonly Part[] = [
  {
    text: 'Start',
    entries: [
      ['Authorization server for AWS', 'README.md'],
      ['Five minutes', 'docs/getting-started.md'],
      ['Choose another if … (not supported)', 'README.md#choose-another-if-what-is-not-supported'],
      ['Compare', 'docs/compare.md'],
      ['What a month costs', 'docs/cost.md'],
      ['Documentation', 'docs/README.md'],
    ],
  },
  {
    text: 'Call an API',
    entries: [
      ['Examples in five languages', 'examples/README.md'],
      ['Libraries that get tokens', 'docs/interop.md#token-clients'],
      ['Keyless callers (no secret)', 'docs/keyless.md'],
      ['Migrate clients', 'docs/migrate.md'],
    ],
  },
  {
    text: 'Protect an API',
    entries: [
      ['Accepting tokens and API keys', 'docs/platform-api.md'],
      ['Express', 'docs/platform-api.md#express'],
      ['Fastify', 'docs/platform-api.md#fastify'],
      ['Hono', 'docs/platform-api.md#hono'],
      ['Next.js', 'docs/platform-api.md#nextjs'],
      ['Lambda', 'docs/platform-api.md#lambda'],
      ['NGINX and other proxies', 'examples/proxies/README.md'],
      ['Spring Boot', 'examples/spring-boot/README.md'],
      ['API Gateway', 'docs/platform-api.md#an-api-gateway-rest-api-the-construct'],
      ['AWS services', 'docs/aws-authorizers.md'],
      ['Libraries that verify tokens', 'docs/interop.md'],
      ['Identity providers', 'docs/providers.md'],
    ],
  },
  {
    text: 'Operate',
    entries: [
      ['Deploying to AWS', 'docs/deploy.md'],
      ['The first deployment', 'docs/first-deployment.md'],
      ['Add a client', 'docs/getting-started.md#2-create-a-client'],
      ['Operating: rotate, revoke', 'docs/operate.md'],
      ['Rotate or revoke a leaked key', 'docs/operate.md#rotate-or-revoke-a-leaked-key'],
      ['Signing keys', 'docs/signing-keys.md'],
      ['The web portal', 'docs/portal.md'],
      ['Notices', 'docs/notices.md'],
      ['Who did what (audit)', 'docs/audit.md'],
      ['Upgrades', 'docs/upgrade.md'],
      ['Secret scanning', 'docs/secret-scanning.md'],
    ],
  },
  {
    text: 'Reference',
    entries: [
      ['Reasons of refusal', 'docs/refusals.md'],
      ['Configuration', 'docs/configuration.md'],
      ['Managing with authctl', 'docs/authctl.md'],
      ['Every command of authctl', 'authctl-commands.md'],
      ['API', 'docs/openapi.yaml'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  },
  { text: 'Packages', entries: [], folders: ['packages', 'verifier'], isClosed: true },
  {
    text: 'Alarms',
    entries: [['Alarms', 'docs/runbook/README.md']],
    folders: ['docs/runbook'],
    isClosed: true,
  },
  { text: 'Procedures', entries: [], folders: ['docs/procedures'], isClosed: true },
  {
    text: 'Why',
    entries: [
      ['How it works', 'docs/how-it-works.md'],
      ['Security', 'SECURITY.md'],
      ['Contributing', 'CONTRIBUTING.md'],
    ],
    folders: ['docs', 'examples'],
    isClosed: true,
  },
  {
    text: 'Decisions',
    entries: [['Architecture decision records', 'docs/adr/README.md']],
    folders: ['docs/adr'],
    isClosed: true,
  },
];
