/** EventBridge's event patterns, as far as the rules of this project use them. */
type Matcher =
  | string
  | { readonly exists: boolean }
  | { readonly 'anything-but': readonly string[] };

export interface EventPattern {
  readonly $or?: readonly EventPattern[];
  readonly [field: string]: EventPattern | readonly Matcher[] | readonly EventPattern[] | undefined;
}

type Json = string | boolean | null | undefined | { readonly [name: string]: Json };

function matchesValue(matcher: Matcher, value: Json): boolean {
  if (typeof matcher === 'string') return value === matcher;
  if ('exists' in matcher) return (value !== undefined) === matcher.exists;
  // A field that is not there is no other value of it.
  return typeof value === 'string' && !matcher['anything-but'].includes(value);
}

/** Whether EventBridge would give an event to a rule with this pattern. */
export function matchesEvent(pattern: EventPattern, event: Json): boolean {
  return Object.entries(pattern).every(([field, expected]) => {
    if (field === '$or') {
      return (expected as readonly EventPattern[]).some((one) => matchesEvent(one, event));
    }
    const value = typeof event === 'object' && event !== null ? event[field] : undefined;
    return Array.isArray(expected)
      ? (expected as readonly Matcher[]).some((matcher) => matchesValue(matcher, value))
      : matchesEvent(expected as EventPattern, value);
  });
}
