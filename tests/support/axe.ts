import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds, `rules` or all of them. It is put into a page once, and tells only of what is wrong: that is fast. */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(
      // The provider's own frame is the provider's.
      { exclude: [['iframe']] },
      { resultTypes: ['violations'], ...(only ? { runOnly: { type: 'rule', values: only } } : {}) },
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`),
    );
  }, rules);
}
