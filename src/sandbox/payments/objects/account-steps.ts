import type { World } from '../world.ts';
import { saveAccount } from './accounts.ts';
import type { AccountAddress, AccountRecord } from './kinds.ts';

export interface OnboardingAnswers {
  businessType?: 'company' | 'individual';
  legalName?: string;
  phone?: string;
  bankLast4?: string;
  address?: AccountAddress;
  /** The provider is not satisfied yet. */
  stillDue?: string[];
}

const SAMPLE_ADDRESS: AccountAddress = {
  line1: '354 Oyster Point Blvd',
  line2: null,
  city: 'South San Francisco',
  state: 'CA',
  postal_code: '94080',
  country: 'US',
};

/** The person handed everything in. */
export function finishAccount(world: World, account: AccountRecord, answers: OnboardingAnswers): void {
  const before = structuredClone(account);
  account.detailsSubmitted = true;
  account.identityGiven = true;
  account.businessType = answers.businessType ?? account.businessType;
  account.legalName = answers.legalName ?? account.legalName ?? account.displayName ?? 'Sample Business';
  account.phone = answers.phone ?? account.phone;
  account.bankLast4 = answers.bankLast4 ?? '6789';
  account.address = answers.address ?? (account.address.line1 ? account.address : SAMPLE_ADDRESS);
  account.currentlyDue = answers.stillDue ?? [];
  saveAccount(world, account, before);
}

/** What the person may change on the dashboard. */
export function changeContact(
  world: World,
  account: AccountRecord,
  contact: { legalName: string; phone: string | null; address: AccountAddress },
): void {
  const before = structuredClone(account);
  Object.assign(account, contact);
  saveAccount(world, account, before);
}
