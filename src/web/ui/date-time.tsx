/** A moment: local, with the exact UTC on hover. */
export function DateTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactUtc(date)} className="number">
      {date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}

export function exactUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
