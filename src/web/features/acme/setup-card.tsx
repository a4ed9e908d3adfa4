import { ActionIcon, Alert, Code, CopyButton, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { breakable } from '../../ui/breakable.tsx';
import { Card } from '../../ui/card.tsx';
import { guidesFor, keyPlaceholder } from './commands.ts';
import classes from './setup-card.module.css';

/** The three values, and what to paste for each client. `hmacKey`: right after it was made, and never again. */
export function SetupCard({
  access,
  hmacKey,
  domain,
}: {
  access: AcmeAccess;
  hmacKey: string | null;
  /** One of the customer's, for an access that covers all of their names. */
  domain: string | undefined;
}) {
  const suggested = access.hosts?.[0] ?? domain ?? 'www.example.com';
  const [typed, setTyped] = useState<string | null>(null);
  const host = typed ?? suggested;
  const { directoryUrl, keyId } = access;
  const guides = guidesFor({ directoryUrl, keyId, hmacKey, host: host.trim() || suggested });
  return (
    <Card title="Set up a machine">
      <Stack gap="md">
        {hmacKey !== null && (
          <Alert color="yellow" variant="light" role="status" title="Copy the key now">
            It is shown only once, and nobody can look it up later. If you lose it, make another access.
          </Alert>
        )}
        <dl className={classes.values}>
          <Value name="Directory" text={directoryUrl} />
          <Value name="Key ID" text={keyId} />
          {hmacKey === null ? (
            <>
              <dt>HMAC key</dt>
              <dd>
                <Text size="sm" c="dimmed">
                  Not shown any more. Put yours in place of {keyPlaceholder}.
                </Text>
              </dd>
            </>
          ) : (
            <Value name="HMAC key" text={hmacKey} />
          )}
        </dl>
        <TextInput
          label="Name in the commands"
          value={host}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maw={360}
          spellCheck={false}
        />
        <Tabs defaultValue={guides[0]?.id ?? ''} keepMounted={false}>
          <Tabs.List aria-label="ACME client" mb="md">
            {guides.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {guides.map((guide) => (
            <Tabs.Panel key={guide.id} value={guide.id}>
              <Stack gap="md">
                <Text size="sm">{guide.about}</Text>
                {guide.blocks.map((block) => (
                  <Block key={block.title} {...block} />
                ))}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
        <Text size="sm" c="dimmed">
          The machine has nothing to prove and opens no port: the portal proves control of each name in the
          DNS that it manages. The private key stays on the machine.
        </Text>
      </Stack>
    </Card>
  );
}

function Value({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Code className={classes.value}>{breakable(text)}</Code>
        <Copy text={text} what={name} />
      </dd>
    </>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={560}>
          {title}
        </Text>
        <Copy text={text} what={title} />
      </Group>
      {/* Reached by keyboard, so that a long line can be scrolled. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways */}
      <pre className={classes.block} tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}

function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={copied ? `Copied: ${what}` : `Copy: ${what}`}
          onClick={copy}
        >
          {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
