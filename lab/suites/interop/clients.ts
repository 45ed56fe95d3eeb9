import { assertionForms, type FormName } from '../../support/platforms/hostile-world.ts';
import type { Runtime } from '../../support/runtimes.ts';
import { go, java, node, pinned, python, rust } from './programs.ts';

/** A library that gets tokens. Each program `client` runs it as it comes, and ready for this service. */
export interface TokenClient extends Needs {
  /** With its version, as the table has it. */
  readonly name: string;
  readonly language: string;
  readonly runtime: Runtime;
  /** The library's name for its program. */
  readonly program: string;
}

interface Needs {
  /** The lines that it needs; none if it works as it comes. */
  readonly needs?: string;
  /** Why it gets no token as it comes. */
  readonly failsAsItComes?: string;
  /** Whether what it needs is a deployment with `authorizationEndpoint`. */
  readonly authorizationEndpoint?: true;
  /** The forms in which it sends an assertion in place of a secret. */
  readonly assertions?: readonly FormName[];
}

/** What the SDKs of the Model Context Protocol have in common. */
const mcp: Needs = {
  needs: '`authorizationEndpoint` in the [deployment config](configuration.md)',
  failsAsItComes: 'it refuses a document without `authorization_endpoint`',
  authorizationEndpoint: true,
};

/** Libraries whose program has the name of the package. */
const of =
  (language: string, runtime: Runtime, versionOf: (name: string) => string) =>
  (program: string, needs: Needs = {}): TokenClient => {
    const name = `${program} ${versionOf(program)}`;
    return { name, language, runtime, program, ...needs };
  };

const withNode = of('Node', node, pinned.npm);
const withPython = of('Python', python, pinned.pip);
const withRust = of('Rust', rust, pinned.cargo);

export const clients: readonly TokenClient[] = [
  withNode('openid-client', {
    needs: '`discovery(issuer, id, undefined, ClientSecretBasic(secret))`',
    failsAsItComes: 'it sends `client_secret_post`',
  }),
  withNode('oauth4webapi'),
  { name: 'fetch', language: 'Node', runtime: node, program: 'fetch' },
  withNode('@n8n/client-oauth2'),
  withNode('@modelcontextprotocol/sdk', { ...mcp, assertions: assertionForms }),
  withNode('@modelcontextprotocol/client', { ...mcp, assertions: assertionForms }),
  withPython('Authlib', { needs: '`leeway=10` for tokens that live a minute' }),
  withPython('requests-oauthlib'),
  withPython('ansible-core', {
    needs: 'module `uri` with `force_basic_auth: true` and `body_format: form-urlencoded`',
    failsAsItComes: 'it sends its credentials only after a challenge',
  }),
  withPython('snowflake-connector-python', {
    needs: '`oauth_token_request_url`, and an `oauth_scope` of the catalogue',
    failsAsItComes: 'it asks for the scope `session:role:NAME`',
  }),
  // The Python SDK has no provider for the grant.
  withPython('mcp', { ...mcp, assertions: ['client_assertion'] }),
  {
    name: `oauth2/clientcredentials ${pinned.go('golang.org/x/oauth2')}`,
    language: 'Go',
    runtime: go,
    program: 'clientcredentials',
    needs: '`AuthStyle: oauth2.AuthStyleInHeader`, or it sends a wrong secret twice',
    assertions: ['client_assertion'],
  },
  {
    name: `MCP go-sdk ${pinned.go('github.com/modelcontextprotocol/go-sdk')}`,
    language: 'Go',
    runtime: go,
    program: 'go-sdk',
    ...mcp,
    failsAsItComes: 'it refuses a document without `code_challenge_methods_supported`',
  },
  {
    name: `Spring Security OAuth2 client ${pinned.maven('spring-security-oauth2-client')}`,
    language: 'Java',
    runtime: (_name, trust) => java('Client', trust),
    program: 'spring-security',
    needs: '`clockSkew(Duration.ofSeconds(10))` for tokens that live a minute',
  },
  {
    name: `Apache HttpClient ${pinned.maven('httpclient5')}`,
    language: 'Java',
    runtime: (_name, trust) => java('HttpClient5', trust),
    program: 'httpclient5',
  },
  withRust('oauth2'),
  withRust('rmcp', mcp),
];
