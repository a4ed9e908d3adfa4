/** States of an item in which its money is held and its outcome is open. */
export const openItemStates = ['queued', 'sending', 'pending', 'unknown', 'review'] as const;

export type OpenItemState = (typeof openItemStates)[number];

export function isOpenItem(state: string): boolean {
  return (openItemStates as readonly string[]).includes(state);
}
