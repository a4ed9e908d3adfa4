import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { roles } from '../permissions.ts';
import { cents } from '../values/money.ts';
import { oneLine } from '../values/one-line.ts';

export const role = z.enum(roles);

/** Letters and digits only, 6 to 24 (P2 §5). */
const nameRule = (label: string, pattern: RegExp) =>
  z
    .string()
    .trim()
    .min(1, `${label} is required`)
    .min(6, `${label} must be at least 6 characters`)
    .max(24, `${label} cannot exceed 24 characters`)
    .regex(pattern, 'Only numbers and letters');
export const username = nameRule('Username', /^[\p{L}\p{N}]+$/u);
export const organizationName = nameRule('Organization', /^[\p{L}\p{N} ]+$/u);

export const profile = z.object({
  userId: z.uuid(),
  username: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  type: role,
  organization: z.string(),
  organizationId: z.uuid(),
  /** The one customer of an MSP_CUSTOMER. */
  authorizedClientId: z.uuid().nullable(),
  logoPath: z.string().nullable(),
  firstName: z.string(),
  lastName: z.string(),
  address1: z.string(),
  address2: z.string(),
  address3: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
  phone: z.string(),
  stripeAccount: z.object({ id: z.string().nullable(), finishedRequirement: z.boolean() }),
  paidInitialFee: z.boolean(),
  /** Amounts in cents. */
  autoBalance: z.object({ active: z.boolean(), amount: z.int(), mark: z.int() }),
  /** Permissions the user holds, so that the screens offer nothing else. */
  permissions: z.array(z.string()),
});
export type Profile = z.output<typeof profile>;

export const userRow = z.object({
  userId: z.uuid(),
  email: z.string(),
  username: z.string(),
  organization: z.string(),
  type: role,
  authorizedClientId: z.uuid().nullable(),
  /** Cents a day that an MSP_EMPLOYEE may spend; null: no limit. */
  dailyLimit: cents.nullable(),
});
export type UserRow = z.output<typeof userRow>;
export const inviteRow = z.object({
  inviteId: z.uuid(),
  email: z.string(),
  type: role,
  authorizedClientId: z.uuid().nullable(),
  expiresAt: z.iso.datetime(),
  expired: z.boolean(),
});
/** With the address to hand on, a secret: told when it is made and when it is asked for, never in a list. */
const inviteWithLink = inviteRow.extend({ link: z.string() });
export type InviteRow = z.output<typeof inviteRow>;

export const createProfile = defineOperation({
  id: 'users.createProfile',
  method: 'POST',
  path: '/user',
  summary: 'Create the profile and the organization of the signed-in person',
  access: 'identity',
  audit: 'users.createProfile',
  body: z.object({ username, organization: organizationName }),
  reply: profile,
  errors: ['user_already_exists', 'validation_failed'],
  rate: 'profile',
});

export const getProfile = defineOperation({
  id: 'users.getProfile',
  method: 'GET',
  path: '/user',
  summary: 'Get the signed-in user',
  access: 'profile.self',
  opens: 'with-profile',
  reply: profile.extend({
    /** For how long the sign-in still counts as fresh. 0: what needs a fresh sign-in is refused. */
    freshForSeconds: z.int(),
  }),
  errors: ['no_profile'],
});

/** The 409 says in `data.reasons` what keeps the organization open, so that a screen can lead there. */
export const closeOrganization = defineOperation({
  id: 'users.closeOrganization',
  method: 'DELETE',
  path: '/user/organization',
  summary:
    'Close the caller’s organization when nothing depends on it any more. The caller then has no profile; ledger, documents and audit log stay',
  access: 'organisation.close',
  opens: 'with-profile',
  audit: ['users.closeOrganization', 'tokens.end', 'health.unwatch', 'billing.autoBalance'],
  reply: noData,
  errors: ['forbidden', 'organization_in_use'],
  freshSignIn: true,
});

export const listUsers = defineOperation({
  id: 'users.list',
  method: 'GET',
  path: '/user/users',
  reads: { primary: 'who may do what' },
  summary: 'List the users of the organization',
  access: 'users.manage',
  query: pageQuery(['email', 'type']),
  reply: z.array(userRow),
  paged: true,
});

export const listInvites = defineOperation({
  id: 'users.listInvites',
  method: 'GET',
  path: '/user/invites',
  reads: { primary: 'who may come in' },
  summary: 'List the open invitations of the organization',
  access: 'users.manage',
  query: pageQuery(['email', 'type']),
  reply: z.array(inviteRow),
  paged: true,
});

export const inviteBody = z
  .object({
    email: z
      .string()
      .trim()
      .min(1, 'This field is required')
      .pipe(z.email('Please enter a valid email address')),
    type: z.enum(['MSP_EMPLOYEE', 'MSP_CUSTOMER']).default('MSP_EMPLOYEE'),
    authorizedClientId: z.uuid().nullish(),
  })
  .refine((body) => body.type !== 'MSP_CUSTOMER' || body.authorizedClientId, {
    path: ['authorizedClientId'],
    message: 'Please choose the customer',
  });

export const inviteUser = defineOperation({
  id: 'users.invite',
  method: 'POST',
  path: '/user/subuser',
  summary: 'Invite a person to the organization',
  access: 'users.manage',
  audit: 'users.invite',
  body: inviteBody,
  reply: inviteWithLink,
  errors: ['already_exists', 'not_found', 'validation_failed', 'unprocessable'],
  rate: 'invite',
  sensitive: true,
});

