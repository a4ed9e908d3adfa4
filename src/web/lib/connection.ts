import { heldHeader } from '#contracts/values/held.ts';

/** How often the portal is asked whether it can be reached again, while it cannot. */
const probeMs = 5_000;

/** How often it is asked whether it takes changes again, while it compares its records. */
const whileHeldMs = 30_000;

type Listener = () => void;
const listeners = new Set<Listener>();
let offline = false;
let held = false;
let probing: ReturnType<typeof setTimeout> | null = null;
let asksWhileHeld: ReturnType<typeof setTimeout> | undefined;

function set(nextOffline: boolean, nextHeld = held): void {
  clearTimeout(asksWhileHeld);
  if (nextHeld) asksWhileHeld = setTimeout(() => void probe(), whileHeldMs);
  if (offline === nextOffline && held === nextHeld) return;
  [offline, held] = [nextOffline, nextHeld];
  for (const listener of [...listeners]) listener();
}

const saysHeld = (answer: Response) => answer.headers.has(heldHeader);

/** Asks something small; any answer at all will do. The browser's own opinion may be wrong: a portal can run on this machine. */
async function probe(): Promise<void> {
  if (probing !== null) clearTimeout(probing);
  probing = null;
  const answer = await fetch('/api/config', {
    cache: 'no-store',
    signal: AbortSignal.timeout(probeMs),
  }).catch(() => null);
  set(answer === null, answer ? saysHeld(answer) : held);
  if (answer === null && probing === null) probing = setTimeout(() => void probe(), probeMs);
}

/** Whether the portal can be reached. Nothing waits for it: reads and writes are tried at once, and fail at once. */
export const connection = {
  isOffline: () => offline,
  /** Whether the portal refuses changes, by its last answer. */
  isHeld: () => held,
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Some answer came, be it a refusal. */
  answered(answer: Response): void {
    set(false, saysHeld(answer));
  },
  /** A call got no answer: that may be the call alone, or everything. */
  unanswered(): void {
    if (probing === null) void probe();
  },
  /** Follows what the browser says of its network. */
  watch(): void {
    window.addEventListener('offline', () => {
      set(true);
      void probe();
    });
    window.addEventListener('online', () => void probe());
    if (!navigator.onLine) void probe();
  },
};
