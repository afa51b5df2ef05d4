/** @file Rules by a model: read leniently, held against what was seen, tested again on what comes later. */

import { looseRule, testedRules } from '@ludus-agents/agents/internal/induced-rules';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { type EpisodeEvent, type Lesson, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { toySpec } from '../toy.cases.ts';
import { rulesWith } from './rules.ts';

const said = (text: string) => ({ kind: 'message', to: ['me'], text }) as unknown as EpisodeEvent;
const did = (text: string) => ({ kind: 'action', seat: 'me', action: { text } }) as unknown as EpisodeEvent;
const lesson = (...events: readonly EpisodeEvent[]): Lesson => ({ episode: { id: 'e', events }, seat: 'me', scores: [] });

const visitedLesson = lesson(
  said('A red door is here.'),
  did('open'),
  said('The door opens.'),
  did('go'),
  said('A blue door is here.'),
  did('open'),
  said('It is locked.'),
);

describe('rules written by a model', () => {
  it.each([
    ['When “red door”: open → “opens”', { situation: 'red door', move: 'open', effect: 'opens' }],
    ['- when "red door", open -> opens.', { situation: 'red door', move: 'open', effect: 'opens' }],
    ["2) When 'door': go => 'blue'", { situation: 'door', move: 'go', effect: 'blue' }],
    ['Doors are nice.', null],
  ])('are parsed from %j', (line, rule) => {
    expect(looseRule(line)).toEqual(rule);
  });

  it('stay if observations confirm them, and are removed once violated', async () => {
    const answer = ['When “red door”: open → “opens”', 'When “door”: open → “opens”', 'When “green door”: open → “opens”'].join('\n');
    const rewards: string[] = [];
    const [agentSpec] = await rulesWith({ model: fakeModel({ answers: [answer] }) })
      .improver({ rng: rng(1), components: ['instruction'], many: 1, edits: 3, tried: [], paid: ({ model }) => void rewards.push(model) })
      .improve(toySpec('Play.'), [visitedLesson], new AbortController().signal);
    // The second is violated by the blue door, the third by nothing and confirmed by nothing.
    expect(agentSpec?.texts?.['instruction']).toBe('Play.\nWhen “red door”: open → “opens” (1 times)');
    expect(rewards).toHaveLength(1);
    const known = [{ situation: 'red door', move: 'open', effect: 'opens', confirmed: 1, violated: 0 }];
    expect(testedRules(known, [], [{ situation: 'A red door.', move: 'open', effect: 'It is stuck.' }])).toEqual([]);
  });

  it('report why an answer gave no rule, and are not requested without observations', async () => {
    const why: string[] = [];
    const model = fakeModel({ answers: ['Doors are nice.'] });
    const input = {
      rng: rng(1),
      components: ['instruction'],
      many: 1,
      edits: 1,
      tried: [],
      paid: () => {},
      refuse: (item: string) => void why.push(item),
    };
    const improver = rulesWith({ model }).improver(input);
    await improver.improve(toySpec('Play.'), [visitedLesson], new AbortController().signal);
    expect(why[0]).toContain('no line like');
    expect(await improver.improve(toySpec('Play.'), [], new AbortController().signal)).toEqual([]);
  });
});
