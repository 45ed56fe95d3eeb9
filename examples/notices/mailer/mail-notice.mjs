/**
 * The sentence of each kind of notice. It names what the customer sees in the portal, and has no
 * link: a mail with a link to a login teaches people to follow one. It is plain text, made of the
 * values as they are: the customer chose these names, and they may have quotes.
 */
const sentences = {
  'Credential Approaching Expiration': (detail) =>
    detail.credential === 'api_key'
      ? `API key ${detail.key_name} (${detail.key_id}) expires at ${detail.expires_at}.`
      : `Secret ${detail.secret_id} of client ${detail.client_name} expires at ${detail.expires_at}: create a new one, and use it from then on.`,
  'Credential Unused': (detail) =>
    `Secret ${detail.secret_id} of client ${detail.client_name} was not used for 90 days: delete it if no one needs it.`,
  'Management Change': (detail) =>
    `${detail.actor} made the change ${detail.action} of ${detail.subject} at ${detail.changed_at}.`,
};

/** The trunk groups that a notice concerns. A change of everything concerns no customer's own. */
function trunkGroupsOf({ service_trunk_group: one, service_trunk_groups: several = [] }) {
  return one === undefined ? several : [one];
}

/**
 * Sends a notice to the addresses of its customers, a mail for each trunk group, so that no customer
 * sees an address of another.
 *
 * @param findAddresses addresses of a service trunk group; an empty list if it wants no mail.
 * @param sendMail sends `{ to, subject, text }`. A failure propagates: Lambda tries the event again.
 */
export function createHandler({ findAddresses, sendMail }) {
  return async ({ 'detail-type': type, detail }) => {
    const text = sentences[type]?.(detail);
    // A later release may send further kinds.
    if (text === undefined) return;
    for (const trunkGroup of trunkGroupsOf(detail)) {
      const to = await findAddresses(trunkGroup);
      if (to.length > 0) await sendMail({ to, subject: `${type}: ${trunkGroup}`, text });
    }
  };
}
