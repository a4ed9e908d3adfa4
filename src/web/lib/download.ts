/** Hands a file to the browser to keep. */
export function saveFile({ blob, fileName }: { blob: Blob; fileName: string }): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser takes the bytes after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
