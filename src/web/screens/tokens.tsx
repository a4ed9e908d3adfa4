import { Anchor, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiToken } from '#contracts/operations/tokens.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useRevokeToken, useTokens } from '../features/tokens/api.ts';
import { rightName, rightsText } from '../features/tokens/right-names.ts';
import { TokenForm } from '../features/tokens/token-form.tsx';
import { tokenForm } from '../features/tokens/token-values.ts';
import { useProfile, useSignInIsOld } from '../features/users/api.ts';
import { hasDraft } from '../lib/drafts.ts';
import { useSession } from '../lib/session.tsx';
import { Card } from '../ui/card.tsx';
import { Chip } from '../ui/chip.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { UnreadChoices } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';
import classes from './tokens.module.css';

/** /tokens: what scripts may do, made and revoked. */
export default function TokensScreen() {
  const session = useSession();
  const profile = useProfile();
  const oldSignIn = useSignInIsOld();
  const tokens = useTokens();
  const customers = useCustomerChoices();
  const revoke = useRevokeToken();
  // Back from the sign-in that was asked for when it was sent.
  const [adding, setAdding] = useState(() => hasDraft(tokenForm));
  // The button that opened the form is gone while it is open, and takes the focus when it is back.
  const [closed, setClosed] = useState(false);
  const closeForm = () => {
    setAdding(false);
    setClosed(true);
  };
  const [made, setMade] = useState<string | null>(null);
  const [doomed, setDoomed] = useState<ApiToken | null>(null);
  const close = () => {
    setDoomed(null);
    revoke.reset();
  };
  return (
    <Page
      title="API tokens"
      action={
        adding ? undefined : (
          <Button autoFocus={closed} onClick={() => setAdding(true)}>
            New token
          </Button>
        )
      }
    >
      <Text mb="md" c="var(--text-2)">
        Tokens let your scripts use the API. The{' '}
        <Anchor href="/api/docs" target="_blank" rel="noopener">
          API documentation
        </Anchor>{' '}
        shows how.
      </Text>
      {adding && (
        <div className={classes.form}>
          <Card title="New token">
            <UnreadChoices of={[customers]} />
            <TokenForm
              customers={customerOptions(customers.data)}
              may={profile.data?.permissions ?? []}
              oldSignIn={oldSignIn}
              onCancel={closeForm}
              onSignInAgain={() => void session.signIn({ fresh: true, returnPath: '/tokens' })}
              onMade={(token) => {
                closeForm();
                setMade(token);
              }}
            />
          </Card>
        </div>
      )}
      <DataTable
        label="API tokens"
        columns={columnsWith(setDoomed)}
        rows={tokens.data}
        rowKey={(token) => token.id}
        loading={tokens.isFetching}
        error={tokens.error}
        onRetry={tokens.refetch}
        loadingText="Loading tokens..."
        empty={
          <EmptyState
            title="No API tokens yet"
            text="Make one for each script, with no more rights than it needs."
          />
        }
      />
      <MadeToken token={made} onClose={() => setMade(null)} />
      <ConfirmDialog
        opened={doomed !== null}
        title="Revoke token"
        confirmLabel="Revoke"
        running={revoke.isPending}
        error={revoke.error}
        danger
        onClose={close}
        onConfirm={() => doomed && revoke.mutate(doomed.id, { onSuccess: close })}
      >
        Scripts that use “{doomed?.name}” are refused from now on. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}

/** The one time that the secret is seen. */
function MadeToken({ token, onClose }: { token: string | null; onClose: () => void }) {
  return (
    <Dialog
      opened={token !== null}
      onClose={onClose}
      title="Your new token"
      centered
      closeOnClickOutside={false}
    >
      <Stack>
        <Text>Copy it now. It is not shown again, and nobody can look it up.</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {token}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={token ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** What a token opens now; what it was given and its person may no longer do is named below. */
function Rights({ token }: { token: ApiToken }) {
  if (token.ended) return <Text c="dimmed">Nothing</Text>;
  const lost = token.permissions.filter((name) => !token.opens.includes(name));
  return (
    <>
      <span title={token.opens.map(rightName).join('\n')}>{rightsText(token.opens)}</span>
      {lost.length > 0 && (
        <Text size="xs" c="dimmed" truncate title={lost.map(rightName).join('\n')}>
          {token.customerId === null
            ? `${token.createdBy} no longer has: ${rightsText(lost)}`
            : `Not for one customer: ${rightsText(lost)}`}
        </Text>
      )}
    </>
  );
}

function End({ token }: { token: ApiToken }) {
  if (!token.ended) return token.expiresAt ? <DateTime at={token.expiresAt} /> : 'Until revoked';
  return (
    <>
      <Chip tone="plain">Ended</Chip> <DateTime at={token.ended.at} />
      <Text size="xs" c="dimmed" truncate title={token.ended.because}>
        {token.ended.because}
      </Text>
    </>
  );
}

const columnsWith = (onRevoke: (token: ApiToken) => void): Column<ApiToken>[] => [
  {
    key: 'name',
    title: 'Name',
    width: '26%',
    render: (token) => <b className={classes.name}>{token.name}</b>,
  },
  { key: 'may', title: 'Permissions', width: '34%', render: (token) => <Rights token={token} /> },
  { key: 'customer', title: 'Customer', width: '18%', gives: 2, render: (token) => token.customer || 'All' },
  { key: 'by', title: 'Created by', width: '22%', gives: 1, render: (token) => token.createdBy },
  {
    key: 'used',
    title: 'Last used',
    render: (token) => (token.lastUsedAt ? <DateTime at={token.lastUsedAt} /> : 'Never'),
  },
  {
    key: 'ends',
    title: 'Ends',
    render: (token) => <End token={token} />,
  },
  {
    key: 'revoke',
    title: 'Revoke',
    align: 'right',
    render: (token) =>
      token.ended === null && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Revoke ${token.name}`}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </Button>
      ),
  },
];
