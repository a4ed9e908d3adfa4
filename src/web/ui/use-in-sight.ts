import { type RefObject, useEffect, useRef } from 'react';

/**
 * For a row that scrolls where it is too narrow for all it holds: the one that fits `selector` is in sight at any width. It looks
 * again when `active` is another.
 */
export function useInSight<Row extends HTMLElement>(selector: string, active: string): RefObject<Row | null> {
  const list = useRef<Row>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another active one is what it waits for.
  useEffect(() => {
    const row = list.current;
    if (!row) return;
    const show = () => {
      const one = row.querySelector(selector)?.getBoundingClientRect();
      const { left, right } = row.getBoundingClientRect();
      // In the middle: what it stands between shows that there is more.
      if (one) row.scrollLeft += (one.left + one.right - left - right) / 2;
    };
    // It looks at once, too: when the browser has laid the page out, which a look before that would make it do once more.
    const resized = new ResizeObserver(show);
    resized.observe(row);
    return () => resized.disconnect();
  }, [active, selector]);
  return list;
}
