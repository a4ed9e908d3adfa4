import { Button, type ButtonProps, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The way to more money. Those who may not top up are told who can. */
export function TopUpLink(props: { may: boolean; label: string } & Pick<ButtonProps, 'size' | 'variant'>) {
  const { may, label, ...look } = props;
  if (!may) return <Text size="sm">An owner or administrator can top up the balance.</Text>;
  return (
    <Button component={Link} to="/account" {...look}>
      {label}
    </Button>
  );
}
