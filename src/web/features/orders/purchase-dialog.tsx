import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { stillBeingConfirmed, transferStarted } from '#contracts/values/outcome-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
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
      /** What items cost by now: the person knows it when the dialog is closed. */
      prices?: { type: string; address: string; price: number }[];
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

type Bought = PurchaseResult['domains']['success'][number];

/**
 * Cents that this purchase took: what an earlier order pays for is not in it. The money for a transfer that has only started is
 * held: a transfer that fails costs nothing.
 */
export function sumsOf(result: PurchaseResult): { charged: number; reserved: number } {
  const bought = sections
    .flatMap((section) => result[section].success)
    .filter(({ earlierOrderId }) => earlierOrderId === undefined);
  const sum = (items: typeof bought) => items.reduce((cents, item) => cents + usdToCents(item.price), 0);
  const started = bought.filter(({ note }) => note === transferStarted);
  return { charged: sum(bought) - sum(started), reserved: sum(started) };
}

/** What is said beside an item: why its price is in no sum, and the registrar's remark. */
export function noteOf({ note, earlierOrderId }: Bought): string | undefined {
  if (earlierOrderId === undefined) return note;
  if (note === transferStarted) return 'Started in an earlier order, which reserves the funds for it';
  return ['Bought in an earlier order, and charged there', note].filter(Boolean).join('. ');
}

export function PurchaseDialog(props: {
  content: DialogContent | null;
  onClose: () => void;
  /** A way out of the result was taken: it has been read. */
  onLeave: () => void;
  /** The way to the billing screen, offered when the money does not suffice. */
  topUp: ReactNode;
}) {
  const { content, onClose } = props;
  const title = content === null ? '' : titleOf(content);
  return (
    <Dialog opened={content !== null} onClose={onClose} title={title} size="lg" centered>
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
      {content?.kind === 'result' && <ResultLists result={content.result} onLeave={props.onLeave} />}
      <Group justify="flex-end" mt="lg">
        {content?.kind === 'problem' && content.topUp && props.topUp}
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Dialog>
  );
}

function titleOf(content: DialogContent): string {
  if (content.kind === 'problem') return content.title;
  return hasFailures(content.result) ? 'See the items that succeeded and failed below' : 'Success';
}

interface ResultProps {
  result: PurchaseResult;
  onLeave: () => void;
}

function ResultLists({ result, onLeave }: ResultProps) {
  if (!hasFailures(result)) {
    return <Receipt result={result} onLeave={onLeave} />;
  }
  return (
    <Stack gap="md">
      <Text role="status">{countsText(result)}</Text>
      {sections.map((section) => {
        const { success, fail } = result[section];
        if (success.length + fail.length === 0) return null;
        return (
          <section key={section} aria-label={names[section]}>
            <Title order={3} size="h5" mb={4}>
              {names[section]}
            </Title>
            <List size="sm" listStyleType="none" className={classes.results}>
              {/* What is to be done something about comes first: of a large cart the end is out of sight. */}
              {fail.map((item) => (
                <List.Item key={item.domain}>
                  <FailureMark error={item.error} />{' '}
                  <span className={classes.what}>
                    {item.domain}: <FoldedText about={item.domain}>{item.error}</FoldedText>
                  </span>{' '}
                  <span className="number">{usdText(item.price)}</span>
                </List.Item>
              ))}
              {success.map((item) => (
                <List.Item key={item.domain}>
                  <Text span inherit fw={600} className="result-ok">
                    Succeeded
                  </Text>{' '}
                  <span className={classes.what}>
                    {item.domain}
                    {noteOf(item) ? ` (${noteOf(item)})` : ''}
                  </span>{' '}
                  <span className="number">{usdText(item.price)}</span>
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

/** How many of them came to which end: the list itself is too long to be read out. */
function countsText(result: PurchaseResult): string {
  const failures = sections.flatMap((section) => result[section].fail);
  const open = failures.filter(({ error }) => error === stillBeingConfirmed).length;
  const counts = [
    [failures.length - open, 'failed'],
    [open, 'still being confirmed'],
    [sections.flatMap((section) => result[section].success).length, 'succeeded'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ');
}

/** What is not known yet has not failed (decisions no. 8). */
function FailureMark({ error }: { error: string }) {
  const isOpen = error === stillBeingConfirmed;
  return (
    <Text span inherit fw={600} {...(isOpen ? {} : { className: 'result-fail' })}>
      {isOpen ? 'Pending' : 'Failed'}
    </Text>
  );
}

const wayTo = (section: string, domain: string) =>
  section === 'transfers' ? `/domain/transfer/${domain}` : `/domain/${domain}`;

/** What was bought, for how much, and where it goes on. */
function Receipt({ result, onLeave }: ResultProps) {
  const bought = sections.flatMap((section) =>
    result[section].success.map((item) => ({ ...item, section, key: `${section} ${item.domain}` })),
  );
  const { charged, reserved } = sumsOf(result);
  return (
    <Stack gap="md">
      <Text role="status">Your order has been processed sucessfully!</Text>
      <dl className={classes.receipt}>
        {bought.map((item) => (
          <Fragment key={item.key}>
            <dt>
              {item.section === 'certificates' ? (
                `Certificate for ${item.domain}`
              ) : (
                <Link to={wayTo(item.section, item.domain) as never} onClick={onLeave}>
                  {item.domain}
                </Link>
              )}
              {noteOf(item) && <small>{noteOf(item)}</small>}
            </dt>
            <dd className="number">{usdText(item.price)}</dd>
          </Fragment>
        ))}
        <dt data-total>Charged</dt>
        <dd data-total className="number">
          {moneyText(charged)}
        </dd>
        {reserved > 0 && (
          <>
            <dt>Reserved</dt>
            <dd className="number">{moneyText(reserved)}</dd>
          </>
        )}
      </dl>
      <Text size="sm" c="dimmed">
        {result.domains.success.length > 0 ? 'Next: open a name to set up its DNS, or see ' : 'See '}
        <Link to="/orders/$orderId" params={{ orderId: result.orderId }} onClick={onLeave}>
          the order
        </Link>{' '}
        with everything that belongs to it.
      </Text>
    </Stack>
  );
}
