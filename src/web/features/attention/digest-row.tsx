import { Text } from '@mantine/core';
import { SettingRows, SettingSwitch } from '../../ui/setting-row.tsx';
import { useDigest, useSetDigest } from './api.ts';

/** Whether the person has the list mailed each day. */
export function DigestRow() {
  const digest = useDigest();
  const set = useSetDigest();
  return (
    <SettingRows>
      <SettingSwitch
        title="Email me this list every day"
        meaning="One email in the morning, and none when the list is empty."
        checked={set.isPending ? set.variables : (digest.data?.daily ?? false)}
        disabled={!digest.data || set.isPending}
        onChange={(daily) => set.mutate(daily)}
      >
        {(set.error ?? digest.error) && (
          <Text size="sm" c="var(--bad)" role="alert">
            {(set.error ?? digest.error)?.message}
          </Text>
        )}
      </SettingSwitch>
    </SettingRows>
  );
}
