import { randomBytes } from 'node:crypto';
import {
  keyCacheWeight,
  maxKeyIdLength,
  maxOwnProviderKeyBits,
  maxOwnProviderKeys,
  maxProviderDocumentBytes,
} from '../../../contract/limits.ts';
import { startFunctionProcess } from '../../emulator/runtime-api/function-process.ts';
import { bodyOf, encode } from '../../support/platforms/hostile-world.ts';
import { startBackend } from '../backend/backend.ts';
import { buildFunction, buildMeasuredRuntime, emptyWorkFolder } from '../build.ts';
import { asOfNow, expectStatus } from '../measure.ts';
import {
  awsRegion,
  backendEnvironment,
  createItems,
  createProvider,
  federatedTokenEnvironment,
  issuer,
  providerItem,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../scenario.ts';
import { tokenEvent } from '../sections/token.ts';

/*
 * `node lab/bench/load/key-sets.ts` fills the key cache of the deployed token function at the
 * smallest memory that a config allows: providers of the platform and of customers, each with the
 * largest set that is accepted of both, and an assertion for each of its keys. It prints the largest
 * resident size, and fails if the process ends or is larger than its memory.
 */

const memoryMb = 256;
/** Of each kind. Almost twice as many as the cache keeps. */
const providersOfEachKind = 450;

/** As the runtime of AWS Lambda starts Node. */
const nodeArguments = [
  `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
  `--max-semi-space-size=${Math.floor(memoryMb * 0.05)}`,
];

/** Both kinds have the largest set that is accepted of a customer's own provider. */
const modulusBits = maxOwnProviderKeyBits;

function createModulus(): string {
  const modulus = randomBytes(modulusBits / 8);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[modulus.length - 1] = (modulus.at(-1) ?? 0) | 1;
  return modulus.toString('base64url');
}

const kids = Array.from({ length: maxOwnProviderKeys }, (_, index) =>
  String(index).padStart(maxKeyIdLength, 'k'),
);
const keySet = {
  keys: kids.map((kid) => ({
    kty: 'RSA',
    alg: 'RS256',
    use: 'sig',
    kid,
    e: 'AQAB',
    n: createModulus(),
  })),
};
const documentBytes = JSON.stringify(keySet).length;
if (documentBytes > maxProviderDocumentBytes) throw new Error(`the set has ${documentBytes} bytes`);

emptyWorkFolder();
const backend = await startBackend();
const now = Math.floor(Date.now() / 1000);
const providers = Array.from({ length: 2 * providersOfEachKind }, (_, index) => {
  const registrationId = `registration_${index}`;
  const own = index % 2 === 1 && ({ owned: true, ownedBy: `tg-${index}` } as const);
  const issuer = `${backend.issuer}/${index}`;
  return { ...createProvider({ issuer, registrationId, alg: 'RS256' }), ...own };
});
await backend.command({
  items: [...createItems(backend), ...providers.map(providerItem)],
  providerJwks: keySet,
});

const { name, taskRoot } = buildFunction('token');
const process = await startFunctionProcess({
  name,
  taskRoot,
  environment: {
    ...backendEnvironment(backend),
    ...federatedTokenEnvironment({ ownProviders: true }),
  },
  awsRegion,
  memoryMb,
  nodeArguments,
  runtime: buildMeasuredRuntime(),
  onOutput: () => undefined,
});

let maxRssMb = 0;
async function send(body: string, headers: readonly string[], statuses: readonly number[]) {
  const { payload, headers: measured } = await process.invoke(asOfNow(tokenEvent(headers, body)));
  maxRssMb = Number(measured['bench-max-rss-kb']) / 1024;
  const { statusCode } = payload as { readonly statusCode: number };
  if (!statuses.includes(statusCode)) expectStatus(statuses[0] ?? 0)(payload);
}

const sendBasic = () => send(tokenRequestBody, tokenRequestHeaders(), [200]);
const form = ['Content-Type', 'application/x-www-form-urlencoded'];

/** Its signature is wrong, which is seen only when the key is ready to verify with. */
async function sendAssertion(iss: string, kid: string) {
  const claims = { iss, sub: 'x', aud: issuer, iat: now, exp: now + 3600 };
  const parts = [{ alg: 'RS256', kid }, claims].map((part) => encode(JSON.stringify(part)));
  const assertion = [...parts, encode(randomBytes(modulusBits / 8))].join('.');
  await send(bodyOf('jwt_bearer', assertion), form, [400, 429]);
}

const print = (...cells: readonly (string | number)[]) =>
  globalThis.process.stdout.write(`| ${cells.join(' | ')} |\n`);

globalThis.process.stdout.write(
  `token function with ${memoryMb} MB, node ${nodeArguments.join(' ')}; each set has ${kids.length} keys of ${modulusBits} bits, ${documentBytes} bytes; bound of the cache: 2 x ${keyCacheWeight / 1024 ** 2} MiB\n\n`,
);
print('providers', 'keys used', 'fetches', 'largest resident size, MB');
print('---:', '---:', '---:', '---:');
await sendBasic();
print(0, 0, 0, maxRssMb.toFixed(0));
let fetches = 0;
for (const [index, provider] of providers.entries()) {
  for (const kid of kids) await sendAssertion(provider.issuer, kid);
  fetches += (await backend.command({}))['fetch'] ?? 0;
  const count = index + 1;
  if (count === 1 || count % 30 === 0) {
    print(count, count * kids.length, fetches, maxRssMb.toFixed(0));
  }
}
await sendBasic();
await process.close();
await backend.close();
if (maxRssMb > memoryMb || fetches < providers.length) globalThis.process.exitCode = 1;
