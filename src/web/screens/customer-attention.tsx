import { Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAttention, useAttentionCounts } from '../features/attention/api.ts';
import { AttentionItems } from '../features/attention/attention-list.tsx';
import { Card } from '../ui/card.tsx';
import { AttentionAct } from './attention-act.tsx';
import classes from './home.module.css';

const shownFirst = 3;

/** What of a customer waits for somebody; nothing when nothing does. */
export function CustomerAttention({ customerId }: { customerId: string }) {
  const { items = [] } = useAttention({ customerId }, shownFirst);
  const counts = useAttentionCounts(customerId).data;
  const total = counts ? counts.now + counts.soon : 0;
  if (items.length === 0) return null;
  return (
    <Box mb="lg">
      <Card
        flush
        title="Needs attention"
        end={
          total > shownFirst && (
            <Link to="/attention" search={{ customer: customerId } as never} className={classes.more}>
              All {total}
            </Link>
          )
        }
      >
        <AttentionItems items={items.slice(0, shownFirst)} act={(item) => <AttentionAct item={item} />} />
      </Card>
    </Box>
  );
}
