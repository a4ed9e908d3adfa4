/** What nobody waits for is done when the page has painted what they do wait for, or after this. */
const mostMs = 2_000;
/** Some browsers do not say when they are idle. */
const insteadMs = 200;

/** Does it when the page has nothing better to do. Gives back what calls it off. */
export function whenIdle(does: () => void): () => void {
  if (typeof window.requestIdleCallback !== 'function') {
    const timer = setTimeout(does, insteadMs);
    return () => clearTimeout(timer);
  }
  const asked = window.requestIdleCallback(does, { timeout: mostMs });
  return () => window.cancelIdleCallback(asked);
}
