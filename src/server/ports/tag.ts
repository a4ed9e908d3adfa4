/**
 * Whose an order is, and what was agreed: it travels with the item's id, so that a portal whose database has forgotten the
 * order can write it down again at its price (docs/decisions/0250).
 */
export interface OrderOrigin {
  organisationId: string;
  customerId: string | null;
  priceCents: number;
  /** The portal renews the name. */
  autoRenew: boolean;
}

/** The longest tag that every registrar takes; older documents of ours say so of its field. */
export const longestTag = 100;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const written = /^(.+?)\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{22}|)\.([0-9a-z]{1,9})(\.a)?$/;

/** What is sent: the id alone where nothing else is known. */
export function writeTag(tag: string, origin?: OrderOrigin): string {
  if (!origin) return tag;
  const { organisationId, customerId, priceCents, autoRenew } = origin;
  const customer = customerId ? packed(customerId) : '';
  const parts = [tag, packed(organisationId), customer, priceCents.toString(36)];
  return [...parts, ...(autoRenew ? ['a'] : [])].join('.');
}

/** What came back. Anything that we have not written is a tag without an origin. */
export function readTag(text: string | null): { tag: string | null; origin: OrderOrigin | null } {
  const [, tag, organisation = '', customer = '', price = '', renews] = written.exec(text ?? '') ?? [];
  if (tag === undefined) return { tag: text, origin: null };
  const priceCents = Number.parseInt(price, 36);
  if (!Number.isSafeInteger(priceCents)) return { tag: text, origin: null };
  return {
    tag,
    origin: {
      organisationId: unpacked(organisation),
      customerId: customer === '' ? null : unpacked(customer),
      priceCents,
      autoRenew: renews !== undefined,
    },
  };
}

function packed(id: string): string {
  if (!uuid.test(id)) throw new Error(`"${id}" is no id of ours`);
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function unpacked(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
