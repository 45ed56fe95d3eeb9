import { type Instrument, runRuntime } from '../emulator/runtime-api/runtime-client.ts';

let moduleLoadMs = 0;
let loadedAt = 0;
let firstPollMs: number | undefined;

/** Sends its measurements with each response; see lab/bench/measure.ts, which reads them. */
const instrument: Instrument = {
  load(load) {
    const start = performance.now();
    const handler = load();
    loadedAt = performance.now();
    moduleLoadMs = loadedAt - start;
    return handler;
  },
  async invoke(run) {
    const start = performance.now();
    firstPollMs ??= start - loadedAt;
    const payload = await run();
    const wallMs = performance.now() - start;
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    return {
      payload,
      headers: {
        'Bench-Cpu-Us': String(userCPUTime + systemCPUTime),
        'Bench-Wall-Ms': String(wallMs),
        'Bench-Module-Load-Ms': String(moduleLoadMs),
        'Bench-First-Poll-Ms': String(firstPollMs),
        'Bench-Max-Rss-Kb': String(maxRSS),
      },
    };
  },
};

void runRuntime(instrument);
