import { Button } from '@mantine/core';

/** The next step where nothing in a list matches. `onPress`: takes search and filters away. */
export function ShowAll({ onPress }: { onPress: () => void }) {
  return (
    <Button
      variant="default"
      onClick={(event) => {
        // The button goes as the rows come: the keyboard goes on at the list.
        event.currentTarget.closest<HTMLElement>('[data-table]')?.focus({ preventScroll: true });
        onPress();
      }}
    >
      Clear search and filters
    </Button>
  );
}
