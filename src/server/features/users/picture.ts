import { AppError } from '#contracts/errors.ts';

/** Longest edge that is kept: sharp on a large screen, small to load. */
const keptPixels = 512;
/** Beyond this a picture is not even decoded: a small file may unfold to gigabytes. */
const mostPixels = 4096 * 4096;

/**
 * Turns an uploaded picture into one of our own: decoded and encoded again, so that nothing but its
 * pixels is left. Throws `unprocessable` with the specified text for anything else (P1 §5).
 */
export async function cleanPicture(bytes: Buffer): Promise<Buffer> {
  if (!isPng(bytes) && !isJpeg(bytes)) throw invalid();
  // Its libraries are large, and few requests need them.
  const { default: sharp } = await import('sharp');
  try {
    return await sharp(bytes, { limitInputPixels: mostPixels, failOn: 'warning', animated: false })
      // The camera's turn is in the data that is about to go.
      .autoOrient()
      .resize({ width: keptPixels, height: keptPixels, fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9 })
      .toBuffer();
  } catch (error) {
    throw invalid(error);
  }
}

/** A logo for the head of a letter or a document: twice the size it is shown at, for sharp screens. */
export async function smallPicture(png: Buffer): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  return sharp(png)
    .resize({ width: 360, height: 72, fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

const isPng = (bytes: Buffer) =>
  bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
const isJpeg = (bytes: Buffer) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]));

function invalid(cause?: unknown): AppError {
  return new AppError('unprocessable', { message: 'File is invalid', cause });
}
