/** All that other features may use of customers. */
export { importAttention } from './attention.repo.ts';
export { countCustomers } from './customers.repo.ts';
export { customerRoutes } from './customers.routes.ts';
export { isBilledDirectly, wantsDirectBilling } from './customers.rules.ts';
export { type CustomersApi, createCustomers, type OrderContacts } from './customers.service.ts';
export { signsOf } from './erasure.rules.ts';
export { createExport } from './export.service.ts';
export { importRoutes } from './imports.routes.ts';
export { createImports } from './imports.service.ts';
export {
  type BilledCustomer,
  findBilledCustomer,
  setPaymentCustomer,
  setPaymentMethod,
  waitingForPayment,
} from './payment.repo.ts';
export { eraseCustomerRow, eraseFromImports, eraseImporters, lockForErasure } from './privacy.repo.ts';
export {
  type CustomerNamesQuery,
  customerIsKnown,
  customerNames,
  holdCustomer,
  ownersByEmail,
  restoreCustomer,
} from './recovered.repo.ts';
