import { join } from 'node:path';
import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { startChildScript } from '../../support/child-script.ts';

/** What the load needs to know of the service. */
export type Target = Pick<
  LocalRun,
  'issuer' | 'tokenUrl' | 'jwksUri' | 'clientId' | 'clientSecret' | 'apiKey'
>;

export interface Measurement {
  /** Bytes that are in use after all garbage is collected. */
  readonly heap: number;
  /** Open connections, each end that is the service's. */
  readonly sockets: number;
}

export type ServiceCommand =
  | { readonly do: 'play'; readonly rules: readonly FaultRuleInput[] }
  | { readonly do: 'measure' | 'count' };

export type SoakedService = Awaited<ReturnType<typeof startService>>;

/** The service in a process of its own. @throws if the process ends before it is asked to. */
export async function startService() {
  const path = join(import.meta.dirname, 'service-process.ts');
  const { started, ask, close } = await startChildScript<Target, ServiceCommand, unknown>(path, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return {
    target: started,
    /** Breaks things from now on; none heals everything. */
    play: (rules: readonly FaultRuleInput[]) => ask({ do: 'play', rules }),
    measure: () => ask({ do: 'measure' }) as Promise<Measurement>,
    /** Calls that a fault has affected since the last time. */
    takeAffected: () => ask({ do: 'count' }) as Promise<number>,
    close,
  };
}
