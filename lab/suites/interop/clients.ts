import type { Runtime } from '../../support/runtimes.ts';
import { pinned } from './pins.ts';
import { go, java, node, python, rust } from './runtimes.ts';

const { npm, pip, maven, cargo } = pinned;

/** A library that gets tokens. Each program `client` runs it as it comes, and ready for this service. */
export interface TokenClient {
  /** With its version, as the table has it. */
  readonly name: string;
  readonly language: string;
  readonly runtime: Runtime;
  /** The library's name for its program. */
  readonly program: string;
  /** The lines that it needs; none if it works as it comes. */
  readonly needs?: string;
  /** Why it gets no token as it comes. */
  readonly failsAsItComes?: string;
  /** Whether what it needs is a deployment with `authorizationEndpoint`. */
  readonly authorizationEndpoint?: true;
}

/** What the SDKs of the Model Context Protocol have in common. */
const mcp = {
  needs: '`authorizationEndpoint` in the [deployment config](configuration.md)',
  failsAsItComes: 'it refuses a document without `authorization_endpoint`',
  authorizationEndpoint: true,
} as const;

export const clients: readonly TokenClient[] = [
  {
    name: `openid-client ${npm('openid-client')}`,
    language: 'Node',
    runtime: node,
    program: 'openid-client',
    needs: '`discovery(issuer, id, undefined, ClientSecretBasic(secret))`',
    failsAsItComes: 'it sends `client_secret_post`',
  },
  {
    name: `oauth4webapi ${npm('oauth4webapi')}`,
    language: 'Node',
    runtime: node,
    program: 'oauth4webapi',
  },
  {
    name: 'fetch',
    language: 'Node',
    runtime: node,
    program: 'fetch',
  },
  {
    ...mcp,
    name: `@modelcontextprotocol/sdk ${npm('@modelcontextprotocol/sdk')}`,
    language: 'Node',
    runtime: node,
    program: '@modelcontextprotocol/sdk',
  },
  {
    ...mcp,
    name: `@modelcontextprotocol/client ${npm('@modelcontextprotocol/client')}`,
    language: 'Node',
    runtime: node,
    program: '@modelcontextprotocol/client',
  },
  {
    name: `Authlib ${pip('Authlib')}`,
    language: 'Python',
    runtime: python,
    program: 'Authlib',
    needs: '`leeway=10` for tokens that live a minute',
  },
  {
    name: `requests-oauthlib ${pip('requests-oauthlib')}`,
    language: 'Python',
    runtime: python,
    program: 'requests-oauthlib',
  },
  {
    ...mcp,
    name: `mcp ${pip('mcp')}`,
    language: 'Python',
    runtime: python,
    program: 'mcp',
  },
  {
    name: `oauth2/clientcredentials ${pinned.go('golang.org/x/oauth2')}`,
    language: 'Go',
    runtime: go,
    program: 'clientcredentials',
    needs: '`AuthStyle: oauth2.AuthStyleInHeader`, or it sends a wrong secret twice',
  },
  {
    name: `Spring Security OAuth2 client ${maven('spring-security-oauth2-client')}`,
    language: 'Java',
    runtime: (_name, trust) => java('Client', trust),
    program: 'spring-security',
    needs: '`clockSkew(Duration.ofSeconds(10))` for tokens that live a minute',
  },
  {
    name: `Apache HttpClient ${maven('httpclient5')}`,
    language: 'Java',
    runtime: (_name, trust) => java('HttpClient5', trust),
    program: 'httpclient5',
  },
  {
    name: `oauth2 ${cargo('oauth2')}`,
    language: 'Rust',
    runtime: rust,
    program: 'oauth2',
  },
];
