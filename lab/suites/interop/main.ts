import { Command, Option } from 'commander';
import { type World, withWorld, withWorlds } from '../examples/world.ts';
import { checkClient, runCalls } from './check-client.ts';
import { checkKeys, type KeyClient, withKeyWorlds } from './check-keys.ts';
import { behaviourOf, checkLibrary } from './check-library.ts';
import { clients, type TokenClient } from './clients.ts';
import { startIssuer } from './issuer.ts';
import { type Library, libraries } from './libraries.ts';
import {
  checkEach,
  clientTable,
  formatClient,
  formatKeys,
  formatProof,
  formatVerifier,
  keyClients,
  keyTable,
  proofClients,
  proofTable,
  Report,
  titleOf,
  verifierTable,
} from './tables.ts';

/*
 * Runs this service's tokens through the libraries of other languages, as far as their runtimes are
 * on this machine: `npm run test:interop`, or `npm run test:interop -- Spring` for the rows with
 * Spring in their name. `--write` puts the rows into docs/interop.md; what is skipped keeps its row.
 */

interface Part {
  readonly report: Report;
  readonly check: (report: Report) => Promise<void>;
}

const parts: Readonly<Record<string, Part>> = {
  verifiers: { report: new Report(verifierTable), check: checkVerifiers },
  clients: { report: new Report(clientTable), check: checkClients },
  keys: { report: new Report(keyTable), check: checkKeyClients },
  proofs: { report: new Report(proofTable), check: checkProofs },
};

const command = new Command('npm run test:interop --')
  .argument('[name]', 'only rows with this in their name', '')
  .option('--write', 'puts the rows into docs/interop.md')
  .addOption(new Option('--only <table>', 'only this table').choices(Object.keys(parts)))
  .parse();
const { write = false, only } = command.opts<{ readonly write?: true; readonly only?: string }>();
const isWanted = (title: string) => title.includes(command.args[0] ?? '');

async function checkVerifiers(report: Report): Promise<void> {
  const issuer = await startIssuer();
  const wanted = libraries.filter((each) => isWanted(titleOf(each)));
  try {
    const prepare = (library: Library) => library.prepare(issuer);
    await checkEach(wanted, prepare, async (library, { open }) => {
      const row = await checkLibrary({ library, open, issuer });
      const outcomes = [...row.byAlg.values(), ...behaviourOf(row)];
      const problems = [...outcomes.map(({ problem }) => problem), row.wrongProof].flatMap(
        (problem) => problem ?? [],
      );
      report.add(titleOf(library), formatVerifier(row), problems);
    });
  } finally {
    await issuer.close();
  }
}

async function checkClients(report: Report): Promise<void> {
  const wanted = clients.filter((each) => isWanted(titleOf(each)));
  if (wanted.length === 0) return;
  await withWorlds([{}, { authorizationEndpoint: true }], async (...worlds) => {
    const [usual, withEndpoint] = worlds as [World, World];
    const worldOf = (client: TokenClient) => (client.authorizationEndpoint ? withEndpoint : usual);
    const build = (client: TokenClient) => client.runtime('client', worldOf(client).trust);
    await checkEach(wanted, build, async (client, { command: program }) => {
      const row = await checkClient(client, program, { usual, ready: worldOf(client) });
      report.add(titleOf(client), formatClient(row), row.problems);
    });
  });
}

async function checkKeyClients(report: Report): Promise<void> {
  const wanted = keyClients.filter((each) => isWanted(titleOf(each)));
  if (wanted.length === 0) return;
  await withKeyWorlds(async (worlds) => {
    const { trust } = worlds.strict.world;
    const build = (client: KeyClient) => client.runtime('client', trust);
    await checkEach(wanted, build, async (client) => {
      const row = await checkKeys(client, worlds);
      report.add(titleOf(client), formatKeys(row), row.problems);
    });
  });
}

/** A client binds tokens to a key, and calls an API with its proofs; no token is good when the proof is missing. */
async function checkProofs(report: Report): Promise<void> {
  const wanted = proofClients.filter((each) => isWanted(titleOf(each)));
  if (wanted.length === 0) return;
  const use = (world: World) =>
    checkEach(
      wanted,
      (client) => client.runtime('client', world.trust),
      async (client, { command: program }) => {
        const run = [...program, client.program, 'proof'] as const;
        const { why } = await runCalls(run, world, {}, { expected: 401 });
        report.add(titleOf(client), formatProof(client), why === undefined ? [] : [why]);
      },
    );
  await withWorld(use, { dpop: true });
}

const wantedParts = Object.entries(parts).filter(([name]) => only === undefined || name === only);
for (const [, { report, check }] of wantedParts) await check(report);
const reports = wantedParts.map(([, { report }]) => report);
const problems = reports.reduce((sum, report) => sum + report.problems, 0);
const count = reports.reduce((sum, { rows }) => sum + rows, 0);
if (problems > 0 || count === 0) process.exitCode = 1;
else if (write) for (const report of reports) report.write();
if (write && problems > 0) process.stdout.write('docs/interop.md was not written\n');
