import { type Instrument, runRuntime } from '../emulator/runtime-api/runtime-client.ts';

/** Sends its measurements with each response; see lab/bench/measure.ts, which reads them. */
const measureInvocation: Instrument = async (run) => {
  const start = performance.now();
  const payload = await run();
  const wallMs = performance.now() - start;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    payload,
    headers: {
      'Bench-Cpu-Us': String(userCPUTime + systemCPUTime),
      'Bench-Wall-Ms': String(wallMs),
    },
  };
};

void runRuntime(measureInvocation);
