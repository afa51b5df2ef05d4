/** @file A judge too small to judge, by what a real one said: TinyLlama 1.1B answered all twenty questions of its card with this. */

import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { describe, expect, it } from 'vitest';
import { builtInRubric } from '../rubrics/index.ts';
import { cardLine, examine } from './index.ts';

/** The form of the answer, copied from the task with its dots. */
const text = '{"axis": "setting", "preference": 3, "a": {"event": 0, "quote": "…"}, "b": {"event": 0, "quote": "…"}, "why": "…"}';

describe('a judge that copies the answer format', () => {
  it('gets a card that says it cannot judge, and scores no case', async () => {
    const model = fakeModel({ id: 'tinyllama-1.1b-chat', answers: () => text });
    const sampling = { temperature: 0, maxTokens: 360 };
    const card = await examine({ rubric: await builtInRubric('furina'), judge: { model, retries: 0, sampling }, twins: 4 });
    expect(card.grade).toBe('C');
    expect(card.reasons).toEqual([
      'It put the flawed twin below the clean one in 0 of 4 (0 times it saw no difference), so it can be relied on for no more than 0% of flaws.',
      '100% of its replies could not be used.',
      '7 of 7 cases got no score from it.',
    ]);
    expect(card.measures.tally).toMatchObject({ replies: 14, unparsedReplies: 14 });
    expect(cardLine(card)).toContain('furina@1 by tinyllama-1.1b-chat: C (unreliable)');
  });
});
