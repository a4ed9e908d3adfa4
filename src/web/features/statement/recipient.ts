import type { BillingAddress } from '#contracts/operations/earnings.ts';
import { mostAddressLines, mostCharacters } from '#contracts/values/text-limits.ts';

/** What the form holds: the address as it is typed, a line a line. */
export interface RecipientForm {
  name: string;
  address: string;
  taxId: string;
}

/** An address as the payment provider keeps it. */
export interface KeptAddress {
  name: string;
  line1: string;
  line2: string;
  city: string;
  state: string;
  postalCode: string;
  country: string;
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function formOf({ name, address, taxId }: BillingAddress): RecipientForm {
  return { name, address: address.join('\n'), taxId };
}

export function bodyOf({ name, address, taxId }: RecipientForm): BillingAddress {
  return { name: name.trim(), address: linesOf(address), taxId: taxId.trim() };
}

/** Nobody has set it yet: papers carry the organization's name alone. */
export function isUnset({ name, address, taxId }: BillingAddress): boolean {
  return name === '' && address.length === 0 && taxId === '';
}

/** The provider's address as on an envelope; null where it has none. */
export function offerOf(kept: KeptAddress | null): Omit<RecipientForm, 'taxId'> | null {
  if (!kept) return null;
  const place = [kept.city, [kept.state, kept.postalCode].filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(', ');
  const address = [kept.line1, kept.line2, place, kept.country].filter(Boolean).join('\n');
  return address === '' ? null : { name: kept.name, address };
}

export function addressProblem(text: string): string | null {
  const lines = linesOf(text);
  if (lines.length > mostAddressLines) return `Please use at most ${mostAddressLines} lines`;
  const tooLong = lines.some((line) => line.length > mostCharacters.addressLine);
  return tooLong ? `Please use at most ${mostCharacters.addressLine} characters a line` : null;
}
