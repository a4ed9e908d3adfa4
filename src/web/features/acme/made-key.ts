/** The key of the access that was made just now, on its way to the one screen that shows it. Nowhere but in memory. */
let made: { accessId: string; hmacKey: string } | null = null;

export function keepKey(accessId: string, hmacKey: string): void {
  made = { accessId, hmacKey };
}

export function keyOf(accessId: string): string | null {
  return made?.accessId === accessId ? made.hmacKey : null;
}

export function forgetKey(): void {
  made = null;
}
