/** All that other features may use of customers. */
export { customerRoutes } from './customers.routes.ts';
export { type CustomersApi, createCustomers, type OrderContacts } from './customers.service.ts';
