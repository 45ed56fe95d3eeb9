import { hash } from 'node:crypto';
import type { NoticeDetail, NoticeKind } from '../../contract/notices.ts';

/** An event for those who look after clients and API keys. */
export interface Notice<Kind extends NoticeKind = NoticeKind> {
  readonly kind: Kind;
  readonly detail: NoticeDetail<Kind>;
}

/**
 * Sends notices, in their order.
 *
 * @throws {UnavailableError} if not all were accepted. Some may have been: send all of them again.
 */
export type PutNotices = (notices: readonly Notice[]) => Promise<void>;

/**
 * The id of a notice follows from what it is about, so that a repetition has the same one.
 *
 * @param about what tells it from every other notice of this kind.
 */
export function noticeId(
  deployment: string,
  kind: NoticeKind,
  ...about: readonly (string | number)[]
): string {
  const text = JSON.stringify([deployment, kind, ...about]);
  return hash('sha256', text, 'base64url');
}
