export const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`);

/** How long a domain has, in words. Negative: it has expired. */
export function expiryText(days: number): string {
  if (days < 0) return `Expired ${daysText(-days)} ago`;
  return days === 0 ? 'Expires within a day' : `Expires in ${daysText(days)}`;
}
