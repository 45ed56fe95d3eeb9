declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  // oxlint-disable-next-line import/no-default-export -- it is the module's export
  export default class MemoryAdapter {
    find(id: string): Promise<object | undefined>;
    constructor(model: string);
  }
}

/** The part of oidc-provider that the local login uses, next to that of other folders. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    readonly Grant: new (of: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<object>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { readonly login: { readonly accountId: string } },
    ): Promise<void>;
  }
}
