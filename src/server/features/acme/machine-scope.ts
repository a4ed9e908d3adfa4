import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';

/** A machine acts for the organisation within its access, as nobody in particular. The log says "ACME". */
export function machineScope(organisationId: string): Scope {
  return {
    organisationId,
    userId: '00000000-0000-0000-0000-000000000000',
    email: 'ACME',
    role: 'MSP_ADMIN',
    reach: wholeOrganisation,
    rights: rightsOfRole,
    ip: null,
    requestId: 'acme',
  };
}
