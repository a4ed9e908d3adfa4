import { jobActions } from '#contracts/values/audit-actions.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';

/** The job acts for the organisation, as nobody in particular. */
export function jobScope(organisationId: string): Scope {
  return {
    organisationId,
    userId: '00000000-0000-0000-0000-000000000000',
    email: jobActions['renewals.renew'].actor,
    role: 'MSP_ADMIN',
    reach: wholeOrganisation,
    rights: rightsOfRole,
    ip: null,
    requestId: 'auto-renew',
  };
}
