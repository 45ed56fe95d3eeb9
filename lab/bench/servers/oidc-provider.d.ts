declare module 'oidc-provider' {
  import type { KeyObject } from 'node:crypto';
  import type { RequestListener } from 'node:http';

  /** What a key outside the process needs; the package has no types of its own. */
  export class ExternalSigningKey {
    kid: string;
    alg: string;
    keyObject(): KeyObject;
    sign(data: Uint8Array): Promise<Uint8Array>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    on(event: 'grant.success', listener: () => void): this;
  }
}
