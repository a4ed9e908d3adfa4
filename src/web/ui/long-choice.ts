import { useState } from 'react';

/** Of a choice among many, as many as anybody scrolls through are drawn; the others are found by typing (decision 98). */
export const mostOptions = 300;

/**
 * For a `Select` among many: its options are drawn while it is open, and one while it is closed. A form of three contacts would
 * draw nine hundred with each key that is pressed. All of them count for what the browser fills in.
 */
export function useLongChoice() {
  const [opened, setOpened] = useState(false);
  return {
    limit: opened ? mostOptions : 1,
    onDropdownOpen: () => setOpened(true),
    onDropdownClose: () => setOpened(false),
  };
}
