/** @file The greetings of a character, where it has several and nothing was said yet. */

import type { ChatShown } from '@ludus-agents/servers/internal/studio/api';

export function Greetings({ chat, choose }: { readonly chat: ChatShown; readonly choose: (greeting: number) => void }) {
  const [first] = chat.lines;
  if (chat.greetings.length < 2 || chat.lines.length > 1) return null;
  return (
    <label className="row small">
      Greeting:
      <select value="" onChange={(event) => choose(Number(event.target.value))}>
        <option value="" disabled>
          {first === undefined ? 'nothing' : short(first.text)}
        </option>
        {chat.greetings.map((text, i) => (
          <option key={text} value={i}>
            {short(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
