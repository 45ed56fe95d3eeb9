import * as v from 'valibot';
import type { Exception } from './exceptions.ts';

const resultsSchema = v.object({
  results: v.object({
    failed_checks: v.array(
      v.object({
        check_id: v.string(),
        check_name: v.string(),
        /** Path in the scanned folder. */
        file_path: v.string(),
        resource: v.string(),
      }),
    ),
  }),
  summary: v.object({ passed: v.number(), parsing_errors: v.number(), resource_count: v.number() }),
});

/** What checkov writes with `--output json`. */
type CheckovReport = v.InferOutput<typeof resultsSchema>;

/** @throws {Error} if checkov could not read every template, or read none. */
export function parseReport(output: string): CheckovReport {
  const report = v.parse(resultsSchema, JSON.parse(output));
  const { parsing_errors: errors, resource_count: resources, passed } = report.summary;
  if (errors > 0 || resources === 0 || passed === 0) {
    throw new Error(`checkov read ${resources} resources, with ${errors} parsing errors`);
  }
  return report;
}

interface Review {
  /** Findings that no exception has a reason for. */
  readonly unacknowledged: readonly string[];
  /** Exceptions that no finding needs. */
  readonly unused: readonly string[];
}

/** Compares findings with the reviewed exceptions, in both directions. */
export function reviewFindings(report: CheckovReport, exceptions: readonly Exception[]): Review {
  const findings = report.results.failed_checks;
  const accepts = (check: string, pattern: RegExp) =>
    findings.filter(({ check_id: id, resource }) => id === check && pattern.test(resource));
  const accepted = new Set(
    exceptions.flatMap(({ check, resources }) =>
      resources.flatMap((pattern) => accepts(check, pattern)),
    ),
  );
  return {
    unacknowledged: findings
      .filter((finding) => !accepted.has(finding))
      .map((one) => `${one.check_id} ${one.check_name}: ${one.resource} (${one.file_path})`),
    unused: exceptions.flatMap(({ check, resources }) =>
      resources
        .filter((pattern) => accepts(check, pattern).length === 0)
        .map((pattern) => `${check}: ${pattern.source}`),
    ),
  };
}
