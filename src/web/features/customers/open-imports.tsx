import { Alert, Anchor, Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { CustomerImport } from '#contracts/operations/customer-import.ts';
import { countText } from '#contracts/values/format.ts';
import { customersRenamed } from './api.ts';
import { isRunning, useImports } from './import-api.ts';

/** Files that wait for a decision or are being written: seen again after a reload, and by colleagues. */
export function OpenImports() {
  const client = useQueryClient();
  const imports = useImports();
  const open = imports.data?.filter(({ state }) => state === 'ready' || state === 'importing') ?? [];
  const running = open.filter(isRunning).length;
  // The list below shows what an import has brought once it has ended.
  const onEnded = useEffectEvent(() => void customersRenamed(client));
  useEffect(() => {
    if (running === 0) return;
    return () => onEnded();
  }, [running]);
  return open.map((one) => <OpenImport key={one.importId} one={one} />);
}

function OpenImport({ one }: { one: CustomerImport }) {
  const { done, total } = one.progress;
  return (
    <Alert color="blue" variant="light" mb="md">
      <Text size="sm" component="div" className="number" style={{ overflowWrap: 'anywhere' }}>
        {isRunning(one)
          ? `${one.fileName} is being imported: ${countText(done)} of ${countText(total)} customers. `
          : `${one.fileName} has been checked and is not imported yet. `}
        <Anchor component={Link} to={`/customers/import/${one.importId}`} size="sm" underline="always">
          {isRunning(one) ? 'See progress' : 'See the result'}
        </Anchor>
      </Text>
      {isRunning(one) && (
        <Progress
          mt="xs"
          value={total === 0 ? 100 : (done / total) * 100}
          aria-label={`Import of ${one.fileName}`}
        />
      )}
    </Alert>
  );
}
