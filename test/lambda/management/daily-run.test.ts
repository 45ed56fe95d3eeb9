import { describe, expect, it } from 'vitest';
import { managementAliases } from '../../../contract/management/roles.ts';
import { createDeployedManagementHandler } from '../../../lambda/management/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { operatorArn } from '../../support/caller-proof.ts';
import { createTestDailyRun } from '../../support/daily-run.ts';
import { createTestManagement } from '../../support/management.ts';
import { managementArn } from '../../support/management-function.ts';

const scheduled = `${managementArn}:daily-run`;

function createFunction(remaining = 60_000) {
  const daily = createTestDailyRun();
  const reports: RunReport[] = [];
  const telemetry = { report: (report: RunReport) => void reports.push(report) };
  const handler = createDeployedManagementHandler({
    createContext: () => createTestManagement().context,
    authenticateCaller: async () => operatorArn,
    telemetry,
    dailyRun: { open: () => daily.ports, deployment: 'test' },
  });
  const invoke = (invokedFunctionArn: string, event: unknown = {}) =>
    handler(event, { invokedFunctionArn, getRemainingTimeInMillis: () => remaining });
  return { daily, reports, invoke };
}

describe('the management function', () => {
  it('makes the daily run for the alias of the schedule, with any event', async () => {
    const { invoke, reports } = createFunction();
    await expect(invoke(scheduled, { request: '{}' })).resolves.toMatchObject({
      status: 'complete',
    });
    expect(reports).toMatchObject([
      {
        level: 'info',
        outcome: 'daily_run_complete',
        fields: { run: '2027-01-15T13:00:00Z', expiring: 0 },
        metrics: { DailyRunUpToDate: 1, ClientsOutsideGrants: 0 },
      },
    ]);
    await expect(invoke(scheduled)).resolves.toMatchObject({ status: 'current' });
  });

  it.each([...managementAliases, '$LATEST', '12'])('makes no run for %s', async (alias) => {
    const { invoke, daily } = createFunction();
    for (const event of [{}, { action: 'daily-run' }, { request: '"daily-run"' }]) {
      await expect(invoke(`${managementArn}:${alias}`, event)).resolves.toMatchObject({
        outcomes: [{ error: { class: expect.any(String) } }],
      });
    }
    await invoke(managementArn);
    expect(daily.state.current).toBeUndefined();
  });

  it('saves how far it is before its time is over', async () => {
    const { invoke, reports, daily } = createFunction(19_000);
    await expect(invoke(scheduled)).resolves.toMatchObject({ status: 'continues' });
    expect(daily.state.current?.run).toMatchObject({ stage: 'clients' });
    expect(reports).toMatchObject([{ metrics: { DailyRunUpToDate: 0 } }]);
  });

  it('fails with a line and a metric, and no detail for the caller', async () => {
    const { invoke, reports, daily } = createFunction();
    daily.sendings = 0;
    daily.audits.slc = [
      {
        time: new Date(daily.now * 1000 - 3_600_000).toISOString(),
        recordId: 'c1-2-done',
        actor: operatorArn,
        action: 'client.update',
        subject: 'client_1',
        outcome: 'done',
      },
    ];
    await expect(invoke(scheduled)).rejects.toThrow(
      /^the daily run failed; the log of the function says why$/,
    );
    expect(reports).toMatchObject([
      {
        level: 'error',
        outcome: 'daily_run_failed',
        fields: { error_message: 'EventBridge is out' },
        metrics: { DailyRunUpToDate: 0 },
      },
    ]);
  });
});
