import type { AttentionItem } from '#contracts/operations/attention.ts';
import { countText } from '#contracts/values/format.ts';
import type { Letter } from '#kernel/letters.ts';

/** To one person, once a day: what waits for somebody, the most pressing first. */
export function digestLetter(
  items: readonly Pick<AttentionItem, 'name' | 'title' | 'detail' | 'when'>[],
  total: number,
  /** The address of the portal that this person uses. */
  portal: string,
): Letter {
  const more = total - items.length;
  return {
    subject: total === 1 ? 'One thing needs attention' : `${countText(total)} things need attention`,
    parts: [
      'These need a person. The most urgent come first.',
      {
        rows: items.map(({ name, title, detail, when }) => [
          name === null ? title : `${name} ${title}`,
          detail,
          when,
        ]),
      },
      ...(more > 0 ? [`and ${countText(more)} more`] : []),
    ],
    button: { text: 'Open the list', address: `${portal}/attention` },
    note: 'You asked for this email. You can turn it off below the list.',
  };
}
