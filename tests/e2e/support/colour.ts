import { expect, type Locator } from '@playwright/test';

/** Whether a text is drawn in red, as a person would say: in every theme, whatever the shade. */
export async function expectRed(text: Locator, red = true): Promise<void> {
  await expect(async () => {
    const [r = 0, g = 0, b = 0] = await text.evaluate((node) => {
      const [context] = [document.createElement('canvas').getContext('2d')];
      if (!context) throw new Error('no canvas');
      context.fillStyle = getComputedStyle(node).color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    });
    expect(r > 1.5 * g && r > 1.5 * b, `rgb ${r} ${g} ${b}`).toBe(red);
  }).toPass();
}
