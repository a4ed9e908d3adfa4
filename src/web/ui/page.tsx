import { Container, Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** A screen: one heading, at most one primary action. */
export function Page(props: { title: string; action?: ReactNode; above?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · Nameward`;
  }, [props.title]);
  return (
    <Container size={1300} px={0}>
      {props.above}
      <Group justify="space-between" mb="lg" gap="sm">
        <Title order={1} size="h2">
          {props.title}
        </Title>
        {props.action}
      </Group>
      {props.children}
    </Container>
  );
}
