/** The rules for a logo and their messages (P1 §5), the same before the upload and after it. */
export const logoMaxBytes = 2 * 1024 * 1024;

export const logoMessages = {
  type: 'Invalid file type. Only .png, and .jpg files are allowed.',
  invalid: 'File is invalid',
  size: 'Max file size is 2MB',
  failed: 'Error uploading Logo',
} as const;

/** What a file of this name is sent as; null for any other ending than the two that are taken. */
export function logoTypeOf(fileName: string): 'image/png' | 'image/jpeg' | null {
  if (/\.png$/i.test(fileName)) return 'image/png';
  return /\.jpg$/i.test(fileName) ? 'image/jpeg' : null;
}
