/** @file Traces of running bots become episodes: OpenTelemetry spans, Langfuse sessions, ATIF; personal data can be taken out first. */

import { importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';

async function* linesOf(value: unknown): AsyncGenerator<string> {
  yield JSON.stringify(value);
}

async function imported(value: unknown, redact?: readonly string[]) {
  const store = memoryStore();
  const report = await importAny(store, linesOf(value), { file: 'x.json', ...(redact === undefined ? {} : { redact }) });
  const episodes = await store.episodes({ limit: 10 });
  const statements = [];
  for (const { id } of episodes)
    for (const event of await store.events(id))
      if (event.kind === 'action' && event.seat !== 'world') statements.push(`${event.seat}: ${event.action.text}`);
  return { report, said: statements };
}

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const attribute = (key: string, value: unknown) => ({ key, value: { stringValue: JSON.stringify(value) } });
const span = (time: number, input: unknown, output: unknown) => ({
  traceId: 't1',
  startTimeUnixNano: String(time),
  name: 'chat m',
  attributes: [
    { key: 'gen_ai.conversation.id', value: { stringValue: 'c1' } },
    attribute('gen_ai.input.messages', input),
    attribute('gen_ai.output.messages', output),
  ],
});
const otlp = (...spans: readonly unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

describe('OpenTelemetry traces', () => {
  it('are read from the last call if each call repeats the conversation, in any order', async () => {
    const [a, b] = [[text('user', 'Hello')], [text('user', 'Hello'), text('assistant', 'Hi'), text('user', 'Bye')]];
    const { report, said } = await imported(otlp(span(2, b, [text('assistant', 'Goodbye')]), span(1, a, [text('assistant', 'Hi')])));
    expect(report).toMatchObject({ episodes: 1, formats: { otel: 1 } });
    expect(said).toEqual(['user: Hello', 'assistant: Hi', 'user: Bye', 'assistant: Goodbye']);
  });

  it('are joined from calls of one message each, with tool answers under both names', async () => {
    const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'k', name: 'look', arguments: { id: 1 } }] };
    const answer = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'k', result: { ok: true } }] };
    const { said } = await imported(otlp(span(1, [text('user', 'One')], [call]), span(2, [answer], [text('assistant', 'Two')])));
    expect(said).toEqual(['user: One', 'assistant: ', 'assistant: Two']);
  });
});

describe('OpenTelemetry errors', () => {
  it('become scores of 0 with their message, and other spans get no score', async () => {
    const store = memoryStore();
    const failed = { ...span(1, [text('user', 'Hello')], [text('assistant', 'Hm')]), status: { code: 2, message: 'The tool broke.' } };
    const fine = { ...span(2, [text('user', 'Hi')], [text('assistant', 'Good day')]), status: { code: 1 } };
    const other = { key: 'gen_ai.conversation.id', value: { stringValue: 'c2' } };
    const documents = otlp(failed, { ...fine, attributes: [other, ...fine.attributes.slice(1)] });
    await importAny(store, linesOf(documents), { file: 'x.json' });
    const scores = [];
    for (const { id } of await store.episodes({ limit: 10 })) scores.push(...(await store.scores(id)));
    expect(scores.map(({ name, value, reason }) => [name, value, reason])).toEqual([['otel.error', 0, 'The tool broke.']]);
  });
});

describe('Langfuse traces', () => {
  it('are joined by session in order of time', async () => {
    const trace = (timestamp: string, input: string, output: unknown) => ({
      id: timestamp,
      sessionId: 's',
      timestamp,
      input: { question: input },
      output,
    });
    const list = { data: [trace('2025-02', 'And two?', { answer: 'Two.' }), trace('2025-01', 'One?', 'One.')] };
    const { report, said } = await imported(list);
    expect(report).toMatchObject({ episodes: 1, formats: { langfuse: 1 } });
    expect(said).toEqual(['user: One?', 'assistant: One.', 'user: And two?', 'assistant: Two.']);
  });
});

describe('ATIF traces', () => {
  it('include steps, calls, and observations', async () => {
    const steps = [
      { step_id: 1, source: 'system', message: 'Be kind.' },
      { step_id: 2, source: 'user', message: 'Look it up.' },
      {
        step_id: 3,
        source: 'agent',
        message: '',
        tool_calls: [{ tool_call_id: 'a', function_name: 'look', arguments: {} }],
        observation: { results: [{ source_call_id: 'a', content: 'here' }] },
      },
      { step_id: 4, source: 'agent', message: 'It is here.' },
    ];
    const { report, said } = await imported({ schema_version: 'ATIF-v1.7', session_id: 's', agent: { name: 'bot', version: '1' }, steps });
    expect(report).toMatchObject({ formats: { atif: 1 } });
    expect(said).toEqual(['user: Look it up.', 'assistant: ', 'assistant: It is here.']);
  });
});

describe('redaction', () => {
  const messages = [
    {
      role: 'user',
      content: 'I am Ann Archer, ann@lilac.example, 0451 220 983, card 4111 1111 1111 1111. Order W-1001 cost 18.40 on 2025-06-15.',
    },
    { role: 'assistant', content: 'Thank you, Ann Archer. Is ann@lilac.example right? Ben@cedar.example is not.' },
  ];

  it('replaces values with numbered placeholders and keeps orders, amounts, and dates', async () => {
    const { report, said } = await imported({ messages }, ['Ann Archer']);
    expect(said[0]).toBe('user: I am [name 1], [email 1], [phone 1], card [card 1]. Order W-1001 cost 18.40 on 2025-06-15.');
    expect(said[1]).toBe('assistant: Thank you, [name 1]. Is [email 1] right? [email 2] is not.');
    expect(report.redacted).toBe(7);
  });

  it('is off by default', async () => {
    expect((await imported({ messages })).said[0]).toContain('ann@lilac.example');
  });
});
