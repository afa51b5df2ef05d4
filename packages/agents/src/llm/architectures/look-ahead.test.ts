/** @file Looking ahead by rules, and self-edits of texts during play: the decision, the log, and the cost. */

import { type AgentSpec, type Json, type Prompt, rng, type Seen, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Mind } from '../../mind/mind.ts';
import { mindLines } from '../../mind-words.ts';
import { fakeModel } from '../../models/fake.ts';
import { llmAgent } from '../agent.ts';

const shown = (text: string): Seen => ({ kind: 'message', to: ['me'], text });
const did = (text: string): Seen => ({ kind: 'action', action: { text } });
const never = new AbortController().signal;

/** Takes the first move, thinks that every move leads to mud, and likes gold. */
function digger(asked: string[] = []) {
  return fakeModel({
    answers: ({ messages }: Prompt) => {
      const last = messages.at(-1)?.content ?? '';
      asked.push(last);
      if (last.includes('what are you told next?')) return 'Next: mud';
      if (last.includes('How well does it go')) return last.includes('gold') ? 'Score: 9' : 'Score: 2';
      if (last.includes('What would help')) return last.includes('mud') ? 'Add: Dig right.' : 'Keep';
      return messages[0]?.content.includes('Dig right.') ? '[right]' : '[left]';
    },
  });
}

async function turnOf(spec: Partial<AgentSpec>, observations: readonly Seen[], mind?: Json, asked: string[] = []) {
  const agent = await llmAgent({
    spec: { name: 'me', kind: 'llm', ...spec, settings: { prompt: 'compact', ...spec.settings } },
    seat: 'me',
    model: digger(asked),
    complete: true,
  });
  const turn: Turn = {
    view: { seat: 'me', seen: observations },
    ask: { seat: 'me', choices: ['[left]', '[right]', '[stay]'] },
    rng: rng(1),
  };
  const reply = await agent.act(mind === undefined ? turn : { ...turn, mind }, never);
  return { move: reply.action.text, calls: reply.calls ?? [], mind: reply.mind as unknown as Mind };
}

const ahead = { architecture: 'look-ahead' };
const rule = 'When “field”: [right] → “gold”';
const field = [shown('You are on a field.')];

describe('rule-based look-ahead', () => {
  it('picks the move with the highest predicted value over its first answer', async () => {
    const { move, calls, mind } = await turnOf({ settings: ahead, texts: { 'playbook/00001': rule } }, field);
    expect(move).toBe('[right]');
    expect(mind.foreseen?.['moves']).toEqual([
      { move: '[left]', next: 'mud', by: 'model', value: 0.2 },
      { move: '[right]', next: 'gold', by: 'rule', value: 0.9 },
      { move: '[stay]', next: 'mud', by: 'model', value: 0.2 },
    ]);
    // One answer, three values, and predictions only where no rule made them.
    expect(calls).toHaveLength(6);
    expect(mindLines(mind as unknown as Json)[1]).toBe('[right] → “gold” by a rule, worth 0.90');
  });

  it('keeps its first answer without a matching rule or with look-ahead off', async () => {
    expect((await turnOf({ settings: ahead }, field)).move).toBe('[left]');
    expect((await turnOf({ settings: ahead, texts: { rules: rule } }, [shown('You are in a cave.')])).move).toBe('[left]');
    const plain = await turnOf({ texts: { rules: rule } }, field);
    expect(plain).toMatchObject({ move: '[left]', calls: [{}] });
  });

  it('drops a rule that the episode contradicts and trusts observed outcomes', async () => {
    const observations = [...field, did('[right]'), shown('You are on a field with mud.')];
    const { move, mind } = await turnOf({ settings: ahead, texts: { rules: rule } }, observations);
    expect(move).toBe('[left]');
    expect(mind.foreseen?.['struck']).toEqual([{ situation: 'field', move: '[right]', effect: 'gold', confirmed: 1, violated: 0 }]);
    const learned = [...field, did('[stay]'), shown('You find gold.'), did('[left]'), ...field];
    const later = await turnOf({ settings: ahead }, learned);
    expect(later.move).toBe('[stay]');
    expect(later.mind.foreseen?.['moves']).toContainEqual({ move: '[stay]', next: 'You find gold.', by: 'rule', value: 0.9 });
  });

  it('evaluates at most "steps" moves, those covered by a rule first', async () => {
    const { move, calls } = await turnOf({ settings: { ...ahead, steps: 2 }, texts: { rules: rule } }, field);
    expect(move).toBe('[right]');
    expect(calls.length).toBeLessThanOrEqual(5);
    expect((await turnOf({ settings: { ...ahead, steps: 0 }, texts: { rules: rule } }, field)).calls).toHaveLength(1);
  });
});

describe('edits during play', () => {
  const revising = { revise: 1, reviseEvery: 1 };
  const muddy = [...field, did('[left]'), shown('Only mud.')];

  it('are made in a separate call, take effect at once, are logged, and stop at their budget', async () => {
    const first = await turnOf({ settings: revising, texts: { instruction: 'Dig.' } }, field);
    expect(first).toMatchObject({ move: '[left]', calls: [{}] });
    const second = await turnOf({ settings: revising, texts: { instruction: 'Dig.' } }, muddy, first.mind as unknown as Json);
    expect(second.move).toBe('[right]');
    expect(second.calls).toHaveLength(2);
    expect(second.mind.edits).toEqual([{ turn: 1, text: 'instruction', add: 'Dig right.' }]);
    expect(mindLines(second.mind as unknown as Json)).toEqual(['put into instruction: Dig right.']);
    const third = await turnOf({ settings: revising, texts: { instruction: 'Dig.' } }, muddy, second.mind as unknown as Json);
    expect(third).toMatchObject({ move: '[right]', calls: [{}] });
    expect(third.mind.edits).toEqual(second.mind.edits);
  });

  it('are off unless the spec enables them', async () => {
    const first = await turnOf({ texts: { instruction: 'Dig.' } }, field);
    const second = await turnOf({ texts: { instruction: 'Dig.' } }, muddy, first.mind as unknown as Json);
    expect(second).toMatchObject({ move: '[left]', calls: [{}] });
  });
});
