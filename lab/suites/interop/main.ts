import { parseArgs } from 'node:util';
import { tokenPath } from '../../../contract/routes.ts';
import { trustService } from '../../support/trust-service.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { prepareWorld } from '../examples/world.ts';
import { checkClient } from './check-client.ts';
import { checkLibrary } from './check-library.ts';
import { clientTable, clientTitle, formatClient } from './client-table.ts';
import { clients } from './clients.ts';
import { startIssuer } from './issuer.ts';
import { libraries } from './libraries.ts';
import { Report } from './report.ts';
import { writeTable } from './table.ts';
import { formatVerifier, problemsOf, titleOf, verifierTable } from './verifier-table.ts';

/*
 * Runs this service's tokens through the libraries of other languages, as far as their runtimes are
 * on this machine: `npm run test:interop`, or `npm run test:interop -- Spring` for the rows with
 * Spring in their name. `--write` puts the rows into docs/interop.md; what is skipped keeps its row.
 */

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isWanted = (title: string) => title.includes(positionals[0] ?? '');

async function checkVerifiers(report: Report): Promise<void> {
  const issuer = await startIssuer();
  try {
    for (const library of libraries.filter((each) => isWanted(titleOf(each)))) {
      const prepared = await library.prepare(issuer);
      if ('missing' in prepared) {
        report.skip(titleOf(library), prepared.missing);
        continue;
      }
      const row = await checkLibrary({ library, open: prepared.open, issuer });
      report.add(titleOf(library), formatVerifier(row), problemsOf(row));
    }
  } finally {
    await issuer.close();
  }
}

async function checkClients(report: Report): Promise<void> {
  let tokenRequests = 0;
  const take = () => {
    const taken = tokenRequests;
    tokenRequests = 0;
    return taken;
  };
  const onRequest = ({ path }: { readonly path: string }) => {
    if (path === tokenPath) tokenRequests += 1;
  };
  const wanted = clients.filter((each) => isWanted(clientTitle(each)));
  if (wanted.length === 0) return;
  await withLocalService({ https: true, onRequest }, async (service) => {
    trustService(service);
    const trust = { caPath: service.caPath ?? '', directory: service.paths.directory };
    const world = await prepareWorld(service, take);
    for (const client of wanted) {
      const built = await client.runtime('client', trust);
      if ('missing' in built) {
        report.skip(clientTitle(client), built.missing);
        continue;
      }
      const row = await checkClient(client, built.command, world);
      report.add(clientTitle(client), formatClient(row), row.problems);
    }
  });
}

const verifiers = new Report(verifierTable);
await checkVerifiers(verifiers);
const tokenClients = new Report(clientTable);
await checkClients(tokenClients);
const reports = [verifiers, tokenClients];
const problems = reports.reduce((sum, report) => sum + report.problems, 0);
const rows = reports.reduce((sum, { measured }) => sum + measured.size, 0);
if (problems > 0 || rows === 0) process.exitCode = 1;
else if (values.write) for (const { table, measured } of reports) writeTable(table, measured);
if (values.write && problems > 0) process.stdout.write('docs/interop.md was not written\n');
