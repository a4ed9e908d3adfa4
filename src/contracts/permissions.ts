/** Who may do what. The one table: the server enforces it, the web app mirrors it, tests are generated from it. */
export const roles = ['MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const;
export type Role = (typeof roles)[number];

/** `all`: everything in the organisation; `own`: what belongs to the user's own customer (or to the user). */
export type Reach = 'all' | 'own' | 'none';

const staff = { MSP_OWNER: 'all', MSP_ADMIN: 'all', MSP_EMPLOYEE: 'all', MSP_CUSTOMER: 'none' } as const;
const managers = { MSP_OWNER: 'all', MSP_ADMIN: 'all', MSP_EMPLOYEE: 'none', MSP_CUSTOMER: 'none' } as const;
const staffAndOwn = { ...staff, MSP_CUSTOMER: 'own' } as const;

export const permissions = {
  'domains.read': staffAndOwn,
  'dns.write': staffAndOwn,
  /** Templates are the provider's: they may hold records of other customers. */
  'dns.templates': staff,
  /** For MSP_CUSTOMER only where the MSP allows it for that customer; the service checks that switch. */
  'domains.settings': staffAndOwn,
  'domains.unlock': staff,
  /** To have names looked at that are held elsewhere. */
  'domains.watch': staff,
  'catalogue.read': staff,
  'orders.purchase': staff,
  'orders.read': staff,
  /** For MSP_CUSTOMER to make and change only where the MSP allows it for that customer; the service checks that. */
  'acme.manage': staffAndOwn,
  'customers.read': staffAndOwn,
  'customers.create': staff,
  'customers.edit': staffAndOwn,
  'customers.delete': managers,
  'customers.export': managers,
  'customers.billing': managers,
  'balance.read': staff,
  'balance.topup': managers,
  'account.payment': managers,
  'statement.export': managers,
  'users.manage': managers,
  /** ADMIN may name the first OWNER only; the service checks that. */
  'roles.grant': managers,
  'organisation.write': managers,
  /** The OWNER's. ADMIN while there is no OWNER, as they may make themselves the first; the service checks that. */
  'organisation.close': managers,
  'audit.read': { MSP_OWNER: 'all', MSP_ADMIN: 'all', MSP_EMPLOYEE: 'own', MSP_CUSTOMER: 'own' },
  'audit.export': managers,
  'tokens.manage': managers,
  /** A person's data: to be handed out, and to be erased. */
  'privacy.manage': managers,
  /** To take over, give away and put off what waits for a person. */
  'attention.manage': staff,
  /** To change many domains at once; what is changed needs its own permission besides. */
  'changes.manage': staff,
  /** Lists kept under a name. */
  'views.use': staff,
  'profile.self': { MSP_OWNER: 'own', MSP_ADMIN: 'own', MSP_EMPLOYEE: 'own', MSP_CUSTOMER: 'own' },
} as const satisfies Record<string, Record<Role, Reach>>;

export type Permission = keyof typeof permissions;

/** How far a role's permission reaches. */
export function reachOf(role: Role, permission: Permission): Reach {
  return permissions[permission][role];
}

/** Whether a role has a permission at all. */
export function may(role: Role, permission: Permission): boolean {
  return reachOf(role, permission) !== 'none';
}

/** Names the caller's present role in every reply to a person with a profile. */
export const roleHeader = 'nameward-role';
