import {
  maxClaimConditions,
  maxClaimConditionValues,
  maxExternalIdLength,
} from '../../contract/limits.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import { readFields, readList, readText, refuseInput, within } from './read-input.ts';

/** Printable ASCII: names of claims and JSON Pointers to members within them. */
const claimText = /^[\x21-\x7E]{1,256}$/;
/** RFC 6901 §3: a tilde is followed by 0 or 1. */
const brokenPointer = /^\/.*~(?![01])/;
const claimHelp = 'the name of a claim, or a JSON Pointer such as /kubernetes.io/namespace';

const printable = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const valueHelp = `1 to ${maxExternalIdLength} printable characters`;

function parseValue(value: unknown): string {
  const text = readText('values', value, valueHelp);
  const isAllowed = text.length <= maxExternalIdLength && printable.test(text);
  return isAllowed ? text : refuseInput('values', value, valueHelp);
}

function parseCondition(value: unknown): ClaimCondition {
  const given = readFields('condition', value, ['claim', 'values']);
  const claim = readText('claim', given.claim, claimHelp);
  if (!claimText.test(claim) || brokenPointer.test(claim)) refuseInput('claim', claim, claimHelp);
  const values = [...new Set(readList('values', given.values).map(parseValue))];
  if (values.length === 0 || values.length > maxClaimConditionValues) {
    refuseInput('values', values.length, `1 to ${maxClaimConditionValues} values`);
  }
  return { claim, values };
}

/** Claims that a client's tokens must have: each name once, all of them needed. */
export function parseClaimConditions(value: unknown): readonly ClaimCondition[] {
  const conditions = readList('requiredClaims', value).map((one, index) =>
    within(`requiredClaims[${index}]`, () => parseCondition(one)),
  );
  const names = conditions.map(({ claim }) => claim);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    refuseInput('requiredClaims', repeated, 'each claim once, with all of its values');
  }
  if (conditions.length > maxClaimConditions) {
    refuseInput('requiredClaims', conditions.length, `at most ${maxClaimConditions} claims`);
  }
  return conditions;
}
