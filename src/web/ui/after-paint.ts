/** Longer than a paint takes to come: it may never come. */
const longestMs = 1_000;

/**
 * Does it once what was drawn can be seen, after this many frames. A window that nobody looks at paints nothing: there it is done at
 * once. Gives back what calls it off.
 */
export function afterPaint(does: () => void, frames = 1): () => void {
  let isOver = false;
  const once = () => {
    if (!isOver) does();
    isOver = true;
  };
  const inFrames = (left: number) =>
    requestAnimationFrame(() => (left > 1 ? inFrames(left - 1) : setTimeout(once)));
  if (document.hidden) once();
  else {
    inFrames(frames);
    setTimeout(once, longestMs);
  }
  return () => {
    isOver = true;
  };
}
