import type { Locator } from '@playwright/test';
import sharp from 'sharp';

/**
 * The greatest contrast between two pixels of what is drawn there, as WCAG counts it: 1 to 21. `inset`: pixels at each edge that are left
 * out, as what lies behind a round corner.
 */
export async function contrastWithin(place: Locator, inset = 0): Promise<number> {
  const picture = sharp(await place.screenshot({ animations: 'disabled' }));
  const { width, height } = await picture.metadata();
  const { data, info } = await picture
    .extract({ left: inset, top: inset, width: width - 2 * inset, height: height - 2 * inset })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let [darkest, lightest] = [1, 0];
  for (let at = 0; at < data.length; at += info.channels) {
    const light = luminance(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    darkest = Math.min(darkest, light);
    lightest = Math.max(lightest, light);
  }
  return (lightest + 0.05) / (darkest + 0.05);
}

function luminance(...rgb: [number, number, number]): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
