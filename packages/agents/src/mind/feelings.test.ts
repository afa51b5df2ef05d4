import { type Agent, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { appraise } from './appraise.ts';
import { type FeltTurn, feelingAgent, readFeelings } from './feelings.ts';

/** An encoder that knows two things: whether a text threatens, and whether it is long. */
const embed = async (texts: readonly string[]) =>
  texts.map((text) => [/scared|follow|danger|terrified|Help|freak/.test(text) ? 1 : 0, 1, Math.min(1, text.length / 60)]);

const messageOf = (text: string) => ({ kind: 'message' as const, to: ['me'], text });

describe('readFeelings', () => {
  it('reads fear where a text is like frightened ones, and nothing in plain talk', async () => {
    const [fear, plain] = await readFeelings(['I am scared of him.', 'The bus leaves at ten.'], embed);
    expect(fear?.indexOf(Math.max(...fear))).toBe(2);
    expect(Math.max(...(fear ?? []))).toBeGreaterThan(2);
    expect(plain).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('appraise with feelings', () => {
  it('raises the strongest emotion, in place of the words', () => {
    const fear = [1, 1, 5, 2, 1, 1, 1, 1];
    expect(appraise(messageOf('There is a draft.'), { names: [], feelings: fear }).map(({ emotion }) => emotion)).toEqual(['fear']);
    expect(appraise(messageOf('You liar!'), { names: [], feelings: [1, 1, 1, 1, 1, 1, 1, 1] })).toEqual([]);
  });

  it('lets words tell gratitude from joy', () => {
    const joy = [4, 1, 1, 1, 1, 1, 1, 1];
    expect(appraise(messageOf('Thank you, Ann.'), { names: [], feelings: joy }).map(({ emotion }) => emotion)).toEqual(['gratitude']);
    expect(appraise(messageOf('We did it!'), { names: [], feelings: joy }).map(({ emotion }) => emotion)).toEqual(['joy']);
  });
});

describe('feelingAgent', () => {
  it('gives the emotions of all messages to the turn', async () => {
    let felt: FeltTurn['feelings'];
    const inner: Agent = {
      name: 'me',
      act(turn) {
        felt = (turn as FeltTurn).feelings;
        return { action: { text: '' } };
      },
    };
    const turn = { view: { seat: 'me', seen: [messageOf('I am scared of him.')] }, ask: { seat: 'me' }, rng: rng(1) };
    await feelingAgent(inner, embed).act(turn, new AbortController().signal);
    const fear = felt?.get('I am scared of him.') ?? [];
    expect(fear.indexOf(Math.max(...fear))).toBe(2);
  });
});
