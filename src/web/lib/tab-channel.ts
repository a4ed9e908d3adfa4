/**
 * How the tabs of a browser hear of each other. A browser may know no such channels, or forbid them as it forbids storage: then each tab is
 * alone, and works.
 */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

/** Says it once, to the tabs that listen. */
export function sayTo(name: string, data: unknown): void {
  const channel = openChannel(name);
  channel?.postMessage(data);
  channel?.close();
}
