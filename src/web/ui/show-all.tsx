import { Button } from '@mantine/core';

/** The next step where nothing in a list matches. `onPress`: takes search and filters away. */
export function ShowAll({ onPress }: { onPress: () => void }) {
  return (
    <Button variant="default" onClick={onPress}>
      Clear search and filters
    </Button>
  );
}
