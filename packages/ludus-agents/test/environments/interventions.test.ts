import type { InterventionFacts, InterventionHistory } from '@ludus-agents/environments/internal/interventions';
import { dueInterventions, readInterventions } from '@ludus-agents/environments/internal/interventions';
import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { survey } from '@ludus-agents/societies/internal/survey/survey';
import { describe, expect, it } from 'vitest';

const vocabulary = { seats: ['a', 'b'], measures: ['know'], items: ['move'] };
const read = (...inputs: readonly object[]) => readInterventions(inputs as unknown as Json, 'here', vocabulary);

/** The steps at which something happens, by name. */
function steps(
  inputs: readonly object[],
  factsAt: (step: number) => Partial<InterventionFacts>,
  count = 10,
): Readonly<Record<string, number[]>> {
  const interventions = read(...inputs);
  const match: Record<string, number[]> = {};
  let history: InterventionHistory = {};
  for (let step = 1; step <= count; step++) {
    const now = dueInterventions(interventions, history, { step, said: [], measures: {}, ...factsAt(step) });
    history = now.history;
    for (const { name } of now.due) match[name] = [...(match[name] ?? []), step];
  }
  return match;
}

describe('interventions', () => {
  it('happen once their conditions hold, and repeat only as often and as late as configured', () => {
    const always = { tell: 'News.' };
    expect(
      steps(
        [
          { name: 'once', ...always },
          { name: 'twice', ...always, times: 2 },
          { name: 'slowly', ...always, times: 9, pause: 3 },
          { name: 'between', ...always, times: 9, when: { from: 4, until: 5 } },
        ],
        () => ({}),
      ),
    ).toEqual({ once: [1], twice: [1, 2], slowly: [1, 5, 9], between: [4, 5] });
  });

  it('need all given conditions, and happen above a threshold but not below it', () => {
    const when = { measure: 'know', least: 3, said: 'PARTY' };
    const facts = (step: number) => ({ measures: { know: step }, said: step % 2 === 0 ? ['A party on Saturday!'] : ['Nothing.'] });
    expect(steps([{ name: 'both', tell: 'x', when }], facts)).toEqual({ both: [4] });
    expect(steps([{ name: 'below', tell: 'x', when: { measure: 'know', below: 3 }, times: 9 }], facts)).toEqual({ below: [1, 2] });
    // A figure that there is not holds no condition.
    expect(steps([{ name: 'unknown', tell: 'x', when: { measure: 'know', least: 0 } }], () => ({}))).toEqual({});
  });

  it.each<[object, RegExp]>([
    [{ name: 'x' }, /tell/],
    [{ name: 'x', tell: 'y', to: ['c'] }, /is for "c", but the seats are a, b/],
    [{ name: 'x', tell: 'y', when: { measure: 'height' } }, /looks at "height", but the measures are know/],
    [{ name: 'x', tell: 'y', when: { answers: { stay: 'yes' } } }, /looks at answers to "stay", but the items are move/],
    [{ name: 'x', tell: 'y', when: { never: true } }, /never/],
  ])('are rejected if invalid: %j', (input, why) => {
    expect(() => read(input)).toThrow(why);
    expect(() => read({ name: 'x', tell: 'y' }, { name: 'x', tell: 'z' })).toThrow(/same name as another/);
  });

  it('reach a survey respondent with the next item after the triggering answer', async () => {
    const task = {
      fresh: true,
      questionnaire: {
        items: [
          { id: 'move', text: 'Move?', options: ['yes', 'no'] },
          { id: 'rent', text: 'Rent?', options: ['high', 'low'] },
          { id: 'end', text: 'End?', options: ['yes', 'no'] },
        ],
      },
      interventions: [{ name: 'rents', when: { answers: { move: 'yes' } }, tell: 'Rents have fallen.' }],
    };
    const told = async (choice: string) => {
      const [log] = await rollout(survey, { respondent: scriptedPolicy('r', () => ({ text: choice })) }, { seeds: [1], task });
      return (log as readonly EpisodeEvent[]).flatMap((event) => (event.kind === 'message' ? [event.text] : []));
    };
    expect((await told('[1]')).filter((text) => text.startsWith('Rents have fallen.\nRent?'))).toHaveLength(1);
    expect((await told('[1]')).filter((text) => text.includes('Rents have'))).toHaveLength(1);
    expect((await told('[1]')).filter((text) => text === 'intervention rents')).toHaveLength(1);
    expect((await told('[2]')).filter((text) => text.includes('Rents'))).toHaveLength(0);
  });
});
