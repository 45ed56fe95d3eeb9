import { afterEach } from 'vitest';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

/** The whole service before backends that fail when they are told to. */
interface FaultyRun {
  readonly faults: Faults;
  readonly service: () => LocalRun;
}

/** Starts it for the tests of a file. After each test everything works again. */
export function useFaultyService(): FaultyRun {
  const faults = new Faults();
  const service = useLocalService({ faults });
  afterEach(() => faults.stop());
  return { faults, service };
}
