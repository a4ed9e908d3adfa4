import { Button, Group, Stack, Text } from '@mantine/core';
import { type ChangeEvent, type DragEvent, useId, useRef, useState } from 'react';
import { logoProblem, useUploadLogo } from './api.ts';
import classes from './logo-upload.module.css';

/** The organisation's logo: shows it, and takes another one by button or by dropping it here. */
export function LogoUpload({ organization, logoPath }: { organization: string; logoPath: string | null }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [share, setShare] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const upload = useUploadLogo(setShare);
  const hint = useId();

  function take(files: readonly File[]) {
    const complaint = logoProblem(files);
    setProblem(complaint);
    setShare(0);
    upload.reset();
    const [file] = files;
    if (file && !complaint) upload.mutate(file);
  }
  function onChoose(event: ChangeEvent<HTMLInputElement>) {
    const files = [...(event.currentTarget.files ?? [])];
    // The same file may be chosen again, after it was mended.
    event.currentTarget.value = '';
    if (files.length > 0) take(files);
  }
  function onDrop(event: DragEvent) {
    event.preventDefault();
    if (!upload.isPending) take([...event.dataTransfer.files]);
  }
  const message = problem ?? upload.error?.message;
  return (
    <Stack gap="sm">
      <section
        className={classes.place}
        aria-label="Logo upload"
        onDragOver={(event) => event.preventDefault()}
        onDrop={onDrop}
      >
        {logoPath ? (
          <img className={classes.logo} src={logoPath} alt={`Logo of ${organization}`} />
        ) : (
          <Text size="sm" c="dimmed">
            No logo yet
          </Text>
        )}
        <Group gap="sm">
          <Button
            variant="default"
            aria-describedby={hint}
            disabled={upload.isPending}
            onClick={() => input.current?.click()}
          >
            {upload.isPending ? `Uploading... ${Math.round(share * 100)}%` : 'Upload logo'}
          </Button>
          <Text size="sm" c="dimmed" id={hint}>
            .png or .jpg, at most 2MB
          </Text>
        </Group>
        <input
          ref={input}
          type="file"
          accept=".png,.jpg"
          hidden
          tabIndex={-1}
          aria-label="Logo file"
          onChange={onChoose}
        />
      </section>
      <div aria-live="polite">
        {message && (
          <Text size="sm" c="var(--bad)">
            {message}
          </Text>
        )}
        {upload.isSuccess && !message && (
          <Text size="sm" className="result-ok">
            Your logo has been updated.
          </Text>
        )}
      </div>
    </Stack>
  );
}
