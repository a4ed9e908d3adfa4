import type { VerificationState } from '#contracts/values/registrant-verification.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../outcome.ts';
import type { ContactSet } from './names.ts';

/** What a domain of ours is set to: lock, contacts, delegation, glue, signatures, and its registrant's verification. */
export interface RegistrarSettings {
  setLock(domain: string, locked: boolean, fence: Fence): Promise<Outcome<void>>;
  setAutoRenew(domain: string, on: boolean, fence: Fence): Promise<Outcome<void>>;
  setPrivacy(domain: string, on: boolean, fence: Fence): Promise<Outcome<void>>;
  setContacts(domain: string, contacts: Partial<ContactSet>, fence: Fence): Promise<Outcome<void>>;
  authCode(domain: string): Promise<string | null>;
  setNameservers(domain: string, names: string[], fence: Fence): Promise<Outcome<void>>;
  glue(domain: string): Promise<GlueRecord[]>;
  createGlue(domain: string, host: GlueInput, fence: Fence): Promise<Outcome<void>>;
  /** Addresses left out are removed at the registry: callers pass every address that is to stay. */
  updateGlue(domain: string, host: GlueInput & { newName?: string }, fence: Fence): Promise<Outcome<void>>;
  deleteGlue(domain: string, host: GlueInput, fence: Fence): Promise<Outcome<void>>;
  /** What the registry publishes so that others can check the zone's signatures (DNSSEC); empty: it is not signed. */
  dsRecords(domain: string): Promise<DsRecord[]>;
  /** Takes all of them away: from then on nobody checks signatures. */
  removeDsRecords(domain: string, fence: Fence): Promise<Outcome<void>>;
  verification(domain: string): Promise<RegistrantVerification>;
  resendVerification(domain: string, fence: Fence): Promise<Outcome<void>>;
}

export interface GlueRecord {
  name: string;
  ipv4: string | null;
  ipv6: string | null;
  canDelete: boolean;
}

export interface GlueInput {
  /** Full host name under the domain. */
  name: string;
  ipv4: string | null;
  ipv6: string | null;
}

export interface DsRecord {
  keyTag: string;
  algorithm: string;
  digestType: string;
  digest: string;
}

export interface RegistrantVerification {
  /** null: the registrar does not say, or has no such thing for this suffix. */
  state: VerificationState | null;
  deadline: Date | null;
  daysToSuspend: number | null;
  emailBounced: boolean;
}
