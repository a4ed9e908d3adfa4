import { Alert, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { TransferStatusReply } from '#contracts/operations/transfers.ts';
import { DateTime } from '../../ui/date-time.tsx';
import classes from './transfer-progress.module.css';

type Step = TransferStatusReply['steps'][number];

const texts: Record<Step['kind'], { title: string; text: string }> = {
  requested: { title: 'Requested', text: 'The order is placed and its price is reserved.' },
  approval: {
    title: 'Approved',
    text: 'With the right code, the registrar approves automatically. Otherwise, it asks the owner.',
  },
  release: {
    title: 'Released',
    text: 'The current registrar has five days to object. It can also release the domain at once.',
  },
  completed: { title: 'Completed', text: 'The domain is in your account, renewed for a year and paid for.' },
};
const stateTexts: Record<Step['state'], string> = {
  done: 'done',
  current: 'under way',
  waiting: 'not started',
  failed: 'failed',
};

/** The steps of a transfer with what is known and what is expected. */
export function TransferProgress({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className={classes.steps} aria-label="Steps of the transfer">
      {steps.map((step) => (
        <li
          key={step.kind}
          data-state={step.state}
          aria-current={step.state === 'current' ? 'step' : undefined}
        >
          <span className={classes.mark} aria-hidden>
            {step.state === 'done' && <IconCheck size={14} />}
            {step.state === 'failed' && <IconX size={14} />}
          </span>
          <Text fw={600}>
            {texts[step.kind].title}
            <VisuallyHidden> ({stateTexts[step.state]})</VisuallyHidden>
          </Text>
          <Text size="sm" c="dimmed">
            {texts[step.kind].text}
          </Text>
          <Dates step={step} />
        </li>
      ))}
    </ol>
  );
}

function Dates({ step }: { step: Step }) {
  if (step.at) {
    return (
      <Text size="sm">
        <DateTime at={step.at} />
      </Text>
    );
  }
  if (!step.expectedBy) return null;
  return (
    <Text size="sm">
      Expected by <DateTime at={step.expectedBy} />
    </Text>
  );
}

/** What can be done when it takes longer than it should. */
export function StuckAdvice({ transfer }: { transfer: TransferStatusReply }) {
  const current = transfer.steps.find(({ state }) => state === 'current')?.kind;
  return (
    <Alert color="yellow" variant="light" role="status" title="This takes longer than usual">
      {current === 'release'
        ? 'The current registrar has not released the domain. Ask it to approve the transfer. Also ask whether a status such as clientTransferProhibited or clientHold blocks it.'
        : 'Nobody has approved the transfer yet. Check that the owner received the approval email, that the AuthInfo / EPP code was right, and that the domain is unlocked at the current registrar. If not, cancel the transfer and start again with the right code.'}
    </Alert>
  );
}
