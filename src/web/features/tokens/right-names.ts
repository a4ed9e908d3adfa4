/** What each permission means to the author of a script. */
const rightNames: Record<string, string> = {
  'domains.read': 'See domains, zones and certificates',
  'dns.write': 'Edit DNS records',
  'dns.templates': 'DNS templates',
  'domains.settings': 'Nameservers, lock, auto renew, contacts',
  'catalogue.read': 'Search and prices',
  'orders.purchase': 'Purchase, renew, transfer',
  'orders.read': 'See orders',
  'customers.read': 'See customers',
  'customers.create': 'Create customers',
  'customers.edit': 'Edit customers',
  'customers.delete': 'Delete customers',
  'customers.export': 'Export customers',
  'customers.billing': 'Markups and direct billing',
  'balance.read': 'See the balance',
  'balance.topup': 'Top up',
  'statement.export': 'Export statements',
  'audit.read': 'Read the audit log',
  'audit.export': 'Export the audit log',
  'domains.watch': 'Watch domains held elsewhere',
  'attention.manage': 'Take over and postpone attention entries',
  'changes.manage': 'Change many domains at once',
  'views.use': 'Use saved views',
  'acme.manage': 'Manage ACME accesses',
};

export const rightName = (permission: string) => rightNames[permission] ?? permission;

/** "See customers", "See customers and 3 more", "Nothing" */
export function rightsText(permissions: readonly string[]): string {
  const [first, ...more] = permissions;
  if (first === undefined) return 'Nothing';
  return more.length === 0 ? rightName(first) : `${rightName(first)} and ${more.length} more`;
}
