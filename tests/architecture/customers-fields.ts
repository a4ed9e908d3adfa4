/**
 * The fields of each reply that customers' users may be sent. Those that are null for them stand here too: billing, markups and
 * the payment account's id of a customer, the money of an organization in a profile, what a certificate costs by ACME. That they are
 * null is for tests of the feature to show.
 */
export const customersFields: Readonly<Record<string, string>> = {
  'acme.allowance': `
    mayBuy mayBuy.centsPerMonth mayBuy.ordersPerMonth mostAccesses product productType`,
  'acme.change': `
    buysNow buysNow.centsPerMonth buysNow.ordersPerMonth byCustomer createdAt customer customerId
    directoryUrl ended ended.at ended.because expiresAt hosts id keyId lastUsedAt madeBy mayBuy
    mayBuy.centsPerMonth mayBuy.ordersPerMonth mayChange name problem problem.at problem.text product
    productType state usedThisMonth usedThisMonth.cents usedThisMonth.orders`,
  'acme.get': `
    buysNow buysNow.centsPerMonth buysNow.ordersPerMonth byCustomer createdAt customer customerId
    directoryUrl ended ended.at ended.because expiresAt hosts id keyId lastUsedAt madeBy mayBuy
    mayBuy.centsPerMonth mayBuy.ordersPerMonth mayChange name problem problem.at problem.text product
    productType state usedThisMonth usedThisMonth.cents usedThisMonth.orders`,
  'acme.list': `
    [].buysNow [].buysNow.centsPerMonth [].buysNow.ordersPerMonth [].byCustomer [].createdAt [].customer
    [].customerId [].directoryUrl [].ended [].ended.at [].ended.because [].expiresAt [].hosts [].id
    [].keyId [].lastUsedAt [].madeBy [].mayBuy [].mayBuy.centsPerMonth [].mayBuy.ordersPerMonth
    [].mayChange [].name [].problem [].problem.at [].problem.text [].product [].productType [].state
    [].usedThisMonth [].usedThisMonth.cents [].usedThisMonth.orders`,
  'acme.log': '[].advice [].at [].detail [].event [].identifiers [].lastAt [].outcome [].times',
  'acme.make': `
    buysNow buysNow.centsPerMonth buysNow.ordersPerMonth byCustomer createdAt customer customerId
    directoryUrl ended ended.at ended.because expiresAt hmacKey hosts id keyId lastUsedAt madeBy mayBuy
    mayBuy.centsPerMonth mayBuy.ordersPerMonth mayChange name problem problem.at problem.text product
    productType state usedThisMonth usedThisMonth.cents usedThisMonth.orders`,
  'attention.counts': 'causes causes[].cause causes[].count mine now snoozed soon',
  'attention.getDigest': 'daily',
  'attention.list': `
    items items[].action items[].action.label items[].action.to items[].cause items[].customer
    items[].customerId items[].deadline items[].detail items[].id items[].name items[].openedAt
    items[].owner items[].owner.name items[].owner.userId items[].renewal items[].renewal.autoRenew
    items[].renewal.expireDate items[].severity items[].snoozedUntil items[].title items[].version
    items[].when more`,
  'attention.setDigest': 'daily',
  'audit.list': `
    [].action [].actor [].actorId [].after [].at [].before [].customer [].customerId [].ip [].object
    [].objectKind [].sequence`,
  'certificates.get': `
    address approverEmail autoReissue byAcme byAcme.accessId byAcme.lastSeenAt byAcme.name byAcme.problem
    byAcme.renewsAt byAcme.renewsAt.from byAcme.renewsAt.to certificateId csr csrData csrData.country
    csrData.domain csrData.email csrData.locality csrData.organization csrData.organization_unit
    csrData.state customer customerId flags flags[].kind flags[].level flags[].text hostNames issues
    issues[].serial issues[].validFrom issues[].validTo nextReissueAt orderId orderedAt productType proof
    proof.dnsName proof.dnsType proof.dnsValue proof.fileContent proof.filePath proof.method proofCheckedAt
    proofState provider reissue reissue.automatic reissue.orderId reissue.startedAt reissue.state reissuing
    remark serial state termEndsAt validFrom validTo wildcard`,
  'certificates.list': `
    [].address [].byAcme [].byAcme.accessId [].byAcme.lastSeenAt [].byAcme.name [].byAcme.problem
    [].byAcme.renewsAt [].byAcme.renewsAt.from [].byAcme.renewsAt.to [].certificateId [].customer
    [].customerId [].flags [].flags[].kind [].flags[].level [].flags[].text [].hostNames [].nextReissueAt
    [].orderId [].orderedAt [].productType [].provider [].reissuing [].serial [].state [].termEndsAt
    [].validFrom [].validTo`,
  'certificates.listForCustomer': `
    [].address [].byAcme [].byAcme.accessId [].byAcme.lastSeenAt [].byAcme.name [].byAcme.problem
    [].byAcme.renewsAt [].byAcme.renewsAt.from [].byAcme.renewsAt.to [].certificateId [].customer
    [].customerId [].flags [].flags[].kind [].flags[].level [].flags[].text [].hostNames [].nextReissueAt
    [].orderId [].orderedAt [].productType [].provider [].reissuing [].serial [].state [].termEndsAt
    [].validFrom [].validTo`,
  'customers.choices': `
    [].chargesStopped [].chargesStopped.chargeId [].chargesStopped.disputes [].chargesStopped.since [].customerId [].markups
    [].markups.certificate [].markups.certificate.purchase [].markups.certificate.purchase.type
    [].markups.certificate.purchase.value [].markups.certificate.renewal [].markups.certificate.renewal.type
    [].markups.certificate.renewal.value [].markups.domain [].markups.domain.purchase
    [].markups.domain.purchase.type [].markups.domain.purchase.value [].markups.domain.renewal
    [].markups.domain.renewal.type [].markups.domain.renewal.value [].organization`,
  'customers.get': `
    allowDomainSettings billing billing.allowChangeBilling billing.billDirectly billing.email
    billing.stripeId chargesStopped chargesStopped.chargeId chargesStopped.disputes chargesStopped.since contacts contacts.admin
    contacts.admin.address1 contacts.admin.address2 contacts.admin.address3 contacts.admin.city
    contacts.admin.country contacts.admin.email contacts.admin.firstName contacts.admin.lastName
    contacts.admin.organization contacts.admin.phone contacts.admin.postalCode contacts.admin.state
    contacts.billing contacts.billing.address1 contacts.billing.address2 contacts.billing.address3
    contacts.billing.city contacts.billing.country contacts.billing.email contacts.billing.firstName
    contacts.billing.lastName contacts.billing.organization contacts.billing.phone
    contacts.billing.postalCode contacts.billing.state contacts.owner contacts.owner.address1
    contacts.owner.address2 contacts.owner.address3 contacts.owner.city contacts.owner.country
    contacts.owner.email contacts.owner.firstName contacts.owner.lastName contacts.owner.organization
    contacts.owner.phone contacts.owner.postalCode contacts.owner.state createdAt customerId domainsCount
    markups markups.certificate markups.certificate.purchase markups.certificate.purchase.type
    markups.certificate.purchase.value markups.certificate.renewal markups.certificate.renewal.type
    markups.certificate.renewal.value markups.domain markups.domain.purchase markups.domain.purchase.type
    markups.domain.purchase.value markups.domain.renewal markups.domain.renewal.type
    markups.domain.renewal.value paymentMethodSet version`,
  'customers.list': `
    [].allowDomainSettings [].billing [].billing.allowChangeBilling [].billing.billDirectly [].billing.email
    [].billing.stripeId [].chargesStopped [].chargesStopped.chargeId [].chargesStopped.disputes [].chargesStopped.since [].contacts
    [].contacts.admin [].contacts.admin.address1 [].contacts.admin.address2 [].contacts.admin.address3
    [].contacts.admin.city [].contacts.admin.country [].contacts.admin.email [].contacts.admin.firstName
    [].contacts.admin.lastName [].contacts.admin.organization [].contacts.admin.phone
    [].contacts.admin.postalCode [].contacts.admin.state [].contacts.billing [].contacts.billing.address1
    [].contacts.billing.address2 [].contacts.billing.address3 [].contacts.billing.city
    [].contacts.billing.country [].contacts.billing.email [].contacts.billing.firstName
    [].contacts.billing.lastName [].contacts.billing.organization [].contacts.billing.phone
    [].contacts.billing.postalCode [].contacts.billing.state [].contacts.owner [].contacts.owner.address1
    [].contacts.owner.address2 [].contacts.owner.address3 [].contacts.owner.city [].contacts.owner.country
    [].contacts.owner.email [].contacts.owner.firstName [].contacts.owner.lastName
    [].contacts.owner.organization [].contacts.owner.phone [].contacts.owner.postalCode
    [].contacts.owner.state [].createdAt [].customerId [].domainsCount [].markups [].markups.certificate
    [].markups.certificate.purchase [].markups.certificate.purchase.type
    [].markups.certificate.purchase.value [].markups.certificate.renewal [].markups.certificate.renewal.type
    [].markups.certificate.renewal.value [].markups.domain [].markups.domain.purchase
    [].markups.domain.purchase.type [].markups.domain.purchase.value [].markups.domain.renewal
    [].markups.domain.renewal.type [].markups.domain.renewal.value [].paymentMethodSet [].version`,
  'customers.update': `
    allowDomainSettings billing billing.allowChangeBilling billing.billDirectly billing.email
    billing.stripeId chargesStopped chargesStopped.chargeId chargesStopped.disputes chargesStopped.since contacts contacts.admin
    contacts.admin.address1 contacts.admin.address2 contacts.admin.address3 contacts.admin.city
    contacts.admin.country contacts.admin.email contacts.admin.firstName contacts.admin.lastName
    contacts.admin.organization contacts.admin.phone contacts.admin.postalCode contacts.admin.state
    contacts.billing contacts.billing.address1 contacts.billing.address2 contacts.billing.address3
    contacts.billing.city contacts.billing.country contacts.billing.email contacts.billing.firstName
    contacts.billing.lastName contacts.billing.organization contacts.billing.phone
    contacts.billing.postalCode contacts.billing.state contacts.owner contacts.owner.address1
    contacts.owner.address2 contacts.owner.address3 contacts.owner.city contacts.owner.country
    contacts.owner.email contacts.owner.firstName contacts.owner.lastName contacts.owner.organization
    contacts.owner.phone contacts.owner.postalCode contacts.owner.state createdAt customerId domainsCount
    markups markups.certificate markups.certificate.purchase markups.certificate.purchase.type
    markups.certificate.purchase.value markups.certificate.renewal markups.certificate.renewal.type
    markups.certificate.renewal.value markups.domain markups.domain.purchase markups.domain.purchase.type
    markups.domain.purchase.value markups.domain.renewal markups.domain.renewal.type
    markups.domain.renewal.value paymentMethodSet version`,
  'dns.changeZone': `
    nameservers_ok records records.A records.AAAA records.AAAA[].ipv6_address records.AAAA[].subdomain
    records.A[].ip_address records.A[].subdomain records.CNAME records.CNAME[].hostname
    records.CNAME[].subdomain records.MX records.MX[].hostname records.MX[].priority records.MX[].subdomain
    records.SRV records.SRV[].hostname records.SRV[].port records.SRV[].priority records.SRV[].subdomain
    records.SRV[].weight records.TXT records.TXT[].subdomain records.TXT[].text staged version warnings
    warnings[].index warnings[].message`,
  'dns.createGlue': 'domain notice',
  'dns.deleteGlue': 'domain notice',
  'dns.dnssec': `
    records records[].algorithm records[].digest records[].digestType records[].keyTag`,
  'dns.findRecords': '[].domain [].subdomain [].type [].value',
  'dns.forceNameservers': 'domain notice',
  'dns.glue': '[].can_delete [].ipaddress [].ipv6 [].name',
  'dns.importPreview': `
    leftOut leftOut[].line leftOut[].reason leftOut[].text records records[].line records[].note
    records[].present records[].problem records[].record records[].record.subdomain records[].record.type
    records[].warnings version`,
  'dns.lastChanges': `
    [].at [].author [].old [].old.subdomain [].old.type [].reason [].record [].record.subdomain
    [].record.type [].versionId`,
  'dns.removeDnssec': 'domain notice',
  'dns.updateGlue': 'domain notice',
  'dns.version': `
    at author changes changes.added changes.changed changes.first changes.first[].action
    changes.first[].old changes.first[].old.subdomain changes.first[].old.type changes.first[].record
    changes.first[].record.subdomain changes.first[].record.type changes.removed content content.A
    content.AAAA content.AAAA[].ipv6_address content.AAAA[].subdomain content.A[].ip_address
    content.A[].subdomain content.CNAME content.CNAME[].hostname content.CNAME[].subdomain content.MX
    content.MX[].hostname content.MX[].priority content.MX[].subdomain content.SRV content.SRV[].hostname
    content.SRV[].port content.SRV[].priority content.SRV[].subdomain content.SRV[].weight content.TXT
    content.TXT[].subdomain content.TXT[].text id reason records state version`,
  'dns.versions': `
    [].at [].author [].changes [].changes.added [].changes.changed [].changes.first
    [].changes.first[].action [].changes.first[].old [].changes.first[].old.subdomain
    [].changes.first[].old.type [].changes.first[].record [].changes.first[].record.subdomain
    [].changes.first[].record.type [].changes.removed [].id [].reason [].records [].state [].version`,
  'dns.zone': `
    nameservers_ok records records.A records.AAAA records.AAAA[].ipv6_address records.AAAA[].subdomain
    records.A[].ip_address records.A[].subdomain records.CNAME records.CNAME[].hostname
    records.CNAME[].subdomain records.MX records.MX[].hostname records.MX[].priority records.MX[].subdomain
    records.SRV records.SRV[].hostname records.SRV[].port records.SRV[].priority records.SRV[].subdomain
    records.SRV[].weight records.TXT records.TXT[].subdomain records.TXT[].text staged version`,
  'domains.autoRenew': 'domain notice',
  'domains.contacts': 'domain notice',
  'domains.details': `
    contact_set contact_set{}.address1 contact_set{}.address2 contact_set{}.address3 contact_set{}.city
    contact_set{}.country contact_set{}.email contact_set{}.first_name contact_set{}.last_name
    contact_set{}.org_name contact_set{}.phone contact_set{}.postal_code contact_set{}.state customer
    customerId domain domain_auth_info ext_results ext_results[]{}.auto_renew ext_results[]{}.lock_state
    live managed_dns missing nameserver_list nameserver_list[].name privacy registrant_lock_days
    registry_createdate registry_expiredate restorable_until stations stations[].at stations[].kind status
    syncedAt verification verification.bounced verification.deadline verification.sentAt verification.state`,
  'domains.list': `
    [].address [].autoRenew [].certificate [].certificate.orderId [].certificate.state [].customer
    [].customerId [].expireDate [].locked [].missing [].registeredAt [].status [].syncedAt [].verification
    [].verificationDeadline`,
  'domains.listForCustomer': `
    [].address [].autoRenew [].certificate [].certificate.orderId [].certificate.state [].customer
    [].customerId [].expireDate [].locked [].missing [].registeredAt [].status [].syncedAt [].verification
    [].verificationDeadline`,
  'domains.lock': 'domain notice',
  'domains.privacy': 'domain notice',
  'domains.resendVerification': 'domain notice',
  'domains.updateNameservers': 'domain notice',
  'health.board': `
    counts counts[].count counts[].kind more rows rows[].area rows[].certainty rows[].clearedAt
    rows[].customer rows[].customerId rows[].detail rows[].domain rows[].firstSeen rows[].fix
    rows[].fix.kind rows[].id rows[].kind rows[].lastSeen rows[].meaning rows[].muted rows[].muted.reason
    rows[].muted.until rows[].remedy rows[].title rows[].watched rows[].watched.registrar rows[].weight`,
  'health.get': `
    checkedAt findings findings[].area findings[].certainty findings[].clearedAt findings[].detail
    findings[].firstSeen findings[].fix findings[].fix.kind findings[].id findings[].kind
    findings[].lastSeen findings[].meaning findings[].muted findings[].muted.reason findings[].muted.until
    findings[].remedy findings[].title findings[].weight nextAt watched watched.customer watched.customerId
    watched.expiresAt watched.registrar`,
  'health.ofCustomer': `
    domains findings findings[].area findings[].certainty findings[].clearedAt findings[].detail
    findings[].domain findings[].firstSeen findings[].fix findings[].fix.kind findings[].id findings[].kind
    findings[].lastSeen findings[].meaning findings[].muted findings[].muted.reason findings[].muted.until
    findings[].remedy findings[].title findings[].watched findings[].watched.registrar findings[].weight
    lookedAt madeAt more name watched`,
  'health.watched': `
    [].checkedAt [].customer [].customerId [].domain [].expiresAt [].problems [].registrar`,
  'overview.get': `
    attention attention.now attention.soon certificates certificates.ended certificates.flagged
    certificates.open certificates.valid charges charges.failed customers customers.billedDirectly
    customers.total domains domains.expiring domains.held domains.lapsing domains.manual
    domains.transferring domains.unlocked domains.unverified people people.invites people.users`,
  'transfers.status': `
    askedAt customer customerId domain held nameservers nameservers.after nameservers.before
    nameservers.kept orderId reason registrarStatus state steps steps[].at steps[].expectedBy steps[].kind
    steps[].state stuck`,
  'users.getProfile': `
    address1 address2 address3 authorizedClientId autoBalance autoBalance.active autoBalance.amount
    autoBalance.mark city country email emailVerified firstName freshForSeconds lastName logoPath organization
    organizationId paidInitialFee permissions phone postalCode state stripeAccount
    stripeAccount.finishedRequirement stripeAccount.id type userId username`,
};
