import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import type { Leases } from '#kernel/leases.ts';
import type { RegistrarCertificates } from '../../ports/registrar.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { CustomersApi } from '../customers/index.ts';
import type { CertificatePricing } from './pricing.ts';
import type { SetProof } from './proofs.ts';

export interface CertificatesDeps {
  db: Db;
  /** The jobs look across tenants for what is due. */
  systemDb: Db;
  registrar: RegistrarCertificates;
  resolver: Resolver;
  clock: Clock;
  pricing: CertificatePricing;
  customers: Pick<CustomersApi, 'requireVisible'>;
  /** Writes a proof into a zone that the portal manages. */
  setProof: SetProof;
  publicUrl: string;
  leases: Leases;
  /** Longest from the beginning of an act to the end of its call. */
  actMs: number;
}
