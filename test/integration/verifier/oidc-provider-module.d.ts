/** The part of oidc-provider that the tests and examples use; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface ResourceServer {
    readonly scope: string;
    readonly audience: string;
    readonly accessTokenFormat: 'jwt';
    readonly accessTokenTTL: number;
    readonly jwt: { readonly sign: { readonly alg: string } };
  }

  interface Configuration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly jwks?: { readonly keys: readonly object[] };
    readonly features: {
      readonly clientCredentials: { readonly enabled: boolean };
      readonly devInteractions: { readonly enabled: boolean };
      readonly resourceIndicators: {
        readonly enabled: boolean;
        readonly defaultResource?: () => string;
        readonly getResourceServerInfo: (context: unknown, resource: string) => ResourceServer;
      };
    };
  }

  // oxlint-disable-next-line import/no-default-export -- it is the package's one export
  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
