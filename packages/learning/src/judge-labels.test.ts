/** @file A judge next to people, and its wording tuned to them: what the gate accepts helps on episodes held out, and what does not help is not kept. */

import { type ChecklistRubric, createJudge } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import { modelOf } from '@ludus-agents/evaluation/internal/scoring/judges/judges.cases';
import type { EpisodeEvent, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { judgeAgreement, type LabelledEpisode, labelsText, tuneRubric } from './judge-labels.ts';

const rubric: ChecklistRubric = {
  ...{ name: 'kind', version: 1, form: 'checklist', about: 'Is the seat polite?', source: 'ours', plants: [] },
  axes: [{ id: 'a', about: 'fit', scale: [0, 1], start: 0, questions: [{ id: 'q', ask: 'Is it so?', points: 1 }] }],
};

/** People call a conversation bad where a refund is promised. */
const labelled: readonly LabelledEpisode[] = Array.from({ length: 24 }, (_, i) => {
  const good = i % 2 === 0;
  const text = `Dear customer number ${i}, ${good ? 'I will look into it' : 'you get your money back'}, thank you.`;
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'talk@1', task: {}, seed: i, seats: ['agent'], cast: { agent: 'x' } },
    { kind: 'action', seat: 'agent', action: { text } },
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
  ];
  const label = good ? 'good' : 'bad';
  const labels = ['ann', 'ben'].map((by) => ({ episode: `e${i}`, by, label }));
  return { episode: { id: `e${i}`, events }, seat: 'agent', good, labels, reasons: good ? [] : ['promises money'] };
});

/** Says yes to everything, unless it was told to look at money. */
const judge = modelOf((prompt: Prompt) => {
  const all = prompt.messages.map(({ content }) => String(content)).join('\n');
  const quote = /Dear customer number \d+, (?:I will look into it|you get your money back), thank you\./.exec(all)?.[0] ?? '';
  const no = all.includes('money') && all.includes('promise') && quote.includes('money');
  return JSON.stringify({ answers: [{ item: 'a-q', answer: no ? 'no' : 'yes', event: 1, quote }] });
});
const tune = (answer: string) => tuneRubric({ rubric, model: judge, writer: modelOf(() => answer), labelled, rounds: 2, seed: 1 });

describe('judge agreement', () => {
  it('is reported with people and between people', async () => {
    const judgeLabels = await judgeAgreement(createJudge(rubric, { model: judge }), labelled);
    expect(judgeLabels).toMatchObject({ episodes: 24, people: { alpha: 1 }, judge: { episodes: 24, raw: 0.5 } });
    expect(judgeLabels.judge!.alpha).toBeLessThan(0);
    expect(labelsText(judgeLabels)).toMatch(/^Over 24 labeled episodes, Krippendorff’s alpha between people is 1\.00/);
  });

  it('skips episodes that people disagree on, which lowers their agreement', async () => {
    const divided = labelled.map((labelledEpisode, i): LabelledEpisode => {
      if (i > 3) return labelledEpisode;
      return {
        ...labelledEpisode,
        good: null,
        labels: labelledEpisode.labels.map((label, at) => ({ ...label, label: at === 0 ? 'good' : 'bad' })),
      };
    });
    const judgeLabels = await judgeAgreement(createJudge(rubric, { model: judge }), divided);
    expect(judgeLabels).toMatchObject({ episodes: 24, people: { episodes: 24 }, judge: { episodes: 20 } });
    expect(judgeLabels.people!.alpha).toBeLessThan(0.8);
    const { before } = await tuneRubric({ rubric, model: judge, writer: modelOf(() => ''), labelled: divided, rounds: 1, seed: 1 });
    expect(before.episodes).toBeLessThan(8);
  });

  it('improves with an accepted rubric, measured on held-out episodes', async () => {
    const { rubric: pointwiseRubric, rounds, before, after } = await tune('<text>Does the seat promise no money?</text>');
    expect(rounds[0]).toMatch(/^accepted/);
    expect(pointwiseRubric).toMatchObject({ about: 'Does the seat promise no money?', version: 2 });
    expect([before.episodes, before.judge?.raw, after.judge?.alpha]).toEqual([8, 0.5, 1]);
  });

  it('keeps the rubric if no proposal is better or readable', async () => {
    for (const answer of ['<text>Is the seat very polite?</text>', 'no idea']) {
      const { rubric: pointwiseRubric, rounds, before, after } = await tune(answer);
      expect(pointwiseRubric).toBe(rubric);
      expect(rounds.every((round) => round.startsWith('rejected'))).toBe(true);
      expect(after.judge).toEqual(before.judge);
    }
  });
});
