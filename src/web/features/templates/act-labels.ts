import { mostChangeItems } from '#contracts/values/changes.ts';
import { countText } from '#contracts/values/format.ts';

/** One change takes so many domains, in the order of their names; of more, the button says so. */
const asOneChange = (count: number) =>
  count > mostChangeItems
    ? `the first ${countText(mostChangeItems)} of ${countText(count)}`
    : countText(count);

export const bringBackLabel = (count: number) => `Bring ${asOneChange(count)} back`;
export const rollOutLabel = (count: number) => `Roll out to ${asOneChange(count)}`;
