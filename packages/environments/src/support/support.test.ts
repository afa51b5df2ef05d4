import type { EndEvent, EpisodeEvent, JsonObject, Script } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { symptomF1, treatmentScore } from './arena.ts';
import { cards, facts, feelings, plans, planWords } from './cards.ts';
import { detectMove, inversions, macroF1 } from './detect.ts';
import { support } from './support.ts';

const scripts = support.scripts as Readonly<Record<string, Script>>;

async function plays(
  name: string,
  n: number,
  task: JsonObject = {},
  seeker: Script = scripts['seeker']!,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const policies = { supporter: scriptedPolicy(name, scripts[name]!), seeker: scriptedPolicy('seeker', seeker) };
  return rollout(support, policies, { seeds: Array.from({ length: n }, (_, i) => i), task });
}

const noteOf = (log: readonly EpisodeEvent[], key: string) =>
  log
    .flatMap((event) => (event.kind === 'message' && event.to.length === 0 ? [(event.data as JsonObject)[key]] : []))
    .findLast((item) => item !== undefined) as JsonObject;
const returnOf = (log: readonly EpisodeEvent[], seat = 'supporter') => (log.at(-1) as EndEvent).returns[seat]!;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('staged support talk', () => {
  it('succeeds in stage order, with all stages detected and only the answer costs lost', async () => {
    for (const log of await plays('staged', 60)) {
      const { stages, inversions: wrong, turns, f1 } = noteOf(log, 'support') as Record<string, number>;
      expect([stages, wrong, f1]).toEqual([3, 0, 1]);
      expect(turns).toBeGreaterThanOrEqual(4);
      expect(turns).toBeLessThanOrEqual(6);
      expect(returnOf(log)).toBeCloseTo(1 - 0.02 * turns!, 12);
    }
  });

  it('ends early if advice comes first, and makes no progress with listening only', async () => {
    const advised = await plays('adviser', 20);
    expect(advised.every((log) => noteOf(log, 'support')['left'] === true)).toBe(true);
    expect(mean(advised.map((log) => returnOf(log)))).toBeCloseTo(-0.5 - 3 * 0.02, 12);
    const listened = await plays('listener', 20);
    expect(listened.every((log) => noteOf(log, 'support')['stages'] === 0)).toBe(true);
  });

  it('hides the card from the supporter, and flags a seeker that names its feeling first', async () => {
    const { state } = support.start(support.task({ card: 'baker' }), rng(1));
    const visible = (['fear', 'anger'] as const).map((feeling) => {
      const spokenStep = support.step({ ...state, feeling } as never, { seeker: { text: 'Hello.' } }, rng(2));
      return JSON.stringify([
        viewOf(
          spokenStep.messages.map((message) => ({ kind: 'message' as const, ...message })),
          'supporter',
        ),
        spokenStep.asks,
        support.knows?.(spokenStep.state, 'supporter'),
      ]);
    });
    expect(visible[0]).toBe(visible[1]);
    const blunt: Script = ({ view }) => ({ text: /You feel (\w+)/.exec(JSON.stringify(view.seen[0]))?.[1] ?? '' });
    const [log] = await plays('listener', 1, { turns: 2 }, blunt);
    expect(auditsOf(log!)['seeker']?.contradicted).toBeGreaterThan(0);
  });

  it('shows both sides the crisis line and a simulation notice, in both settings', () => {
    for (const setting of ['support', 'arena']) {
      const { messages } = support.start(support.task({ setting }), rng(1));
      for (const seat of ['supporter', 'seeker'])
        expect(messages.some(({ to, text }) => to.includes(seat) && text.includes('simulation') && text.includes('116 123'))).toBe(true);
    }
  });

  it('has unique cards with valid required facts', () => {
    expect(new Set(cards.map(({ id }) => id)).size).toBe(cards.length);
    for (const { needed } of cards) expect(needed.every((fact) => facts.includes(fact))).toBe(true);
    expect(Object.keys(planWords)).toEqual(Object.keys(plans));
  });
});

describe('support move detection', () => {
  it.each<[string, object]>([
    ['What happened?', { strategy: 'question', fact: 'event' }],
    ['Since when, or how long has it been so?', { strategy: 'question', fact: 'since' }],
    ['Is there anybody you can be with?', { strategy: 'question', fact: 'people' }],
    ['You sound afraid; that must be hard.', { strategy: 'reflect', feeling: 'fear' }],
    ['It seems you are lonely.', { strategy: 'reflect', feeling: 'loneliness' }],
    ['Perhaps you could rest for a few days.', { strategy: 'suggest', plan: 'rest' }],
    ['Maybe talk to a friend about it.', { strategy: 'suggest', plan: 'talk' }],
    ['I too lost a job once.', { strategy: 'disclose' }],
    ['So you say it is the rent.', { strategy: 'restate' }],
    ['It is brave of you.', { strategy: 'affirm' }],
    ['Many people go through this.', { strategy: 'inform' }],
    ['Well.', { strategy: 'other' }],
  ])('reads %j', (words, move) => {
    expect(detectMove(words)).toEqual(move);
  });

  it('treats plain text like bracketed moves', () => {
    const { state } = support.start(support.task({}), rng(1));
    const spokenStep = support.step(state, { seeker: { text: 'I am not well.' } }, rng(2));
    const [plain, bracketed] = ['What happened?', 'What happened? [question event]'].map((text) =>
      support.step(spokenStep.state, { supporter: { text } }, rng(3)),
    );
    expect(plain).toEqual(bracketed);
  });

  it('counts inversions and scores stages by macro F1', () => {
    expect(inversions([0, 0, 1, null, 2])).toBe(0);
    expect(inversions([2, 0, 1])).toBe(2);
    expect(
      macroF1([
        [0, 0],
        [1, 1],
        [2, 2],
      ]),
    ).toBe(1);
    // Class 0: one hit of 1 + 2; class 1: none.
    expect(
      macroF1([
        [0, 0],
        [1, 0],
      ]),
    ).toBeCloseTo((2 / 3 + 0) / 2, 12);
    expect(macroF1([])).toBeNull();
  });
});

describe('therapy arena', () => {
  it('is solved in five answers by an aligned pair, which is paid equally', async () => {
    for (const log of await plays('staged', 30, { setting: 'arena' })) {
      expect(noteOf(log, 'arena')).toEqual({ similarity: 1, best: 10, turns: 5 });
      expect([returnOf(log), returnOf(log, 'seeker')]).toEqual([0.9, 0.9]);
    }
  });

  it('is not solved with an uninformative patient', async () => {
    const mute: Script = ({ ask }) => ({ text: ask.choices?.[0] ?? 'Hm.' });
    const dumb = await plays('staged', 60, { setting: 'arena' }, mute);
    const solved = dumb.filter((log) => noteOf(log, 'arena')['similarity'] === 1).length;
    expect(solved).toBeLessThan(12);
    expect(Object.keys(feelings)).toHaveLength(6);
  });

  it('scores symptoms by F1 over three fields, and treatments by behavior, then thought', () => {
    expect([symptomF1([0, 1, 2], [0, 1, 2]), symptomF1([0, 1, 2], [0, 1, 1]), symptomF1([0, 1, 2], [1, 2, 0])]).toEqual([1, 2 / 3, 0]);
    expect([treatmentScore([0, 1, 2], 2), treatmentScore([0, 1, 2], 1), treatmentScore([0, 1, 2], 3)]).toEqual([10, 6, 3]);
  });
});
