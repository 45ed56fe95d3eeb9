import type { Gateway } from '../emulator/gateway/gateway.ts';

/** A gateway that answers once there is one: its port, and so the issuer, is known before. */
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
