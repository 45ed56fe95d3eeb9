import type { Runtime } from '../../support/runtimes.ts';
import { go, java, node, pinned, python, quarkus, rust } from './programs.ts';

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
  /** How it authenticates with a key. */
  readonly key?: KeyUse;
  /** The lines that bind its tokens to a key, and prove the key to an API. */
  readonly proof?: string;
}

export type KeyAlg = 'ES256' | 'PS256' | 'RS256' | 'EdDSA';

/** What a library needs for `private_key_jwt`, other than the key. */
export interface KeyUse extends Pick<Needs, 'needs' | 'failsAsItComes' | 'authorizationEndpoint'> {
  /** Whether what it needs is a deployment with `clientKeys.tokenEndpointAudience`. */
  readonly tokenEndpointAudience?: true;
  /** Algorithms that it cannot sign with. */
  readonly lacks?: readonly KeyAlg[];
  /** Whether it also takes an assertion that its caller has. */
  readonly alsoWithAssertion?: true;
}

/** Why an assertion is refused unless the deployment allows it. */
export const tokenEndpointAudience = '`aud` is the token endpoint';

/** What the SDKs of the Model Context Protocol have in common. */
const mcp = {
  needs: '[`authorizationEndpoint`](#clients-of-the-model-context-protocol)',
  failsAsItComes: 'it insists on `authorization_endpoint`',
  authorizationEndpoint: true,
} as const satisfies Needs;

const mcpWithKey = (provider: string): Needs => ({
  ...mcp,
  key: { ...mcp, needs: `${provider}, \`authorizationEndpoint\``, alsoWithAssertion: true },
});

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
    key: { needs: '`PrivateKeyJwt(key)`' },
    proof: '`getDPoPHandle`',
  }),
  withNode('oauth4webapi', { key: { needs: '`PrivateKeyJwt(key)`' }, proof: '`DPoP`' }),
  withNode('simple-oauth2'),
  withNode('@n8n/client-oauth2', {
    key: {
      needs: "`clientCredentialType: 'certificate'`, `clientKeys.tokenEndpointAudience`",
      failsAsItComes: tokenEndpointAudience,
      tokenEndpointAudience: true,
      lacks: ['ES256', 'PS256', 'EdDSA'],
    },
  }),
  withNode('@modelcontextprotocol/sdk', mcpWithKey('`PrivateKeyJwtProvider`')),
  withNode('@modelcontextprotocol/client', mcpWithKey('`PrivateKeyJwtProvider`')),
  withPython('Authlib', {
    needs: '`leeway=10` for tokens that live a minute',
    key: {
      needs: '`PrivateKeyJWT(token_url, {"aud": issuer}, alg=…)`',
      failsAsItComes: tokenEndpointAudience,
    },
  }),
  withPython('requests_oauth2client', {
    needs: '`auth=ClientSecretBasic(id, secret)`',
    failsAsItComes: 'it sends `client_secret_post`',
    key: {
      needs: '`PrivateKeyJwt(client_id, jwk, aud=issuer)`',
      failsAsItComes: tokenEndpointAudience,
    },
    proof: '`dpop=True`',
  }),
  withPython('requests-oauthlib'),
  withPython('pyiceberg', {
    needs: '`auth.type: oauth2`; `refresh_margin: 10` for tokens that live a minute',
    failsAsItComes: 'it sends the secret in the body',
  }),
  withPython('ansible-core', {
    needs: 'module `uri` with `force_basic_auth: true` and `body_format: form-urlencoded`',
    failsAsItComes: 'it sends its credentials only after a challenge',
  }),
  withPython('snowflake-connector-python', {
    needs: '`oauth_token_request_url`, and an `oauth_scope` of the catalogue',
    failsAsItComes: 'it asks for the scope `session:role:NAME`',
  }),
  // The Python SDK has no provider for the grant.
  withPython('mcp', mcpWithKey('`SignedJWTParameters`')),
  {
    name: `oauth2/clientcredentials ${pinned.go('golang.org/x/oauth2')}`,
    language: 'Go',
    runtime: go,
    program: 'clientcredentials',
    needs: '`AuthStyle: oauth2.AuthStyleInHeader`, or it sends a wrong secret twice',
    key: { needs: '`EndpointParams` with an assertion of yours, `AuthStyleInParams`' },
  },
  {
    name: `Prometheus, common/config ${pinned.go('github.com/prometheus/common')}`,
    language: 'Go',
    runtime: go,
    program: 'prometheus',
  },
  {
    name: `MCP go-sdk ${pinned.go('github.com/modelcontextprotocol/go-sdk')}`,
    language: 'Go',
    runtime: go,
    program: 'go-sdk',
    ...mcp,
    failsAsItComes: 'it insists on `code_challenge_methods_supported`',
  },
  {
    name: `Spring Security OAuth2 client ${pinned.maven('spring-security-oauth2-client')}`,
    language: 'Java',
    runtime: (_name, trust) => java('Client', trust),
    program: 'spring-security',
    needs: '`clockSkew(Duration.ofSeconds(10))` for tokens that live a minute',
    key: {
      needs: '`setJwtClientAssertionCustomizer` with the issuer as `audience`',
      failsAsItComes: tokenEndpointAudience,
      lacks: ['EdDSA'],
    },
  },
  {
    name: `Nimbus OAuth 2.0 SDK ${pinned.maven('oauth2-oidc-sdk')}`,
    language: 'Java',
    runtime: (_name, trust) => java('OauthSdk', trust),
    program: 'oauth2-oidc-sdk',
    key: { needs: '`PrivateKeyJWT` with the issuer as endpoint', lacks: ['EdDSA'] },
    proof: '`DefaultDPoPProofFactory`',
  },
  {
    name: `Kafka client (KIP-768) ${pinned.maven('kafka-clients')}`,
    language: 'Java',
    runtime: (_name, trust) => java('KafkaClient', trust),
    program: 'kafka',
    needs: 'the system property `org.apache.kafka.sasl.oauthbearer.allowed.urls`',
    failsAsItComes: 'it allows no URL',
  },
  {
    name: `Quarkus OIDC client ${pinned.maven('quarkus-bom', 'quarkus')}`,
    language: 'Java',
    runtime: quarkus,
    program: 'quarkus',
  },
  withRust('oauth2'),
  withRust('rmcp', mcp),
];
