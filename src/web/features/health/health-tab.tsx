import { Button, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { HealthFinding } from '#contracts/operations/health.ts';
import { Card } from '../../ui/card.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { isDue, useCheckHealth, useDomainHealth } from './api.ts';
import { FindingList } from './finding-list.tsx';

/** What the world sees of a domain: what is wrong, what was mended, when it was looked at. */
export function HealthTab(props: {
  domain: string;
  mayMute: boolean;
  /** It has left the account: nobody looks at it, unless it is watched (decision 275). */
  missing?: boolean | undefined;
  /** What mends a finding at once. */
  fix?: ((finding: HealthFinding) => ReactNode) | undefined;
}) {
  const { domain, mayMute } = props;
  const health = useDomainHealth(domain);
  const check = useCheckHealth(domain);
  if (!health.data) {
    if (health.error) return <ErrorState error={health.error} onRetry={health.refetch} />;
    return (
      <div role="status" aria-label="Loading health...">
        <Skeleton height={280} />
      </div>
    );
  }
  const { findings, checkedAt, nextAt } = health.data;
  const open = findings.filter(({ clearedAt }) => clearedAt === null);
  const over = findings.filter(({ clearedAt }) => clearedAt !== null);
  const looking = isDue(nextAt);
  const hasLeft = (props.missing ?? false) && health.data.watched === null;
  return (
    <Stack gap="md">
      <Card
        flush
        title="Health"
        beside={
          <Text size="sm" c="dimmed" role="status">
            {looking ? (
              'Checking. This takes a minute or two.'
            ) : checkedAt ? (
              <>
                Checked <DateTime at={checkedAt} />
              </>
            ) : (
              !hasLeft && 'Not checked yet'
            )}
          </Text>
        }
        end={
          nextAt !== null && (
            <Button
              size="xs"
              variant="default"
              disabled={looking || check.isPending}
              onClick={() => check.mutate()}
            >
              Check now
            </Button>
          )
        }
      >
        {check.error && <ErrorState error={check.error} onRetry={() => check.mutate()} />}
        {open.length > 0 ? (
          <FindingList findings={open} mayMute={mayMute} fix={props.fix} />
        ) : (
          <NothingFound wasChecked={checkedAt !== null} hasLeft={hasLeft} mayWatch={mayMute} />
        )}
      </Card>
      {over.length > 0 && (
        <Card flush title="Fixed in the last 30 days">
          <FindingList findings={over} mayMute={false} />
        </Card>
      )}
    </Stack>
  );
}

function NothingFound(props: { wasChecked: boolean; hasLeft: boolean; mayWatch: boolean }) {
  if (props.hasLeft) {
    const until = props.mayWatch ? ' Until then, you can add it to the watched domains.' : '';
    return (
      <EmptyState
        title="This domain is not checked"
        text={`It is no longer in the registrar’s account. It is checked again once it is found there.${until}`}
      />
    );
  }
  return (
    <EmptyState
      title={props.wasChecked ? 'Nothing is wrong with this domain' : 'This domain has not been checked yet'}
      text="Its nameservers, mail records and aliases are checked every day, and after each change."
    />
  );
}
