/**
 * Operations of before rows of docs/behaviour named them: rows tell of them by their screens. No name is added here: a new
 * operation is named by a row.
 */
export const untoldOperations: Readonly<Record<string, string>> = {
  system: 'config document',
  users:
    'acceptInvite cancelInvite checkInvite createProfile createSubuser finishLogo inviteLink logo getProfile invite listInvites list logoUploadUrl remove resendInvite',
  audit: 'csv list',
  tokens: 'create list revoke',
  customers:
    'create delete update applySuggestions csvExport csvSample csvUploadUrl importRejects discardImport dropImportMapping finishCsv getImport importRows keepImportMapping imports importMappings lookAtCsv resendPaymentLink',
  domains:
    'listForCustomer list lookup suggestions details lock resendVerification autoRenew contacts privacy unlock updateNameservers',
  dns: 'changeZone createGlue deleteTemplate deleteGlue export forceNameservers dnssec zone version importPreview lastChanges templates glue versions removeDnssec updateGlue',
  orders: 'prices get list purchase restore transfer',
  certificates: 'cancel file approvers prices parseCsr resendApproval revoke setAutoReissue setProof',
  billing:
    'accountLink cancelTopUp dashboardLink account balance address topUpStatus refreshAccount autoBalance topUp',
  direct: 'retry settle setup openSetup',
  statement: 'receipt list csv months pdf address setAddress',
  earnings: 'list csv',
  overview: 'get',
  renewals: 'due',
  transfers: 'cancel check status',
  operator:
    'keys prices reconciliation registrarAccount reseal retry setPrices reconcile declineCorrection endOperator corrections acts operators makeOperator me',
  privacy: 'eraseCustomer eraseUser exportCustomer exportOwn exportUser planErasure readHold',
  views: 'delete list save',
};
