/** @file Reading answers: every form, every way models break it, and nothing private in what goes out. */

import { describe, expect, it } from 'vitest';
import { actionText, discussionText, formSchema, formWords, pastAnswer, readAnswer } from './answer.ts';

const out = (text: string, form: 'json' | 'labels' | 'plain' = 'labels') => actionText(readAnswer(text, form));

describe('readAnswer', () => {
  it.each<[string, string]>([
    ['[bet]', '[bet]'],
    ['  I bet. [bet]  ', 'I bet. [bet]'],
    ['Thought: t\nSpeech: hi\nAction: [bet]', 'hi\n[bet]'],
    ['**Thought:** t\n**Speech:** hi\n**Action:** [bet]', 'hi\n[bet]'],
    ['thought: t\nACTION： [bet]', '[bet]'],
    ['Speech: line one\nline two\nAction: [x]', 'line one\nline two\n[x]'],
    ['Speech: I take it: [bet]\nAction: [bet]', 'I take it: [bet]'],
    ['Sure, here is my answer.\nAction: [bet]', '[bet]'],
    ['Good evening, lamb.\nRemember: guest = Otto', 'Good evening, lamb.'],
    ['I take it. [bet]\nPlan: raise', 'I take it. [bet]'],
    ['Let me see.\nThought: hm\nRemember: guest = Otto', ''],
    ['Thought: only this', ''],
    ['{"thought":"t","speech":"hi","action":"[bet]"}', 'hi\n[bet]'],
    ['```json\n{"speech": "hi",\n "action": "[bet]"}\n```', 'hi\n[bet]'],
    ['{"Speech": "hi"}', 'hi'],
    ['{"thought": "a [b]", "speech": "h', 'h'],
    ['{"thought": "a [b]', ''],
    ['{"action": "[speak \\"hi\\"]"', '[speak "hi"]'],
    ['{"action": {"tool": "x"}}', '{"tool":"x"}'],
    ['{"speech": "line\nbreak", "action": "[x]"}', 'line\nbreak\n[x]'],
    ['{not json at all}', '{not json at all}'],
    ['<think>hm [fold]</think>\nAction: [bet]', '[bet]'],
    ['hm [fold]</think>[bet]', '[bet]'],
    ['<think>never ends [fold]', ''],
    ['', ''],
  ])('reads %j as %j', (written, message) => {
    expect(out(written)).toBe(message);
  });

  it.each<[string, string]>([
    ['Thought: hm\n**Plan:** lake, ridge\nProgress: yes\nAction: [walk]', '**Plan:** lake, ridge\nProgress: yes\nAnswer: [walk]'],
    ['Let me see.\nPlan: lake\nFact: a storm', 'Let me see.\nPlan: lake\nFact: a storm'],
    ['Speech: Plan: lake\nAnswer: [walk]\nAction: [walk]', 'Plan: lake\nAnswer: [walk]'],
    ['Not [climb].\nDone: yes\nAction: [walk]', 'Not [climb].\nDone: yes\nAnswer: [walk]'],
    ['Thought: hm\nmore\n```js\n({ Action: 1 })\n```', '```js\n({ Action: 1 })\n```'],
    ['Action: Agree: yes', 'Agree: yes'],
    ['{"thought": "t", "speech": "Plan: lake", "action": "[walk]"}', 'Plan: lake\nAnswer: [walk]'],
  ])('reads %j in a discussion as %j', (written, message) => {
    expect(discussionText(readAnswer(written, 'lines'))).toBe(message);
  });

  it('extracts the thought, plan, memo, and notes', () => {
    const answer = readAnswer(
      'Thought: a\nRemember: Lamp = 30 coins\n- key of Bob= under = mat\nno fact\nPlan: one; two\nMemo: all',
      'labels',
    );
    expect(answer).toEqual({
      thought: 'a',
      speech: '',
      action: '',
      plan: 'one; two',
      memo: 'all',
      remember: [
        { key: 'lamp', text: '30 coins' },
        { key: 'key of bob', text: 'under = mat' },
      ],
    });
    expect(readAnswer('{"remember": {"lamp": 30}}', 'json').remember).toEqual([{ key: 'lamp', text: '30' }]);
    expect(readAnswer('{"remember": ["lamp = 30"]}', 'json').remember).toEqual([{ key: 'lamp', text: '30' }]);
  });

  it('returns a plain answer unchanged', () => {
    expect(out('Thought: x {"a": 1}', 'plain')).toBe('Thought: x {"a": 1}');
    expect(out('<think>no</think>yes', 'plain')).toBe('yes');
  });
});

describe('answer format', () => {
  it('renders past actions so that they parse back to the same text', () => {
    for (const text of ['[bet]', 'hello there', 'I bet.\n[bet]', '[speak "a b" to: ann]'])
      for (const form of ['json', 'labels', 'plain'] as const)
        expect(out(pastAnswer(text, form), form).replace(/\s+/g, ' ')).toBe(text.replace(/\s+/g, ' '));
    expect(pastAnswer('a [x] b', 'labels')).toBe('Speech: a b\nAction: [x]');
    // Two brackets are no move that could be distinguished.
    expect(pastAnswer('[a] [b]', 'labels')).toBe('Speech: [a] [b]');
  });

  it('asks only for the requested fields', () => {
    expect(formWords('labels', ['plan'])).toMatch(/Thought: [\s\S]*Speech: [\s\S]*Action: [\s\S]*Plan: /);
    expect(formWords('labels', [])).not.toMatch(/Plan|Memo|Remember/);
    expect(formSchema(['memo'])).toMatchObject({ required: ['thought', 'speech', 'action', 'memo'], additionalProperties: false });
    // The words of the form must not look like moves: agents that pick any bracketed word would pick them.
    for (const form of ['json', 'labels', 'plain'] as const) expect(formWords(form, ['remember', 'plan', 'memo'])).not.toMatch(/\[/);
  });
});
