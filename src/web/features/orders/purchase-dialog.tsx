import { Button, Group, List, Modal, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { formatCents, usdToCents } from '#contracts/values/money.ts';
import type { CartItem } from './cart.ts';
import classes from './purchase-dialog.module.css';

/** What the result dialog shows: an order's result, or why there was none (P1 §4 and §8). */
export type DialogContent =
  | { kind: 'result'; result: PurchaseResult }
  | {
      kind: 'problem';
      title: string;
      message: string;
      details?: string[];
      topUp?: boolean;
      /** Items of which there is nothing left to buy: they leave the cart when the dialog is closed. */
      done?: { type: CartItem['type']; address: string }[];
    };

const sections = ['domains', 'renewals', 'transfers', 'certificates'] as const;
const names = {
  domains: 'Domains',
  renewals: 'Renewals',
  transfers: 'Transfers',
  certificates: 'Certificates',
};

export function hasFailures(result: PurchaseResult): boolean {
  return sections.some((section) => result[section].fail.length > 0);
}

export function PurchaseDialog(props: {
  content: DialogContent | null;
  onClose: () => void;
  /** The way to the billing screen, offered when the money does not suffice. */
  topUp: ReactNode;
}) {
  const { content, onClose } = props;
  const title = content === null ? '' : titleOf(content);
  return (
    <Modal opened={content !== null} onClose={onClose} title={title} size="lg" centered>
      {content?.kind === 'problem' && (
        <Stack gap="sm">
          <Text role="alert">{content.message}</Text>
          {content.details && (
            <List size="sm">
              {content.details.map((line) => (
                <List.Item key={line}>{line}</List.Item>
              ))}
            </List>
          )}
        </Stack>
      )}
      {content?.kind === 'result' && <ResultLists result={content.result} />}
      <Group justify="flex-end" mt="lg">
        {content?.kind === 'problem' && content.topUp && props.topUp}
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Modal>
  );
}

function titleOf(content: DialogContent): string {
  if (content.kind === 'problem') return content.title;
  return hasFailures(content.result) ? 'See the items that succeeded and failed below' : 'Success';
}

function ResultLists({ result }: { result: PurchaseResult }) {
  if (!hasFailures(result)) {
    const notes = sections.flatMap((section) => result[section].success).filter((item) => item.note);
    return (
      <Stack gap="xs">
        <Text role="status">Your order has been processed sucessfully!</Text>
        {notes.map((item) => (
          <Text key={item.domain} size="sm" c="dimmed">
            {item.domain}: {item.note}
          </Text>
        ))}
      </Stack>
    );
  }
  return (
    <Stack gap="md" role="status">
      {sections.map((section) => {
        const { success, fail } = result[section];
        if (success.length + fail.length === 0) return null;
        return (
          <section key={section} aria-label={names[section]}>
            <Title order={3} size="h5" mb={4}>
              {names[section]}
            </Title>
            <List size="sm" listStyleType="none" className={classes.results}>
              {success.map((item) => (
                <List.Item key={item.domain}>
                  <Text span inherit fw={600} className="result-ok">
                    Succeeded
                  </Text>{' '}
                  <span className={classes.what}>
                    {item.domain}
                    {item.note ? ` (${item.note})` : ''}
                  </span>{' '}
                  <span className="number">USD {price(item.price)}</span>
                </List.Item>
              ))}
              {fail.map((item) => (
                <List.Item key={item.domain}>
                  <Text span inherit fw={600} className="result-fail">
                    Failed
                  </Text>{' '}
                  <span className={classes.what}>
                    {item.domain}: {item.error}
                  </span>{' '}
                  <span className="number">USD {price(item.price)}</span>
                </List.Item>
              ))}
            </List>
          </section>
        );
      })}
      <Text size="sm">
        Please note: You have been charged only for successful purchases. Unsuccesful purchases will be still
        in your cart so you can review them.
      </Text>
    </Stack>
  );
}

const price = (usd: number) => formatCents(usdToCents(usd));
