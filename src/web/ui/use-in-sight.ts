import { type RefObject, useEffect, useRef } from 'react';

/**
 * For a row that scrolls where it is too narrow for all it holds: the one that fits `selector` is in sight at any width, and the row
 * fades at the sides at which there is more (`data-more`). It looks again when `active` is another.
 */
export function useInSight<Row extends HTMLElement>(selector: string, active: string): RefObject<Row | null> {
  const list = useRef<Row>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another active one is what it waits for.
  useEffect(() => {
    const row = list.current;
    if (!row) return;
    const fade = () => {
      const sides = sidesWithMore(row);
      if (sides === '') delete row.dataset.more;
      else row.dataset.more = sides;
    };
    const show = () => {
      const one = row.querySelector(selector)?.getBoundingClientRect();
      const { left, right } = row.getBoundingClientRect();
      // In the middle: what it stands between shows that there is more.
      if (one) row.scrollLeft += (one.left + one.right - left - right) / 2;
      fade();
    };
    // It looks at once, too: when the browser has laid the page out, which a look before that would make it do once more.
    const resized = new ResizeObserver(show);
    resized.observe(row);
    row.addEventListener('scroll', fade, { passive: true });
    return () => {
      resized.disconnect();
      row.removeEventListener('scroll', fade);
    };
  }, [active, selector]);
  return list;
}

/** Widths are rounded: a pixel more is nothing to scroll to. */
const roundedPx = 1;

/** "", "start", "end" or "start end" */
export function sidesWithMore(row: Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>): string {
  const after = row.scrollWidth - row.clientWidth - row.scrollLeft;
  return [row.scrollLeft > roundedPx && 'start', after > roundedPx && 'end'].filter(Boolean).join(' ');
}
