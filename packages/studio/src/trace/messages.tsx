/** @file Messages as they were sent to a model, what changed in them since the call before, and the tools that were called. */

import type { ChatMessage, Json } from '@ludus-agents/kernel/internal/core/index';
import type { Inside, MessageChange } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { count, formatGrouped } from '../format.ts';

/** Longer messages open when they are asked for. */
const longMessage = 1200;

interface MessagesProps {
  readonly messages: readonly ChatMessage[];
  /** What is new in each of them; null for the first call of an agent. */
  readonly changes: readonly MessageChange[] | null;
}

const unknown: MessageChange = { change: 'new', lines: [] };

export function Messages({ messages, changes }: MessagesProps) {
  const [isDiff, setDiff] = useState(changes !== null);
  const same = (changes ?? []).filter(({ change }) => change === 'same').length;
  return (
    <>
      <div className="row">
        <h3 className="grow">Prompt ({count(messages.length, 'message')})</h3>
        {changes === null ? (
          <span className="muted small">First call of this agent</span>
        ) : (
          <label className="row small">
            <input type="checkbox" checked={isDiff} onChange={(event) => setDiff(event.target.checked)} /> Only changes since its last call
          </label>
        )}
      </div>
      {isDiff && same > 0 ? <p className="muted small">{count(same, 'unchanged message')} hidden.</p> : null}
      <ol className="messages">
        {messages.map((message, i) => {
          const change = changes?.[i] ?? unknown;
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name than their place.
          return isDiff && change.change === 'same' ? null : <Message key={i} message={message} of={change} isDiff={isDiff} />;
        })}
      </ol>
    </>
  );
}

interface MessageProps {
  readonly message: ChatMessage;
  readonly of: MessageChange;
  readonly isDiff: boolean;
}

const signs = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

function Message({ message, of: { change, lines }, isDiff }: MessageProps) {
  const { role, content, images = [], toolCalls = [], name } = message;
  return (
    <li className={`message ${role}`}>
      <details open={content.length <= longMessage || (isDiff && change !== 'same')}>
        <summary>
          <span className="badge">{role}</span> {name === undefined ? null : <code>{name}</code>}
          <span className="muted small">{formatGrouped(content.length)} characters</span>
          {isDiff && change !== 'same' ? <span className="badge warn">{change}</span> : null}
        </summary>
        {isDiff && change === 'changed' ? (
          <pre className="diff">
            {lines.map(({ sign, text }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are never moved.
              <span key={i} className={signs[sign]}>
                {sign} {text}
                {'\n'}
              </span>
            ))}
          </pre>
        ) : (
          <pre>{content}</pre>
        )}
        {images.map(({ width, height }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures are numbered.
          <p key={i} className="muted small">
            Image, {width} × {height}
          </p>
        ))}
        <ToolCalls calls={toolCalls} />
      </details>
    </li>
  );
}

/** Tools that a message asks for. */
export function ToolCalls({ calls }: { readonly calls: NonNullable<ChatMessage['toolCalls']> }) {
  return calls.map(({ id, name, arguments: input }) => (
    <div key={id} className="tool-call">
      <span className="badge">{name}</span>
      <pre>{pretty(input)}</pre>
    </div>
  ));
}

/** Tools that the agent used before it answered, each with its arguments and its result. */
export function ToolUses({ uses }: { readonly uses: Inside['uses'] }) {
  if (uses.length === 0) return null;
  return (
    <section aria-label="Tool calls">
      <h3>Tool calls ({uses.length})</h3>
      {uses.map(({ tool, arguments: input, ok, result }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: uses are numbered.
        <div key={i} className="tool-call">
          <p className="row">
            <span className={`badge ${ok ? 'good' : 'bad'}`}>{tool}</span>
            <span className="muted small">{ok ? 'succeeded' : 'failed'}</span>
          </p>
          <pre>{pretty(input)}</pre>
          <pre>{result}</pre>
        </div>
      ))}
    </section>
  );
}

function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}
