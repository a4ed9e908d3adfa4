/** How often the portal is asked whether it can be reached again, while it cannot. */
const probeMs = 5_000;

type Listener = () => void;
const listeners = new Set<Listener>();
let offline = false;
let probing: ReturnType<typeof setTimeout> | null = null;

function set(next: boolean): void {
  if (offline === next) return;
  offline = next;
  for (const listener of [...listeners]) listener();
}

/** Asks something small; any answer at all will do. The browser's own opinion may be wrong: a portal can run on this machine. */
async function probe(): Promise<void> {
  if (probing !== null) clearTimeout(probing);
  probing = null;
  const answered = await fetch('/api/config', {
    cache: 'no-store',
    signal: AbortSignal.timeout(probeMs),
  }).then(
    () => true,
    () => false,
  );
  set(!answered);
  if (!answered && probing === null) probing = setTimeout(() => void probe(), probeMs);
}

/** Whether the portal can be reached. Nothing waits for it: reads and writes are tried at once, and fail at once. */
export const connection = {
  isOffline: () => offline,
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Some answer came, be it a refusal. */
  answered(): void {
    if (offline) set(false);
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
