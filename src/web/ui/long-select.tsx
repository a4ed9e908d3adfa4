import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';
import { mostOptions } from './theme.ts';

/**
 * A `Select` among many: its options are drawn while it is open, and one while it is closed. A list would draw three hundred of them
 * before anybody opens its filter, and a form of three contacts nine hundred with each key that is pressed. All of them count for
 * what the browser fills in.
 */
export function LongSelect(props: SelectProps) {
  const [opened, setOpened] = useState(false);
  return (
    <Select
      {...props}
      limit={opened ? mostOptions : 1}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
    />
  );
}
