import type { Gateway } from '../emulator/gateway/gateway.ts';

/** A gateway that is created later. Its port, and therefore the issuer, is already known. */
export interface DeferredGateway {
  readonly gateway: Gateway;
  readonly open: (gateway: Gateway) => void;
}

export function deferGateway(): DeferredGateway {
  const ready = Promise.withResolvers<Gateway>();
  return {
    gateway: async (request) => (await ready.promise)(request),
    open: (gateway) => ready.resolve(gateway),
  };
}
