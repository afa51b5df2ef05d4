import { rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { countTerms } from './features.ts';
import { MatchingLearner } from './matching.ts';

const rules = 'Select the document that answers the question.';
const shelf = [
  [
    'When was the lighthouse built?',
    'Document1: The mill grinds rye.\nDocument2: The lighthouse was built in 1887.\nDocument3: Eels are smoked.',
  ],
  [
    'What does the mill grind?',
    'Document1: The mill grinds rye.\nDocument2: The lighthouse was built in 1887.\nDocument3: Eels are smoked.',
  ],
  ['Who repairs the nets?', 'Document1: Ponies graze.\nDocument2: Bells ring at noon.\nDocument3: Sailors repair nets in winter.'],
  ['Where do ponies graze?', 'Document1: Bells ring at noon.\nDocument2: Ponies graze on the dike.\nDocument3: Sailors repair nets.'],
] as const;
const right = ['[select Document2]', '[select Document1]', '[select Document3]', '[select Document2]'];
const choices = ['[select none]', '[select Document1]', '[select Document2]', '[select Document3]'];

function turnOf([question, documents]: readonly [string, string], at = 0): Turn {
  const seen = [`${rules} ${question}`, documents].map((text) => ({ kind: 'message', to: ['reader'], text }));
  return { view: { seat: 'reader', seen }, ask: { seat: 'reader', choices }, rng: rng(7, at) } as unknown as Turn;
}

const terms = countTerms(shelf.map(([question]) => `${rules} ${question}`));

async function chancesOf(learner: MatchingLearner, turn: Turn): Promise<Readonly<Record<string, number>>> {
  return (await learner.policy().act([turn]))[0].chances!;
}

describe('MatchingLearner', () => {
  it('learns from some questions which document answers another one', async () => {
    const learner = new MatchingLearner({ terms });
    const held = turnOf(shelf[3]);
    const before = await chancesOf(learner, held);
    for (let step = 0; step < 60; step++) {
      await learner.forwardBackward(
        [0, 1, 2].map((i) => learner.rowOf(turnOf(shelf[i]), right[i])),
        'cross_entropy',
      );
      await learner.optimStep({ rate: 0.3 });
    }
    const after = await chancesOf(learner, held);
    expect(before[right[3]]).toBe(0.25);
    expect(after[right[3]]).toBeGreaterThan(0.8);
    // Without the words of the question, nothing says which document is right.
    expect((await chancesOf(learner, turnOf(['Well?', shelf[3][1]])))[right[3]]).toBeLessThan(0.5);
  });

  it('moves against the gradient of its loss, entropy and divergence included', async () => {
    const learner = new MatchingLearner({ terms, optimiser: 'sgd' });
    const rows = [0, 1].map((i) => ({ ...learner.rowOf(turnOf(shelf[i]), right[i]) })).map((row) => ({ ...row, weights: row.mask }));
    await learner.forwardBackward(rows, 'cross_entropy');
    await learner.optimStep({ rate: 1 });
    const settings = { kl: 0.5, entropy: 0.3 };
    const start = await learner.save();
    const { loss } = await learner.forwardBackward(rows, 'cross_entropy', settings);
    const rate = 1e-4;
    await learner.optimStep({ rate });
    const [from, to] = [JSON.parse(start), JSON.parse(await learner.save())];
    const square = to.numbers.reduce((sum: number, _: number, i: number) => sum + ((to.weights[i] - from.weights[i]) / rate) ** 2, 0);
    const next = await learner.forwardBackward(rows, 'cross_entropy', settings);
    // A small step lowers the loss by the rate times the squared gradient.
    expect((loss - next.loss) / (rate * square)).toBeCloseTo(1, 2);
  });

  it('scores what it sampled, and is the same after it was saved', async () => {
    const learner = new MatchingLearner({ terms });
    await learner.forwardBackward([learner.rowOf(turnOf(shelf[0]), right[0])], 'cross_entropy');
    await learner.optimStep({ rate: 0.5 });
    await learner.refer();
    const [{ calls }] = await learner.policy().act([turnOf(shelf[1], 3)]);
    const { promptTokenIds, tokenIds, logprobs } = calls![0];
    const row = { tokens: [...promptTokenIds!, ...tokenIds!], mask: [...promptTokenIds!.map(() => 0), 1] };
    expect(Array.from((await learner.logprobs([row]))[0]).at(-1)).toBeCloseTo(logprobs![0], 12);
    const copy = new MatchingLearner();
    await copy.load(await learner.save());
    expect(await chancesOf(copy, turnOf(shelf[3]))).toEqual(await chancesOf(learner, turnOf(shelf[3])));
    expect(await copy.logprobs([row], 'reference')).toEqual(await learner.logprobs([row], 'reference'));
    expect(() => learner.rowOf(turnOf(shelf[0]), '[select Document9]')).toThrow('is not one of');
  });
});
