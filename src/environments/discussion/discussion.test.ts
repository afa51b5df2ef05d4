/** @file Protocols of a discussion: who is asked when, the tables of their sources, and what every speech may hold. */

import { describe, expect, it } from 'vitest';
import { type EpisodeEvent, type Json, type MessageEvent, scripted } from '../../core/index.ts';
import { play } from '../../engine/play.ts';
import { replay } from '../../engine/replay.ts';
import { discussion } from './discussion.ts';
import { stallCounts } from './protocols/orchestrator.ts';
import { ratingsIn } from './protocols/rounds.ts';
import { answerIn, lineIn } from './speech.ts';

interface Talk {
  readonly result: Readonly<Record<string, Json>>;
  readonly speakers: readonly string[];
  readonly log: readonly EpisodeEvent[];
}

/** Plays a discussion whose members answer from lists, or by functions of how often they were asked and what they were told. */
async function talk(
  task: Record<string, Json>,
  says: Readonly<Record<string, readonly string[] | ((n: number, told: string) => string)>>,
  seed = 1,
): Promise<Talk> {
  const log: EpisodeEvent[] = [];
  const asked: Record<string, number> = {};
  const agents = Object.fromEntries(
    Object.entries(says).map(([name, answers]) => [
      name,
      scripted(name, ({ view }) => {
        const n = asked[name] ?? 0;
        asked[name] = n + 1;
        const told = view.seen.findLast((item) => item.kind === 'message' && item.from === undefined) as MessageEvent;
        return { text: typeof answers === 'function' ? answers(n, told.text) : answers[Math.min(n, answers.length - 1)]! };
      }),
    ]),
  );
  const members = Object.keys(says);
  for await (const event of play(discussion, agents, { seed, task: { members, knowledge: {}, truth: '', ...task } })) log.push(event);
  const end = log.at(-1);
  expect(end).toMatchObject({ kind: 'end', reason: 'over' });
  expect(replay(discussion, log)).toBeNull();
  const note = log.find((event) => event.kind === 'message' && event.to.length === 0) as MessageEvent;
  return { result: note.data as Talk['result'], speakers: log.flatMap((event) => (event.kind === 'action' ? [event.seat] : [])), log };
}

const same = (n: number, text: string) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`m${i}`, [text]]));

describe('rounds with ratings', () => {
  it('stops once more than two thirds agree, also in the middle of the first round', async () => {
    // Votes that are needed of 1 to 7 members.
    for (const [n, needed] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 3],
      [5, 4],
      [6, 5],
      [7, 5],
    ] as const) {
      const { speakers, result } = await talk({ protocol: 'rounds' }, same(n, 'Answer: yes'));
      expect(speakers).toHaveLength(needed);
      expect(result['answer']).toBe('yes');
      expect(result['contested']).toBeUndefined();
    }
  });

  it('drops all but the two best rated from the third round on, if there are more than three', async () => {
    const differ = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, () => `Answer: ${name}\nRate a: 5\nRate b: 4\nRate c: 1\nRate d: 1`]),
    );
    const { speakers, result } = await talk({ protocol: 'rounds', rounds: 3 }, differ);
    expect(speakers).toHaveLength(4 + 4 + 2);
    expect([...speakers.slice(8)].sort()).toEqual(['a', 'b']);
    expect(result['contested']).toBe(true);
    const three = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, [`Answer: ${name}`]]));
    expect((await talk({ protocol: 'rounds', rounds: 3 }, three)).speakers).toHaveLength(9);
  });

  it('gives importance back by ratings, as the table of three members and two rounds has it', async () => {
    const rate = (answer: string, ...marks: readonly number[]) =>
      marks
        .map((mark, i) => `Rate m${i + 1}: ${mark}`)
        .join('\n')
        .concat(`\nAnswer: ${answer}`);
    const { result } = await talk(
      { protocol: 'rounds', rounds: 2 },
      { m1: ['Answer: x', rate('x', 5, 3, 2)], m2: ['Answer: y', rate('x', 4, 4, 0)], m3: ['Answer: z', rate('z', 1, 1, 9)] },
    );
    const importance = result['importance'] as Record<string, number>;
    expect([importance['m1'], importance['m2'], importance['m3']].map((one) => Number(one?.toFixed(4)))).toEqual([1, 0.9, 0.1]);
    const unread = await talk(
      { protocol: 'rounds', rounds: 2 },
      { m1: ['Answer: x', rate('x', 5, 3, 2)], m2: ['Answer: y', 'Answer: x'], m3: ['Answer: z', rate('z', 1, 1, 9)] },
    );
    const even = unread.result['importance'] as Record<string, number>;
    expect([even['m1'], even['m2'], even['m3']].map((one) => Number(one?.toFixed(4)))).toEqual([0.9167, 0.8167, 0.2667]);
  });

  it('reads marks above 5 as full, below 1 as none, and a list with a gap as no rating', () => {
    expect(ratingsIn({ text: 'Rate a: 9\nRate b: 5\nRate c: -1' }, ['a', 'b', 'c'])).toEqual([0.5, 0.5, 0]);
    expect(ratingsIn({ text: 'Rate a: 5' }, ['a', 'b'])).toBeNull();
    expect(ratingsIn({ text: 'Rate a: 0\nRate b: 0' }, ['a', 'b'])).toBeNull();
  });
});

