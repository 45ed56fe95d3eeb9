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
      ['In sixty seconds', 'README.md'],
      ['Five minutes', 'docs/getting-started.md'],
      ['Compare', 'docs/compare.md'],
      ['What a month costs', 'docs/cost.md'],
      ['What is not supported', 'README.md#choose-another-if'],
      ['All documents', 'docs/README.md'],
    ],
  },
  {
    text: 'Call an API',
    entries: [
      ['Examples in five languages', 'examples/README.md'],
      ['Libraries that get tokens', 'docs/interop.md#token-clients'],
      ['Without a secret', 'docs/keyless.md'],
      ['Migrate clients', 'docs/migrate.md'],
    ],
  },
  {
    text: 'Protect an API',
    entries: [
      ['Which way', 'docs/platform-api.md'],
      ['Express', 'docs/platform-api.md#express'],
      ['Fastify', 'docs/platform-api.md#fastify'],
      ['Hono', 'docs/platform-api.md#hono'],
      ['Next.js', 'docs/platform-api.md#nextjs'],
      ['Lambda', 'docs/platform-api.md#lambda'],
      ['NGINX and other proxies', 'examples/proxies/README.md'],
      ['Spring Boot', 'examples/spring-boot/README.md'],
      ['API Gateway', 'docs/platform-api.md#an-api-gateway-rest-api-the-construct'],
      ['AWS services', 'docs/aws-authorizers.md'],
      ['Libraries that verify', 'docs/interop.md'],
      ['Other identity providers', 'docs/providers.md'],
    ],
  },
  {
    text: 'Operate',
    entries: [
      ['Deploy', 'docs/deploy.md'],
      ['First deployment', 'docs/first-deployment.md'],
      ['Rotate and revoke', 'docs/operate.md'],
      ['Rotate a leaked key', 'docs/operate.md#revoke'],
      ['Signing keys', 'docs/signing-keys.md'],
      ['Portal', 'docs/portal.md'],
      ['Notices of what expires', 'docs/notices.md'],
      ['Audit', 'docs/audit.md'],
      ['Upgrade', 'docs/upgrade.md'],
      ['Secret scanning', 'docs/secret-scanning.md'],
    ],
  },
  {
    text: 'Reference',
    entries: [
      ['Reasons of refusal', 'docs/refusals.md'],
      ['Configuration', 'docs/configuration.md'],
      ['authctl, a tour', 'docs/authctl.md'],
      ['authctl, every command', 'authctl-commands.md'],
      ['API', 'docs/openapi.yaml'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  },
  {
    text: 'Packages',
    entries: [],
    folders: ['packages', 'verifier'],
    isClosed: true,
  },
  {
    text: 'Alarms',
    entries: [['Every alarm', 'docs/runbook/README.md']],
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
    entries: [['All decisions', 'docs/adr/README.md']],
    folders: ['docs/adr'],
    isClosed: true,
  },
];
