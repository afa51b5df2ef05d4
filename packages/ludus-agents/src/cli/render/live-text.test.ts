/** @file Answers while they are written: only what is spoken is heard, and it only grows. */

import { actionText, readAnswer } from '@ludus-agents/agents/internal/llm/answer';
import { speechIn } from '@ludus-agents/agents/internal/llm/live-speech';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { LiveText } from './live-text.ts';

const answers = [
  'Thought: he lies.\nSpeech: Good evening, my friend.\nSit down.\nRemember: visitor = rude',
  '**Thought:** hm\n**Speech:** Not over the soup, darling.',
  '{"thought":"no","speech":"He said \\"no\\",\\nand left.","action":""}',
  '```json\n{"thought": "no", "speech": "Well."}\n```',
  '<think>Speech: a trap</think>Speech: Come in.',
  `No labels at all, only a long sentence that goes on and on until everybody knows it is speech.`,
];

describe('speechIn', () => {
  it.each(answers)('grows to the full speech of the agent: %j', (answer) => {
    let before = '';
    for (let cut = 0; cut <= answer.length; cut++) {
      const now = speechIn(answer.slice(0, cut));
      // White space at the end of a piece may still be trimmed.
      expect(now.startsWith(before.trimEnd()), `${JSON.stringify(before)} → ${JSON.stringify(now)}`).toBe(true);
      before = now;
    }
    expect(before.trim()).toBe(actionText(readAnswer(answer, 'labels')).trim());
  });

  it('never shows a thought', () => {
    for (const answer of answers.slice(0, 5))
      for (let cut = 0; cut <= answer.length; cut++) expect(speechIn(answer.slice(0, cut))).not.toMatch(/lies|hm|trap|visitor|thought/i);
  });
});

describe('Flow', () => {
  it('breaks at words, regardless of how the text is chunked', () => {
    const text = 'One two three, four five six seven.\nEight  nine ten eleven twelve thirteen!';
    const flowed = (pieces: readonly string[]) => {
      let out = '';
      const flow = new LiveText((piece) => {
        out += piece;
      }, 16);
      for (const piece of pieces) flow.add(piece);
      flow.end();
      return out;
    };
    const whole = flowed([text]);
    expect(whole.split('\n')).toEqual(['One two three,', 'four five six', 'seven.', 'Eight  nine ten', 'eleven twelve', 'thirteen!', '']);
    for (let seed = 0; seed < 50; seed++) {
      const dice = rng(seed);
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const next = at + 1 + dice.int(9);
        pieces.push(text.slice(at, next));
        at = next;
      }
      expect(flowed(pieces)).toBe(whole);
    }
  });
});
