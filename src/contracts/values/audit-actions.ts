/**
 * Everything that the audit log can say was done, with the words for it. An operation that changes something names its
 * action here (`audit` in its contract), and so does each job that acts by itself (`jobActions` below).
 */
export const auditActions = {
  'acme.change': 'Changed an ACME access',
  'acme.make': 'Made an ACME access',
  'acme.revoke': 'Revoked an ACME access',
  'acme.setAllowance': 'Set which ACME accesses a customer may make',
  'attention.change': 'Took over or postponed an attention entry',
  'attention.setDigest': 'Changed the daily attention email',
  'billing.accountLink': 'Opened the payment account’s set-up',
  'billing.autoBalance': 'Changed auto balance',
  'billing.autoTopUp': 'Topped up automatically',
  'billing.cancelTopUp': 'Cancelled a top-up',
  'billing.dashboardLink': 'Opened the payment dashboard',
  'billing.topUp': 'Started a top-up',
  'certificates.autoReissue': 'Reissued a certificate automatically',
  'certificates.cancel': 'Cancelled a certificate order',
  'certificates.reissue': 'Reissued a certificate',
  'certificates.resendApproval': 'Resent the approval email',
  'certificates.revoke': 'Revoked a certificate',
  'certificates.setAutoReissue': 'Changed automatic reissue',
  'certificates.setProof': 'Set the proof of control',
  'changes.apply': 'Applied a change of many domains',
  'changes.cancel': 'Ended a change of many domains',
  'changes.choose': 'Chose the domains of a change',
  'changes.create': 'Prepared a change of many domains',
  'changes.describe': 'Edited a change of many domains',
  'changes.discard': 'Discarded a change of many domains',
  'changes.pause': 'Paused a change of many domains',
  'changes.resume': 'Resumed a change of many domains',
  'changes.retry': 'Retried a change of many domains',
  'changes.undo': 'Prepared to undo a change',
  'customers.create': 'Created a customer',
  'customers.csvExport': 'Exported customers',
  'customers.delete': 'Deleted a customer',
  'customers.dropImportMapping': 'Removed a column mapping',
  'customers.keepImportMapping': 'Saved a column mapping',
  'customers.resendPaymentLink': 'Sent a payment set-up link',
  'customers.update': 'Changed a customer',
  'direct.charge': 'Charged a customer’s payment method',
  'direct.refund': 'Refunded a customer’s payment method',
  'direct.retry': 'Tried a direct charge again',
  'direct.settle': 'Settled a direct charge by hand',
  'dns.changeZone': 'Changed DNS records',
  'dns.createGlue': 'Added a glue record',
  'dns.deleteGlue': 'Removed a glue record',
  'dns.acceptDrift': 'Accepted a zone into a DNS template',
  'dns.changeTemplate': 'Changed a DNS template',
  'dns.deleteTemplate': 'Deleted a DNS template',
  'dns.forceNameservers': 'Switched to managed DNS',
  'dns.removeDnssec': 'Removed DNSSEC',
  'dns.forgetTemplate': 'Stopped watching a DNS template in domains',
  'dns.saveTemplate': 'Saved a DNS template',
  'dns.updateGlue': 'Changed a glue record',
  'domains.assign': 'Assigned a domain to another customer',
  'domains.autoRenew': 'Changed auto renew',
  'domains.contacts': 'Changed contacts of a domain',
  'domains.lock': 'Locked a domain',
  'domains.privacy': 'Changed WHOIS privacy',
  'domains.readAuthPassword': 'Read the auth password',
  'domains.resendVerification': 'Resent the registrant’s verification email',
  'domains.unlock': 'Unlocked a domain',
  'domains.updateNameservers': 'Changed nameservers',
  'health.mute': 'Muted or unmuted a finding about a domain',
  'moves.change': 'Changed a list of transfers',
  'moves.create': 'Pasted a list of transfers',
  'moves.drop': 'Deleted a list of transfers',
  'moves.setCode': 'Entered another auth code',
  'operator.correct': 'Corrected the balance',
  'operator.retry': 'Retried a stuck item',
  'orders.purchase': 'Purchased',
  'orders.refund': 'Refunded a certificate',
  'orders.renew': 'Renewed a domain',
  'orders.restore': 'Restored a domain',
  'orders.transfer': 'Ordered a transfer',
  'privacy.eraseCustomer': 'Erased a customer’s personal data',
  'privacy.eraseUser': 'Erased a person’s data',
  'privacy.export': 'Exported personal data',
  'privacy.readHold': 'Read data under legal hold',
  'renewals.autoRenew': 'Renewed a domain automatically',
  'statement.setAddress': 'Changed the billing address',
  'tokens.create': 'Made an API token',
  'tokens.end': 'API token ended',
  'tokens.revoke': 'Revoked an API token',
  'transfers.cancel': 'Cancelled a transfer',
  'users.acceptInvite': 'Accepted an invitation',
  'users.cancelInvite': 'Cancelled an invitation',
  'users.change': 'Changed a user',
  'users.createProfile': 'Signed up the organization',
  'users.finishLogo': 'Changed the logo',
  'users.invite': 'Invited a user',
  'users.remove': 'Removed a user',
  'users.resendInvite': 'Sent an invitation again',
  'views.delete': 'Removed a saved view',
  'views.save': 'Saved a view of a list',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof auditActions;
export const auditActionNames = Object.keys(auditActions) as [AuditAction, ...AuditAction[]];

/**
 * How an operation is audited: the action, or those of which it writes one or more, or why there is nothing to write.
 */
export type Audited = AuditAction | readonly AuditAction[] | { readonly none: string };

/** What jobs do for an organization without being asked: by the job's name, the action and the name that acts. */
export const jobActions = {
  'renewals.renew': { action: 'renewals.autoRenew', actor: 'Auto renew' },
  'billing.consider-auto-topup': { action: 'billing.autoTopUp', actor: 'Auto balance' },
  'certificates.sweep': { action: 'certificates.autoReissue', actor: 'Automatic reissue' },
  'direct-billing.charge': { action: 'direct.charge', actor: 'Direct billing' },
  'direct-billing.refund': { action: 'direct.refund', actor: 'Direct billing' },
  // In the name of the person who applied it. Other settings have operations of their own, with the same actions.
  'changes.run': { action: 'domains.assign', actor: 'Changes' },
  'orders.refund-certificate': { action: 'orders.refund', actor: 'Refunds' },
} as const satisfies Record<string, { action: AuditAction; actor: string }>;

/** An action in words. Entries of later versions, or of earlier ones, may have a name that this one does not know. */
export function auditTitle(action: string): string {
  return auditActions[action as AuditAction] ?? action;
}
