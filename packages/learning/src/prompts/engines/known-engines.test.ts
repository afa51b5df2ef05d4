import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { gateRules } from '../gate.ts';
import { reflectWith } from '../proposers/reflect.ts';
import { type ScoredCombination, suggestCombination } from '../surrogate.ts';
import { idleProposer } from '../toy.cases.ts';
import { trialled } from './engines.cases.ts';
import { builtInEngine } from './index.ts';
import { animalTrials, chanceOf, scriptedWriter, start, tasks } from './scripted-writer.cases.ts';

const names = ['mipro', 'simba', 'textgrad'] as const;

const run = async (name: string, model: ReturnType<typeof scriptedWriter> | null, more = {}) =>
  trialled({
    ...{ engine: builtInEngine(name), ground: await animalTrials(), tasks, seed: 1, start, calls: 420, gate: gateRules.ours },
    proposer: model === null ? idleProposer : reflectWith({ model }),
    ...more,
  });

const notesOf = ({ happenings }: Awaited<ReturnType<typeof run>>) =>
  happenings.flatMap((happening) => (happening.kind === 'note' ? [happening.words] : [])).join('\n');

/** Of four texts that it writes one helps. */
const instructions = ['Say it in capitals.', 'Say it twice.', 'Say it slowly.', 'Whisper it.'];

describe('mipro', () => {
  it('bootstraps demonstrations, writes instructions, and chooses combinations by surrogate', async () => {
    const model = scriptedWriter((_, dice) => `<text>\n${dice.pick(instructions)}\n</text>`);
    const result = await run('mipro', model, { locked: ['style'], calls: 600 });
    expect(notesOf(result)).toMatch(/mipro: [1-9]\d* of 12 episodes can be demonstrations, in [1-9] sets; [1-4] instructions were written/);
    expect(notesOf(result)).toMatch(/[1-9]\d* of them chosen by the surrogate/);
    expect(model.prompts.every((prompt) => prompt.includes('You write the text "instruction"'))).toBe(true);
    expect(new Set(model.prompts.map((prompt) => /serve it best\? ([^.]+)/.exec(prompt)?.[1])).size).toBeGreaterThan(1);
    const visible = result.archive.candidates.flatMap(({ components }) => components['demonstrations'] ?? []);
    expect(visible.every((text) => /^Input: (\w+)\nAnswer: [A-Z]+/.test(text)) && visible.length > 0).toBe(true);
    expect(chanceOf(result.best.spec)).toBeGreaterThan(chanceOf(start));
  });

  it('has a surrogate that finds the best combination in fewer tries than chance', () => {
    const sizes = [6, 6, 6];
    const worth = (values: readonly number[]) => values.filter((value) => value === 4).length / 3;
    const best = (choose: (combinations: readonly ScoredCombination[], seed: number, i: number) => readonly number[], seed: number) => {
      const combinations: ScoredCombination[] = [];
      for (let i = 0; i < 40; i++) {
        const values = choose(combinations, seed, i);
        combinations.push({ values, score: worth(values) });
      }
      return combinations.slice(-10).reduce((sum, { score }) => sum + score, 0) / 10;
    };
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const mean = (choose: Parameters<typeof best>[0]) => seeds.reduce((sum, seed) => sum + best(choose, seed), 0) / seeds.length;
    const chance = (_: readonly ScoredCombination[], seed: number, i: number) => sizes.map((size) => rng(seed, i).int(size));
    const surrogate = mean((combinations, seed, i) =>
      i < 5 ? chance(combinations, seed, i) : suggestCombination(combinations, rng(seed, i), { sizes }),
    );
    expect(surrogate).toBeGreaterThan(mean(chance) + 0.4);
  });
});

describe('simba', () => {
  it('learns rules from better and worse plays, and demonstrations from good ones', async () => {
    const model = scriptedWriter((prompt) =>
      prompt.includes('<better') ? 'If there is a word, then say it in capitals.' : 'If in doubt, then wait.',
    );
    const result = await run('simba', model);
    const compared = model.prompts.filter((prompt) => prompt.includes('<better score="1.00"') && prompt.includes('<worse score="0.00"'));
    expect(compared.length).toBeGreaterThan(0);
    // Plays with one score are never called better and worse.
    expect(model.prompts.filter((prompt) => prompt.includes('<better')).length).toBe(compared.length);
    const words = [...compared].map((prompt) => [...prompt.matchAll(/<(?:better|worse)[^>]*>\s*\n?(\w+)/g)].map(([, word]) => word));
    expect(words.every(([first, second]) => first === second)).toBe(true);
    expect(notesOf(result)).toMatch(/simba: [1-9]\d* rules, [1-9]\d* demonstrations/);
    expect(chanceOf(result.best.spec)).toBeGreaterThan(chanceOf(start));
  });
});

describe('textgrad', () => {
  it('requests a gradient of every text on every loss and updates all texts together', async () => {
    const model = scriptedWriter((prompt) => {
      const name = /"(instruction|style)"/.exec(prompt)?.[1];
      if (prompt.includes('You give feedback')) return name === 'style' ? 'It should ask for a loud voice.' : 'It should ask for capitals.';
      return prompt.includes('loud voice') ? '<text>\nBe loud.\n</text>' : '<text>\nUse capitals.\n</text>';
    });
    const result = await run('textgrad', model);
    const [gradients, steps] = [
      model.prompts.filter((prompt) => prompt.includes('You give feedback')),
      model.prompts.filter((prompt) => prompt.includes('<gradients>')),
    ];
    expect(gradients.filter((prompt) => prompt.includes('"style"')).length).toBe(gradients.length / 2);
    expect(gradients.every((prompt) => prompt.includes('score="0.00"'))).toBe(true);
    expect(steps.length).toBeGreaterThanOrEqual(2);
    expect(result.best.components).toMatchObject({ instruction: 'Use capitals.', style: 'Be loud.' });
    expect(notesOf(result)).toMatch(/textgrad: [1-9]\d* gradients so far, 0 empty/);
  });

  it('takes no step without blame, and reports the number of empty gradients', async () => {
    const result = await run(
      'textgrad',
      scriptedWriter(() => 'None.'),
    );
    expect(result.best.components).toEqual({ instruction: 'Repeat the word.', style: 'Be brief.' });
    expect(result.archive.candidates).toHaveLength(1);
  });
});

describe('mipro, simba, and textgrad', () => {
  it('accept no idle change and stay within the call budget', async () => {
    for (const name of names) {
      const { best, evaluator } = await run(name, null, { calls: 150, locked: ['demonstrations'] });
      expect(best.components, name).toEqual({ instruction: 'Repeat the word.', style: 'Be brief.' });
      expect(evaluator.spent.calls).toBeLessThanOrEqual(150);
    }
  });
});
