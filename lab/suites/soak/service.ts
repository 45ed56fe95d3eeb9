import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';
import type { LocalRun } from '../../local/start-local.ts';

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
  | { readonly do: 'measure' | 'count' | 'close' };

export type ServiceAnswer =
  | { readonly is: 'ready'; readonly target: Target }
  | { readonly is: 'measured'; readonly measurement: Measurement }
  | { readonly is: 'counted'; readonly affected: number };

/** The service in a process of its own. */
export interface SoakedService {
  readonly target: Target;
  /** Breaks things from now on; none heals everything. */
  play(rules: readonly FaultRuleInput[]): void;
  measure(): Promise<Measurement>;
  /** Calls that a fault has affected since the last time. */
  takeAffected(): Promise<number>;
  close(): Promise<void>;
}

/** @throws if the process ends before it is asked to. */
export async function startService(): Promise<SoakedService> {
  const child = fork(join(import.meta.dirname, 'service-process.ts'), {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const died = ended.then(([code]) => {
    throw new Error(`the service ended (${String(code)})`);
  });
  died.catch(() => undefined);
  /** Answers come in the order of the questions, of which there is one of each kind at a time. */
  const hear = <K extends ServiceAnswer['is']>(
    is: K,
  ): Promise<Extract<ServiceAnswer, { is: K }>> => {
    const heard = new Promise<Extract<ServiceAnswer, { is: K }>>((resolve) => {
      const listen = (answer: ServiceAnswer): void => {
        if (answer.is !== is) return;
        child.off('message', listen);
        resolve(answer as Extract<ServiceAnswer, { is: K }>);
      };
      child.on('message', listen);
    });
    return Promise.race([heard, died]);
  };
  const say = (command: ServiceCommand): void => {
    child.send(command);
  };
  const { target } = await hear('ready');
  return {
    target,
    play: (rules) => say({ do: 'play', rules }),
    measure: async () => {
      const answer = hear('measured');
      say({ do: 'measure' });
      return (await answer).measurement;
    },
    takeAffected: async () => {
      const answer = hear('counted');
      say({ do: 'count' });
      return (await answer).affected;
    },
    close: async () => {
      say({ do: 'close' });
      await ended;
    },
  };
}
