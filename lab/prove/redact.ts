/**
 * What no report may have: numbers of accounts, what contains them, and credentials. The word that
 * stands for each says what was there.
 */
const patterns: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\barn:aws[a-z-]*:[^\s"'`,;)\]}]*/g, '<arn>'],
  [/(?<!\d)\d{12}(?!\d)/g, '<account>'],
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b/g, '<access key>'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '<token>'],
  [/\b(?:Basic|Bearer) [\w+/=.~-]{12,}/gi, '<credential>'],
  [/\b[A-Za-z0-9]{10}(?=\.execute-api\.)/g, '<api>'],
];

/** @param secrets of this run, e.g. of the client that it has made. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret !== '');
  const rest = known.reduce((left, secret) => left.replaceAll(secret, '<secret>'), text);
  return patterns.reduce((left, [pattern, word]) => left.replace(pattern, word), rest);
}
