/** All that other features may use of customers. */
export { type CustomersApi, createCustomers, type OrderContacts } from './customers.service.ts';