export const createSubuser = defineOperation({
  id: 'users.createSubuser',
  method: 'POST',
  path: '/user/subuser/create',
  summary: 'Create an empty profile for an invited person, before the invitation is accepted',
  access: 'identity',
  audit: { none: 'The person belongs to no organization yet; accepting the invitation is logged.' },
  reply: z.object({ userId: z.uuid() }),
  errors: ['user_already_exists'],
  rate: 'profile',
});

/** Invite links carry a secret token, not a row id. */
export const inviteParams = z.object({ id: oneLine(200).min(16) });

export const checkInvite = defineOperation({
  id: 'users.checkInvite',
  method: 'POST',
  path: '/user/subuser/checkinvite/:id',
  summary: 'Check an invitation. The message is ACCEPT, or a text to show',
  access: 'identity',
  audit: { none: 'It reads the invitation and changes nothing.' },
  changesNothing: true,
  params: inviteParams,
  reply: z.object({
    message: z.string(),
    organization: z.string().optional(),
    type: role.optional(),
    /** The person belongs to an organization, and that alone is in the way. */
    member: z.boolean().optional(),
  }),
});

export const acceptInvite = defineOperation({
  id: 'users.acceptInvite',
  method: 'POST',
  path: '/user/subuser/acceptinvite/:id',
  summary: 'Accept an invitation',
  access: 'identity',
  audit: 'users.acceptInvite',
  params: inviteParams,
  reply: noData,
  errors: ['not_found', 'unprocessable'],
});

export const changeUser = defineOperation({
  id: 'users.change',
  method: 'PATCH',
  path: '/user/subuser/:id',
  summary: 'Change a user’s type, or an employee’s daily limit. The change applies from the next request',
  access: 'users.manage',
  audit: ['users.change', 'tokens.end'],
  params: idParams,
  body: z.object({
    /** An owner names owners and administrators; an administrator names the first owner only (decisions no. 19). */
    type: role.optional(),
    authorizedClientId: z.uuid().nullish(),
    dailyLimit: cents.min(0).nullish(),
    /** What was read of the user. One of it is another by now: 409 `conflict` with the user, and nothing is replaced unseen. */
    shown: z
      .object({
        type: role.optional(),
        authorizedClientId: z.uuid().nullish(),
        dailyLimit: cents.nullish(),
      })
      .optional(),
  }),
  reply: userRow,
  errors: ['not_found', 'forbidden', 'validation_failed', 'conflict'],
  freshSignIn: { when: 'someone becomes an owner, or an owner gets another type' },
});

export const removeUser = defineOperation({
  id: 'users.remove',
  method: 'DELETE',
  path: '/user/subuser/:id',
  summary: 'Remove a user. The removal applies from the next request',
  access: 'users.manage',
  audit: ['users.remove', 'tokens.end'],
  params: idParams,
  reply: noData,
  errors: ['not_found', 'forbidden'],
  freshSignIn: { when: 'the user is an owner' },
});

export const cancelInvite = defineOperation({
  id: 'users.cancelInvite',
  method: 'DELETE',
  path: '/user/subuser/invite/:id',
  summary: 'Cancel an invitation',
  access: 'users.manage',
  audit: 'users.cancelInvite',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});

export const resendInvite = defineOperation({
  id: 'users.resendInvite',
  method: 'POST',
  path: '/user/subuser/invite/:id/resend',
  summary: 'Resend an invitation with a new link that is valid for 7 days. The old link stops working',
  access: 'users.manage',
  audit: 'users.resendInvite',
  params: idParams,
  reply: inviteWithLink,
  errors: ['not_found'],
  rate: 'resend',
  sensitive: true,
});

export const getInviteLink = defineOperation({
  id: 'users.inviteLink',
  method: 'GET',
  path: '/user/subuser/invite/:id/link',
  summary: 'Get the link of an open invitation, to pass it on without email',
  access: 'users.manage',
  params: idParams,
  reply: z.object({ link: z.string() }),
  errors: ['not_found'],
  sensitive: true,
});

export const logoUploadUrl = defineOperation({
  id: 'users.logoUploadUrl',
  method: 'GET',
  path: '/user/upload-logo-url/:filename',
  summary: 'Get a signed address to PUT a logo to. It is valid for five minutes and one use',
  access: 'organisation.write',
  params: z.object({ filename: oneLine(255).min(1) }),
  reply: z.object({ signedUrl: z.string(), keyName: z.string() }),
  errors: ['unprocessable'],
  rate: 'upload',
  sensitive: true,
});

export const finishLogo = defineOperation({
  id: 'users.finishLogo',
  method: 'POST',
  path: '/user/upload-logo-finish',
  summary: 'Use the uploaded file as the organization’s logo, if it is a picture',
  access: 'organisation.write',
  audit: 'users.finishLogo',
  body: z.object({ key: oneLine(300).min(1) }),
  reply: z.object({ logoPath: z.string() }),
  errors: ['not_found', 'unprocessable'],
  rate: 'upload',
});

/** Pages show logos, and pages send no token: the name is a secret of 256 bits. */
export const getLogo = defineOperation({
  id: 'users.logo',
  method: 'GET',
  path: '/logo/:name',
  summary: 'Get a logo',
  access: 'public',
  params: z.object({ name: z.string().regex(/^[\w-]{43}\.png$/) }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['image/png'],
  errors: ['not_found'],
});