describe('an orchestrator', () => {
  it('counts stalls up and down, and from none after three', () => {
    const [yes, no] = [true, false];
    expect(stallCounts([yes, no, no, yes, no, no, no])).toEqual([0, 1, 2, 1, 2, 3, 1]);
    expect(Math.max(...stallCounts([no, yes, no, yes, no, yes, no]))).toBe(1);
  });

  it('plans anew after three steps without progress', async () => {
    const lead = (n: number, told: string) =>
      told.startsWith('Judge') ? `Done: no\nProgress: no\nNext: b\nTask: dig ${n}` : 'Answer: none';
    const { result, log } = await talk({ protocol: 'orchestrator', rounds: 1, most: 60 }, { a: lead, b: ['Nothing.'] });
    expect(result['revisions']).toBe(1);
    expect(result['contested']).toBe(true);
    expect(log.filter((event) => event.kind === 'message' && event.text.includes('facts and a new plan.'))).toHaveLength(1);
  });

  it('notices that one task is given again and again, though each step is called progress', async () => {
    const lead = (_: number, told: string) => (told.startsWith('Judge') ? 'Done: no\nProgress: yes\nNext: b\nTask: dig' : 'Answer: none');
    expect((await talk({ protocol: 'orchestrator', rounds: 1, most: 60 }, { a: lead, b: ['Done.'] })).result['revisions']).toBe(1);
  });

  it('ends with the answer of the lead', async () => {
    const lead = (n: number) => (n === 0 ? 'Facts.' : n === 1 ? 'Done: no\nNext: b\nTask: count' : 'Done: yes\nAnswer: 7');
    const { result, speakers } = await talk({ protocol: 'orchestrator' }, { a: lead, b: ['There are 7.'] });
    expect(speakers).toEqual(['a', 'a', 'b', 'a']);
    expect(result['answer']).toBe('7');
  });
});

describe('making and judging', () => {
  const marks = (...scores: readonly number[]) => ({
    a: ['What is wanted.'],
    b: scores.map((_, i) => `Answer: try ${i + 1}`),
    c: scores.map((score) => `Score: ${score}`),
  });

  it('gives the best candidate, not the last', async () => {
    expect((await talk({ protocol: 'refine' }, marks(6, 7.9, 5))).result).toMatchObject({ answer: 'try 2', score: 7.9, contested: true });
  });

  it('stops at the threshold', async () => {
    const { result, speakers } = await talk({ protocol: 'refine' }, marks(6, 8, 9));
    expect(result).toMatchObject({ answer: 'try 2', score: 8, revisions: 1 });
    expect(speakers).toHaveLength(5);
  });
});

