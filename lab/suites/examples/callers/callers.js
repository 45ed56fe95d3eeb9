// Calls an API with a TypeScript example: as many times at once as each line says.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { callApi } = await import(pathToFileURL(process.argv[2]).href);
for await (const line of createInterface({ input: process.stdin })) {
  const calls = Array.from({ length: JSON.parse(line).count }, () =>
    callApi(process.env.EXAMPLE_URL),
  );
  const outcomes = await Promise.allSettled(calls);
  const wrong = outcomes.find(({ value }) => value?.status !== 200);
  const why = wrong && String(wrong.reason ?? wrong.value.status);
  console.log(JSON.stringify({ ok: wrong === undefined, why }));
}
