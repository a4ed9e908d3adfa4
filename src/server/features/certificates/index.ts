/** All that other features may use of certificates. */
export { certificateAttention } from './attention.repo.ts';
export { accessWorks } from './bands.repo.ts';
export { shareOf } from './by-machine.ts';
export { findRenewable, recordCertificateOrder } from './certificates.repo.ts';
export { certificateRoutes } from './certificates.routes.ts';
export { createCertificates } from './certificates.service.ts';
export { csrFacts, type ReadCsr, readCsr } from './csr.ts';
export { certificateFile } from './files.ts';
export type { MachineCertificates } from './machine.ts';
export { type CertificatePricing, createCertificatePricing } from './pricing.ts';
export { eraseFromCertificates } from './privacy.repo.ts';
