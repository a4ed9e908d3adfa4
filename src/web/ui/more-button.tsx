import { Button, Group } from '@mantine/core';

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The rest of a list that comes in pages; nothing where all of it is shown. */
export function MoreButton({ list }: { list: Pages }) {
  return (
    list.hasNextPage && (
      <Group justify="center" p="sm">
        <Button
          variant="default"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? 'Loading...' : 'Show more'}
        </Button>
      </Group>
    )
  );
}