describe('other protocols', () => {
  it('a planner hands out steps, and plans anew when one fails', async () => {
    const lead = (n: number) => ['Step b: lift\nStep c: carry', 'Step c: carry alone', 'Answer: done'][n]!;
    const { speakers, result } = await talk({ protocol: 'planner' }, { a: lead, b: ['Failed: too heavy'], c: ['Carried.'] });
    expect(speakers).toEqual(['a', 'b', 'a', 'c', 'a']);
    expect(result).toMatchObject({ answer: 'done', revisions: 1 });
  });

  it('an exchange of plans ends at agreement, or after its rounds with the plan that most approved', async () => {
    const drafts = ['Answer: one', 'Answer: two', 'Answer: three'];
    const agree = { a: drafts, b: ['Agree: yes'], c: ['Agree: no', 'Agree: yes'] };
    expect((await talk({ protocol: 'plan-exchange' }, agree)).result).toEqual({ answer: 'two', revisions: 1 });
    const never = { a: drafts, b: ['Agree: no', 'Agree: yes', 'Agree: no'], c: ['Agree: no'] };
    expect((await talk({ protocol: 'plan-exchange' }, never)).result).toMatchObject({ answer: 'two', contested: true });
  });

  it('specialists do not hear each other, the strategist hears all', async () => {
    const { log } = await talk({ protocol: 'specialists' }, { a: ['Answer: both'], b: ['Answer: left'], c: ['Answer: right'] });
    const heard = (seat: string) =>
      log.flatMap((event) => (event.kind === 'message' && event.to.includes(seat) && event.from !== undefined ? [event.from] : []));
    expect([heard('a'), heard('b'), heard('c')]).toEqual([['b', 'c'], [], []]);
  });

  it('nobody hears whom it is not linked to', async () => {
    const { log, speakers } = await talk(
      {
        protocol: 'in-order',
        links: [
          ['c', 'b'],
          ['b', 'a'],
        ],
      },
      { a: ['Answer: x'], b: ['B.'], c: ['C.'] },
    );
    expect(speakers).toEqual(['c', 'b', 'a']);
    expect(log.filter((event) => event.kind === 'message' && event.from === 'c' && event.to.includes('a'))).toEqual([]);
  });

  it('ends when its speeches are used up, whatever the members say', async () => {
    for (const protocol of ['in-order', 'rounds', 'orchestrator', 'planner', 'specialists', 'plan-exchange', 'refine'])
      for (const most of [1, 2, 5, 9]) {
        const noise = { a: ['Next: b\nStep c: go'], b: ['Failed: no'], c: ['Score: x\nAgree: perhaps'] };
        expect((await talk({ protocol, most }, noise)).speakers.length).toBeLessThanOrEqual(most);
      }
  });
});

describe('a speech', () => {
  it('names one of the choices, or none', () => {
    expect(answerIn('I would take [10].', ['[1]', '[10]'])).toBe('[10]');
    expect(answerIn('Answer: [1]\nNot [10].', ['[1]', '[10]'])).toBe('[1]');
    expect(answerIn('[1] or [10]', ['[1]', '[10]'])).toBeNull();
    expect(answerIn('I bet all', ['bet', 'bet all'])).toBe('bet all');
    expect(answerIn('alphabet', ['bet'])).toBeNull();
  });

  it('is the answer itself where it has no labels and anything counts', () => {
    expect(answerIn('  forty two ', [])).toBe('forty two');
    expect(answerIn('Progress: no', [])).toBeNull();
    expect(lineIn('**Answer:** yes', 'answer')).toBe('yes');
  });
});

describe('the task of a discussion', () => {
  it.each([
    [{ members: [] }, /1 to 16 different names/],
    [{ members: ['a', 'a'] }, /different names/],
    [{ members: ['a'], lead: 'b' }, /must be one of a/],
    [{ members: ['a'], links: [['a', 'b']] }, /must be pairs/],
    [{ members: ['a'], knowledge: { b: 'x' } }, /none of a/],
    [{ choices: 'yes' }, /must be a list/],
  ])('%j is refused in a sentence', (task, why) => {
    expect(() => discussion.task(task as Json)).toThrow(why);
  });
});
