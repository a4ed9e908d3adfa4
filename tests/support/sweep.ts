import type { Page } from 'playwright-core';

const narrowest = 320;
const widest = 2560;
const step = 64;

/** What collapses on the screen as it is, at every width: words broken inside, figures that are cut, a page that sticks out. */
export async function sweep(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (let width = narrowest; width <= widest; width += step) {
    await page.setViewportSize({ width, height: 900 });
    const faults = await page.evaluate(lookForCollapse);
    found.push(...faults.map((fault) => `${width}: ${fault}`));
  }
  return found;
}

/** Runs in the page. */
function lookForCollapse(): string[] {
  const found: string[] = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > window.innerWidth) found.push(`the page is ${scrollWidth} px wide`);
  for (const name of document.querySelectorAll<HTMLElement>('td [data-row-link]')) {
    const { width } = name.getBoundingClientRect();
    if (width > 0 && width < 48) found.push(`"${name.textContent}" has ${Math.round(width)} px`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement;
    const text = node.textContent ?? '';
    if (!around || text.trim() === '' || !around.checkVisibility({ visibilityProperty: true })) continue;
    if (around.closest('style, script, .mantine-VisuallyHidden-root, [aria-hidden]')) continue;
    // A word may break where it has a mark of its own to break at; what is longer than a line has to.
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]{2,}/gu)) {
      if (word.length > 20) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(`"${word}" of "${text.trim().slice(0, 40)}" is broken`);
    }
    const figure = /[$\d][\d,]*\.\d\d\b|\d{2,}/.exec(text);
    if (figure && isCut(node, figure)) found.push(`"${figure[0]}" of "${text.trim().slice(0, 40)}" is cut`);
  }
  return found;

  function isCut(node: Node, { 0: text, index }: RegExpExecArray): boolean {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + text.length);
    const { left, right } = range.getBoundingClientRect();
    for (let box = node.parentElement; box; box = box.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(box);
      // What ends in an ellipsis says so, and what scrolls can be reached.
      if (textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll') return false;
      if (overflowX === 'visible') continue;
      const edge = box.getBoundingClientRect();
      if (left < edge.left - 1 || right > edge.right + 1) return true;
    }
    return false;
  }
}
