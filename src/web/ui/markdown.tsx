import { lexer, type Token, type Tokens } from 'marked';
import type { ReactNode } from 'react';

/** Renders Markdown as elements, never as HTML, so that no part of the text can run. */
export function Markdown({ text }: { text: string }) {
  return <>{lexer(text).map(render)}</>;
}

function render(token: Token, index: number): ReactNode {
  const key = `${token.type}-${index}`;
  const inner = 'tokens' in token && token.tokens ? token.tokens.map(render) : plain(token);
  switch (token.type) {
    case 'heading': {
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth)}` as 'h1';
      return <Heading key={key}>{inner}</Heading>;
    }
    case 'paragraph':
      return <p key={key}>{inner}</p>;
    case 'strong':
      return <strong key={key}>{inner}</strong>;
    case 'em':
      return <em key={key}>{inner}</em>;
    case 'codespan':
      return <code key={key}>{plain(token)}</code>;
    case 'blockquote':
      return <blockquote key={key}>{inner}</blockquote>;
    case 'list': {
      const list = token as Tokens.List;
      const List = list.ordered ? 'ol' : 'ul';
      return (
        <List key={key}>
          {list.items.map((item, at) => (
            <li key={`${key}-${at.toString()}`}>{item.tokens.map(render)}</li>
          ))}
        </List>
      );
    }
    case 'link': {
      const { href } = token as Tokens.Link;
      return /^(https?:|mailto:|\/)/.test(href) ? (
        <a key={key} href={href} rel="noreferrer">
          {inner}
        </a>
      ) : (
        inner
      );
    }
    case 'space':
    case 'html':
      return null;
    default:
      return inner;
  }
}

function plain(token: Token): string {
  return 'text' in token ? decode(String(token.text)) : '';
}

/** The reader escapes what HTML would need; elements need it as it was. */
function decode(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  );
}
