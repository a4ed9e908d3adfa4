import type { MouseEvent } from 'react';

const fields = 'input, textarea, select';

/**
 * A press on a button leaves the focus in the field where it is. Else the field, left with a fault in it, would say so
 * between press and click, the line would push the button away from under the pointer, and the click be lost.
 */
export function holdFocus(event: MouseEvent): void {
  if (document.activeElement?.matches(fields)) event.preventDefault();
}
