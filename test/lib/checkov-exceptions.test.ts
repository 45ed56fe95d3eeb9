import { describe, expect, it } from 'vitest';
import { exceptions } from '../../lab/suites/templates/checkov/exceptions.ts';
import { parseReport, reviewFindings } from '../../lab/suites/templates/checkov/review-findings.ts';

const finding = (check: string, resource: string) => ({
  check_id: check,
  check_name: 'Ensure something',
  file_path: '/stack.template.json',
  resource,
});
const summary = { passed: 1, parsing_errors: 0, resource_count: 1 };
const reportOf = (...failed: ReturnType<typeof finding>[]) =>
  parseReport(JSON.stringify({ results: { failed_checks: failed }, summary }));
const reviewed = [
  {
    check: 'CKV_1',
    resources: [/^Topic\.Alarm/, /^Topic\.Other/],
    reason: 'as small as it can be',
  },
];

describe('findings of checkov', () => {
  it('are acknowledged by their check and their resource', () => {
    const report = reportOf(finding('CKV_1', 'Topic.Alarm1'), finding('CKV_1', 'Topic.Other1'));
    expect(reviewFindings(report, reviewed)).toEqual({ unacknowledged: [], unused: [] });
  });

  it.each([
    ['another check', finding('CKV_2', 'Topic.Alarm1')],
    ['another resource', finding('CKV_1', 'Queue.Alarm1')],
  ])('of %s are not', (_, other) => {
    const report = reportOf(
      finding('CKV_1', 'Topic.Alarm'),
      finding('CKV_1', 'Topic.Other'),
      other,
    );
    expect(reviewFindings(report, reviewed).unacknowledged).toEqual([
      `${other.check_id} Ensure something: ${other.resource} (/stack.template.json)`,
    ]);
  });

  it('that are gone make their exception fail', () => {
    const report = reportOf(finding('CKV_1', 'Topic.Alarm'));
    expect(reviewFindings(report, reviewed).unused).toEqual([String.raw`CKV_1: ^Topic\.Other`]);
  });

  it.each([
    ['could not read a template', { ...summary, parsing_errors: 1 }],
    ['read no resource', { ...summary, resource_count: 0 }],
    ['checked nothing', { ...summary, passed: 0 }],
  ])('count for nothing if checkov %s', (_, wrong) => {
    const output = JSON.stringify({ results: { failed_checks: [] }, summary: wrong });
    expect(() => parseReport(output)).toThrow('checkov read');
  });
});

describe('the reviewed exceptions', () => {
  it('each have a reason and a check of their own', () => {
    const checks = exceptions.map(({ check }) => check);
    expect(new Set(checks).size).toBe(checks.length);
    for (const { reason } of exceptions) expect(reason.length).toBeGreaterThan(40);
  });
});
