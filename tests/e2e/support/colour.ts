import { expect, type Locator } from '@playwright/test';

type Hue = 'red' | 'green' | 'amber' | 'none';

/** How a person would call the colour that a text is drawn in, whatever the theme and the shade. */
export async function expectHue(text: Locator, hue: Hue): Promise<void> {
  await expect(async () => {
    const rgb = await text.evaluate((node) => {
      const context = document.createElement('canvas').getContext('2d');
      if (!context) throw new Error('no canvas');
      context.fillStyle = getComputedStyle(node).color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    });
    expect(hueOf(rgb), `rgb ${rgb.slice(0, 3).join(' ')}`).toBe(hue);
  }).toPass();
}

function hueOf([r = 0, g = 0, b = 0]: readonly number[]): Hue {
  if (r > 1.5 * g && r > 1.5 * b) return g > 1.5 * b ? 'amber' : 'red';
  if (g > 1.2 * r && g > 1.2 * b) return 'green';
  return r > 1.3 * b && g > 1.3 * b ? 'amber' : 'none';
}
