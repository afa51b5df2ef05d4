/** @file One model call: figures, messages, answer; and the playground, where the prompt is edited and the new answer is shown next to the stored one. */

import type { ChatMessage } from '@ludus-agents/kernel/internal/core/index';
import type { ActionDetail, RerunShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction } from '../client.ts';
import { formatGrouped, modelTitle, money } from '../format.ts';
import { AreaField, NumberField } from '../parts/form.tsx';
import { ModelField } from '../parts/model.tsx';
import { Problem } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import { Messages, ToolCalls } from './messages.tsx';

type Call = ActionDetail['calls'][number];

interface CallProps {
  readonly call: Call;
  readonly number: number;
  readonly of: number;
  readonly episode: string;
  readonly event: number;
}

export function CallDetail({ call, number, of, episode, event }: CallProps) {
  const [isEditing, setEditing] = useState(false);
  const { model, prompt, changes, toolCalls = [], thinking, text, notes = [] } = call;
  return (
    <article className="model-call" aria-label={`Call ${number + 1}`}>
      <header className="row">
        <h2 className="grow text" title={model}>
          {of > 1 ? `${number + 1}. ` : ''}
          {modelTitle(model)}
        </h2>
        <button type="button" data-owner="" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          {isEditing ? 'Close editor' : 'Edit and rerun'}
        </button>
      </header>
      <Figures of={call} />
      {notes.map((note) => (
        <p key={note} className="muted small">
          {note}
        </p>
      ))}
      {isEditing ? (
        <Playground call={call} number={number} episode={episode} event={event} />
      ) : (
        <>
          <Messages messages={prompt.messages} changes={changes} />
          {prompt.tools === undefined || prompt.tools.length === 0 ? null : (
            <details>
              <summary>Tools offered ({prompt.tools.length})</summary>
              <pre>{JSON.stringify(prompt.tools, null, 2)}</pre>
            </details>
          )}
          <Completion {...{ thinking, text, toolCalls }} title="Answer" />
        </>
      )}
    </article>
  );
}

function Figures({ of: { usage, cost, finish, milliseconds } }: { readonly of: Pick<Call, 'usage' | 'cost' | 'finish' | 'milliseconds'> }) {
  const facts: readonly (readonly [string, string])[] = [
    // A bot that reports none used some all the same.
    ...(usage.promptTokens + usage.completionTokens === 0
      ? [['Tokens', 'not reported'] as const]
      : ([
          [
            'Prompt tokens',
            formatGrouped(usage.promptTokens) + (usage.cachedTokens ? ` (${formatGrouped(usage.cachedTokens)} cached)` : ''),
          ],
          ['Completion tokens', formatGrouped(usage.completionTokens)],
        ] as const)),
    ['Latency', milliseconds === undefined ? 'unknown' : `${formatGrouped(Math.round(milliseconds))} ms`],
    ['Cost', money(cost)],
    ['Finish', finish],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface CompletionProps extends Pick<Call, 'text'> {
  readonly title: string;
  readonly thinking: string | undefined;
  readonly toolCalls: NonNullable<Call['toolCalls']>;
}

function Completion({ title, thinking, text, toolCalls }: CompletionProps) {
  return (
    <section aria-label={title} className="completion">
      <h3>{title}</h3>
      {thinking === undefined ? null : (
        <details>
          <summary>Thinking</summary>
          <pre>{thinking}</pre>
        </details>
      )}
      <pre className="answer">{text}</pre>
      <ToolCalls calls={toolCalls} />
    </section>
  );
}

/** Edits the messages of a stored call, asks a model again, and goes on from there with the new answer if it is wanted. */
function Playground({ call, number, episode, event }: Omit<CallProps, 'of'>) {
  const [messages, setMessages] = useState<readonly Pick<ChatMessage, 'role' | 'content'>[]>(
    call.prompt.messages.map(({ role, content }) => ({ role, content })),
  );
  const [model, setModel] = useState(call.model);
  const [temperature, setTemperature] = useState<number | undefined>();
  const [result, setResult] = useState<RerunShown | null>(null);
  const { busy, error, run } = useAction();
  const rerun = () =>
    run(async () =>
      setResult(
        await post('/api/episodes/:id/events/:index/rerun', {
          param: { id: episode, index: String(event) },
          json: { call: number, messages, model, ...(temperature === undefined ? {} : { temperature }) },
        }),
      ),
    );
  const goOn = (answer: string) =>
    run(async () => {
      const { episode: branch } = await post('/api/episodes/:id/fork', { param: { id: episode }, json: { at: event, answer } });
      go(link('branches', episode, branch));
    });
  return (
    <form
      className="playground"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        rerun();
      }}
    >
      {messages.map(({ role, content }, i) => (
        <AreaField
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name than their place.
          key={i}
          label={`${role} message ${i + 1}`}
          rows={Math.min(16, Math.max(3, content.split('\n').length + 1))}
          value={content}
          change={(text) => setMessages(messages.with(i, { role, content: text }))}
        />
      ))}
      <div className="fields">
        <ModelField label="Model" none={call.model} value={model} change={setModel} />
        <NumberField
          label="Temperature"
          about="Empty: the model’s default"
          from={0}
          to={2}
          step={0.1}
          value={temperature}
          change={setTemperature}
        />
      </div>
      <div className="row">
        <button type="submit" className="primary" disabled={busy || model === ''}>
          {busy ? 'Running …' : 'Rerun'}
        </button>
        <span className="muted small">One model call. Nothing is stored until you continue from the new answer.</span>
      </div>
      <Problem error={error} />
      {result === null ? null : (
        <div className="beside">
          <div>
            <Completion title="Original" thinking={call.thinking} text={call.text} toolCalls={call.toolCalls ?? []} />
            <Figures of={call} />
          </div>
          <div>
            <Completion title="Rerun" thinking={result.thinking} text={result.text} toolCalls={result.toolCalls ?? []} />
            <Figures of={result} />
            <button type="button" disabled={busy} onClick={() => goOn(result.answer)}>
              Continue the episode with this answer
            </button>
          </div>
        </div>
      )}
    </form>
  );
}
