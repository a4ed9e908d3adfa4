import { Anchor, Button, Group, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useChanges } from '../features/changes/api.ts';
import classes from '../features/changes/change.module.css';
import { changeStates, domainsText, shareText } from '../features/changes/change-words.ts';
import { Author } from '../ui/author.tsx';
import { Card } from '../ui/card.tsx';
import { Chip } from '../ui/chip.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { Page } from '../ui/page.tsx';

/** /changes: what was changed in many domains at once, and what waits to be. */
export default function ChangesScreen() {
  return (
    <Page
      title="Changes"
      below="Change many domains at once. Review every difference first, and undo it all at once."
      action={
        <Group gap="xs">
          <Button component={Link} to="/changes/templates" variant="default">
            Templates
          </Button>
          <Button component={Link} to="/changes/new">
            New change
          </Button>
        </Group>
      }
    >
      <List />
    </Page>
  );
}

function List() {
  const list = useChanges();
  const changes = list.data?.pages.flatMap((page) => page.changes);
  if (!changes) {
    if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />;
    return (
      <div role="status" aria-label="Loading changes...">
        <Skeleton height={240} />
      </div>
    );
  }
  if (changes.length === 0) {
    return (
      <EmptyState
        title="No changes yet"
        text="Replace a mail server, set DMARC or delete a host in all zones at once, after you have reviewed every difference."
        action={
          <Button component={Link} to="/changes/new">
            New change
          </Button>
        }
      />
    );
  }
  return (
    <Card flush title="All changes">
      <ul className={classes.list} aria-label="Changes">
        {changes.map((change) => {
          const { tone, text } = changeStates[change.state];
          return (
            <li key={change.id}>
              <div>
                <Anchor
                  component={Link}
                  to="/changes/$changeId"
                  params={{ changeId: change.id } as never}
                  fw={600}
                >
                  {change.title}
                </Anchor>
                <p>{change.sentence}</p>
                <p>
                  <DateTime at={change.createdAt} /> by <Author name={change.author} />
                  {change.reason !== '' && ` · ${change.reason}`}
                </p>
              </div>
              <Group gap="sm" justify="flex-end">
                <span className="number">
                  {change.startedAt ? shareText(change) : domainsText(change.counts.total)}
                </span>
                <Chip tone={tone}>{text}</Chip>
              </Group>
            </li>
          );
        })}
      </ul>
      {list.error && <ErrorState error={list.error} onRetry={list.refetch} />}
      <MoreButton list={list} />
    </Card>
  );
}
