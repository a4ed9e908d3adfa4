/** Dates local, with the exact UTC for the title. */
export function localDateTime(iso: string): { text: string; exact: string } {
  const date = new Date(iso);
  return {
    text: date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
    exact: `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  };
}
