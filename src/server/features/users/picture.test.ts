import sharp from 'sharp';
import { expect, test } from 'vitest';
import { cleanPicture, smallPicture } from './picture.ts';

const pictureOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2450c0' } });
const sizeOf = async (bytes: Buffer) => {
  const { format, width, height } = await sharp(bytes).metadata();
  return [format, width, height];
};

test.each([
  ['a large one, wide', 1_024, 512, 512, 256],
  ['a large one, high', 300, 1_024, 150, 512],
  ['one of that size', 512, 512, 512, 512],
  // Enlarged, a small logo would be blurred for ever: the original is not kept.
  ['a small one', 20, 10, 20, 10],
])('a picture is kept with its longest edge at 512 pixels: %s', async (_what, width, height, ...kept) => {
  for (const bytes of [
    await pictureOf(width, height).png().toBuffer(),
    await pictureOf(width, height).jpeg().toBuffer(),
  ]) {
    expect(await sizeOf(await cleanPicture(bytes))).toEqual(['png', ...kept]);
  }
});

test('no other kind of picture is taken, whatever could be read of it', async () => {
  for (const bytes of [
    await pictureOf(20, 10).webp().toBuffer(),
    await pictureOf(20, 10).gif().toBuffer(),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"/>'),
    Buffer.alloc(0),
  ]) {
    await expect(cleanPicture(bytes)).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'File is invalid' },
    });
  }
});

test.each([
  ['a wide one', 512, 64, 360, 45],
  ['a square', 512, 512, 72, 72],
  ['a small one', 20, 10, 20, 10],
])(
  'in the head of a letter a picture has 360 by 72 pixels at most: %s',
  async (_what, width, height, ...small) => {
    expect(await sizeOf(await smallPicture(await pictureOf(width, height).png().toBuffer()))).toEqual([
      'png',
      ...small,
    ]);
  },
);
