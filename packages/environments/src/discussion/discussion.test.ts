/** @file Tests protocols of a discussion: who is asked when, the tables of their sources, and the contents of speeches. */

import { type EpisodeEvent, type Json, type MessageEvent, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { teamProtocols } from '../team-protocols.ts';
import { discussion } from './discussion.ts';
import { mixWeights } from './protocols/guidance.ts';

import { stallCounts } from './protocols/orchestrator.ts';
import { ratingsIn } from './protocols/rounds.ts';
import { answerIn, lineIn } from './speech.ts';

interface Talk {
  readonly result: Readonly<Record<string, Json>>;
  readonly speakers: readonly string[];
  readonly log: readonly EpisodeEvent[];
}

/** Plays a discussion whose members answer from lists, or by functions of the number of asks and the prompt. */
async function talk(
  task: Record<string, Json>,
  says: Readonly<Record<string, readonly string[] | ((n: number, observation: string) => string)>>,
  seed = 1,
): Promise<Talk> {
  const log: EpisodeEvent[] = [];
  const request: Record<string, number> = {};
  const agents = Object.fromEntries(
    Object.entries(says).map(([name, answers]) => [
      name,
      scripted(name, ({ view }) => {
        const n = request[name] ?? 0;
        request[name] = n + 1;
        const messageEvent = view.seen.findLast((item) => item.kind === 'message' && item.from === undefined) as MessageEvent;
        return { text: typeof answers === 'function' ? answers(n, messageEvent.text) : answers[Math.min(n, answers.length - 1)]! };
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
  it('stop once more than two thirds agree, even in the middle of the first round', async () => {
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

  it('keep only the two best-rated members from the third round on if there are more than three', async () => {
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

  it('propagate importance back through ratings as in the reference example', async () => {
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
    expect([importance['m1'], importance['m2'], importance['m3']].map((item) => Number(item?.toFixed(4)))).toEqual([1, 0.9, 0.1]);
    const unread = await talk(
      { protocol: 'rounds', rounds: 2 },
      { m1: ['Answer: x', rate('x', 5, 3, 2)], m2: ['Answer: y', 'Answer: x'], m3: ['Answer: z', rate('z', 1, 1, 9)] },
    );
    const even = unread.result['importance'] as Record<string, number>;
    expect([even['m1'], even['m2'], even['m3']].map((item) => Number(item?.toFixed(4)))).toEqual([0.9167, 0.8167, 0.2667]);
  });

  it('clamp ratings to 1–5 and ignore incomplete rating lists', () => {
    expect(ratingsIn({ text: 'Rate a: 9\nRate b: 5\nRate c: -1' }, ['a', 'b', 'c'])).toEqual([0.5, 0.5, 0]);
    expect(ratingsIn({ text: 'Rate a: 5' }, ['a', 'b'])).toBeNull();
    expect(ratingsIn({ text: 'Rate a: 0\nRate b: 0' }, ['a', 'b'])).toBeNull();
  });
});

describe('orchestrator', () => {
  it('counts stalls up and down, and restarts at 1 after three', () => {
    const [yes, no] = [true, false];
    expect(stallCounts([yes, no, no, yes, no, no, no])).toEqual([0, 1, 2, 1, 2, 3, 1]);
    expect(Math.max(...stallCounts([no, yes, no, yes, no, yes, no]))).toBe(1);
  });

  it('replans after three steps without progress', async () => {
    const lead = (n: number, observation: string) =>
      observation.includes('Judge the state') ? `Done: no\nProgress: no\nNext: b\nTask: dig ${n}` : 'Answer: none';
    const { result, log } = await talk({ protocol: 'orchestrator', rounds: 1, most: 60 }, { a: lead, b: ['Nothing.'] });
    expect(result['revisions']).toBe(1);
    expect(result['contested']).toBe(true);
    expect(log.filter((event) => event.kind === 'message' && event.text.includes('There is no progress. Write down'))).toHaveLength(1);
  });

  it('detects a repeated task even if each step is reported as progress', async () => {
    const lead = (_: number, observation: string) =>
      observation.includes('Judge the state') ? 'Done: no\nProgress: yes\nNext: b\nTask: dig' : 'Answer: none';
    expect((await talk({ protocol: 'orchestrator', rounds: 1, most: 60 }, { a: lead, b: ['Done.'] })).result['revisions']).toBe(1);
  });

  it("ends with the lead's answer", async () => {
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

  it('returns the best candidate, not the last', async () => {
    expect((await talk({ protocol: 'refine' }, marks(6, 7.9, 5))).result).toMatchObject({ answer: 'try 2', score: 7.9, contested: true });
  });

  it('stops at the threshold', async () => {
    const { result, speakers } = await talk({ protocol: 'refine' }, marks(6, 8, 9));
    expect(result).toMatchObject({ answer: 'try 2', score: 8, revisions: 1 });
    expect(speakers).toHaveLength(5);
  });
});

describe('discussion protocols', () => {
  it('a planner assigns steps, and replans when one fails', async () => {
    const lead = (n: number) => ['Ask b: lift\nAsk c: carry', 'Ask c: carry alone', 'Answer: done'][n]!;
    const { speakers, result } = await talk({ protocol: 'planner' }, { a: lead, b: ['Failed: too heavy'], c: ['Carried.'] });
    expect(speakers).toEqual(['a', 'b', 'a', 'c', 'a']);
    expect(result).toMatchObject({ answer: 'done', revisions: 1 });
  });

  it('a planner caches answers by question, but asks failed questions again', async () => {
    const plans = ['Ask b: find the key\nAsk c: open the door', 'Ask c: Find the key.\nAsk c: open the door', 'Answer: out'];
    const says = { a: (n: number) => plans[n]!, b: ['Found.'], c: ['Failed: locked', 'Opened.'] };
    const { speakers, result } = await talk({ protocol: 'planner' }, says);
    expect(speakers).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
    expect(result['acted']).toMatchObject({ cache: 1, replans: 1 });
    const off = await talk({ protocol: 'planner', settings: { off: ['cache'] } }, { ...says, c: ['Failed: locked', 'Found.', 'Opened.'] });
    expect(off.speakers).toEqual(['a', 'b', 'c', 'a', 'c', 'c', 'a']);
  });

  it("a planner's member makes the move of its step, and later moves continue the plan", async () => {
    const says = { a: ['Step b: [1]\nStep c: [2]'], b: ['Answer: [1]'], c: ['Answer: [2]'] };
    const choices = ['[1]', '[2]'];
    const first = await talk({ protocol: 'planner', choices }, says);
    expect(first.result).toMatchObject({ answer: '[1]', by: 'b' });
    const second = await talk({ protocol: 'planner', choices, settings: { turn: 1, memory: first.result['memory']! } }, says);
    expect([second.speakers, second.result['answer']]).toEqual([['c'], '[2]']);
  });

  it('a single agent refines its answer, and keeps the new one only if rated higher', async () => {
    const alone = (second: number) => ['What is wanted is a word.', 'Answer: one', 'Score: 4', 'Answer: two', `Score: ${second}`];
    const told = async (second: number) => (await talk({ protocol: 'refine', members: ['a'], rounds: 2 }, { a: alone(second) })).result;
    expect(await told(9)).toMatchObject({ answer: 'two', revisions: 1 });
    expect(await told(3)).toMatchObject({ answer: 'one', revisions: 1 });
  });

  it('a plan exchange ends on agreement, or after its rounds with the most approved plan', async () => {
    const drafts = ['Answer: one', 'Answer: two', 'Answer: three'];
    const agree = { a: drafts, b: ['Agree: yes'], c: ['Agree: no', 'Agree: yes'] };
    expect((await talk({ protocol: 'plan-exchange' }, agree)).result).toMatchObject({ answer: 'two', revisions: 1 });
    const never = { a: drafts, b: ['Agree: no', 'Agree: yes', 'Agree: no'], c: ['Agree: no'] };
    expect((await talk({ protocol: 'plan-exchange' }, never)).result).toMatchObject({ answer: 'two', contested: true });
  });

  it('specialists do not hear each other, but the strategist hears all of them', async () => {
    const { log } = await talk({ protocol: 'specialists' }, { a: ['Answer: both'], b: ['Answer: left'], c: ['Answer: right'] });
    const heard = (seat: string) =>
      log.flatMap((event) => (event.kind === 'message' && event.to.includes(seat) && event.from !== undefined ? [event.from] : []));
    expect([heard('a'), heard('b'), heard('c')]).toEqual([['b', 'c'], [], []]);
  });

  it("a lead without an answer gets the others' answer, marked as contested", async () => {
    const task = { protocol: 'in-order', choices: ['[C]', '[D]'] };
    expect((await talk(task, { a: ['Hm.'], b: ['I would take [D].'] })).result).toEqual({ answer: '[D]', contested: true });
    expect((await talk(task, { a: ['Hm.'], b: ['Hm.'] })).result).toEqual({ answer: '' });
  });

  it('members hear only the members linked to them', async () => {
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

  it('every protocol stops at its limit of speeches', async () => {
    for (const protocol of teamProtocols)
      for (const most of [1, 2, 5, 9]) {
        const noise = { a: ['Next: b\nStep c: go'], b: ['Failed: no'], c: ['Score: x\nAgree: perhaps'] };
        const settings = {
          modules: [
            { name: 'think', tell: 'Think.' },
            { name: 'act', tell: 'Act.' },
          ],
        };
        expect((await talk({ protocol, most, settings }, noise)).speakers.length).toBeLessThanOrEqual(most);
      }
  });
});

describe('guidance protocol', () => {
  const base = new Map([
    ['a', 0.6],
    ['b', 0.3],
    ['c', 0.1],
  ]);
  const guide = new Map([
    ['a', 0.1],
    ['b', 0.2],
    ['c', 0.9],
  ]);
  const table = (weights: ReadonlyMap<string, number>) => ['a', 'b', 'c'].map((move) => Number(weights.get(move)?.toFixed(4)));

  it('mixes two distributions as in the reference example, and keeps the first if the share is 0', () => {
    expect(table(mixWeights(base, guide, 0.5, 'linear'))).toEqual([0.3417, 0.2333, 0.425]);
    expect(table(mixWeights(base, guide, 0.5, 'product'))).toEqual([0.3101, 0.3101, 0.3798]);
    expect(mixWeights(base, guide, 0, 'linear')).toBe(base);
  });

  const says = (well: readonly string[]) => ({
    base: ['Weight left: 0.6\nWeight right: 0.4\nAnswer: left'],
    ground: ['The left door is shut.'],
    advisor: ['Guide right: 1\nGuide up: 1'],
    monitor: well,
  });
  const choices = ['left', 'right'];

  it('stops if the monitor approves, and otherwise shifts the choice', async () => {
    const content = await talk({ protocol: 'guidance', choices }, says(['Well: yes']));
    expect([content.speakers, content.result['answer']]).toEqual([['base', 'monitor'], 'left']);
    const shifted = await talk({ protocol: 'guidance', choices }, says(['Well: no', 'Well: yes']));
    expect(shifted.speakers).toEqual(['base', 'monitor', 'ground', 'advisor', 'monitor']);
    // A move that is not legal gets nothing.
    expect(shifted.result).toMatchObject({ answer: 'right', revisions: 1, acted: { advised: 1, changed: 1 } });
    const linear = await talk({ protocol: 'guidance', choices, settings: { mix: 'linear' } }, says(['Well: no', 'Well: yes']));
    expect(linear.result['shares']).toEqual({ right: 0.7, left: 0.3 });
    const alone = await talk({ protocol: 'guidance', choices, settings: { share: 0 } }, says(['Well: no']));
    expect([alone.speakers, alone.result['answer']]).toEqual([['base'], 'left']);
  });

  it('asks for facts again when the observation changed', async () => {
    const after = (observed: string) =>
      talk(
        { protocol: 'guidance', choices, settings: { memory: { facts: 'It is shut.', factsOn: 'a door' }, observed, turn: 2, repeats: 1 } },
        says(['Well: no', 'Well: yes']),
      );
    expect((await after('a door')).speakers).not.toContain('ground');
    expect((await after('a gate')).speakers).toContain('ground');
  });
});

describe('thought graph', () => {
  /** Sorts by quarters: the lead sees the graph only, the worker does one thing at a time, and merges two lists at a time. */
  const numbers = [9, 3, 14, 1, 12, 6, 0, 15, 7, 2, 11, 4, 13, 5, 10, 8];
  const acts = ['decompose 1', 'solve 2', 'solve 3', 'solve 4', 'solve 5', 'aggregate 2 3', 'aggregate 4 5', 'aggregate 6 7', 'answer 8'];
  const quarters = [0, 4, 8, 12].map((from) => numbers.slice(from, from + 4).sort((a, b) => a - b));
  const done = [
    quarters.map(() => 'Part: a quarter').join('\n'),
    ...quarters.map((quarter) => `Answer: ${quarter.join(' ')}`),
    ...[quarters.slice(0, 2), quarters.slice(2), quarters].map(
      (lists) =>
        `Answer: ${lists
          .flat()
          .sort((a, b) => a - b)
          .join(' ')}`,
    ),
  ];

  it('sorts sixteen numbers by quarters in eight operations', async () => {
    const { result, speakers } = await talk({ protocol: 'thought-graph' }, { lead: acts.map((act) => `Do: ${act}`), worker: done });
    expect(result['answer']).toBe([...numbers].sort((a, b) => a - b).join(' '));
    expect(speakers.filter((speaker) => speaker === 'worker')).toHaveLength(8);
  });

  it('skips invalid operations with an explanation', async () => {
    const wrong = [
      'Do: dance',
      'Do: answer 1',
      'Do: refine 1',
      'Do: aggregate 1 1',
      'Do: reduce 3',
      'Do: solve 7',
      'Do: solve 1',
      'Do: answer 1',
    ];
    const { log, result, speakers } = await talk({ protocol: 'thought-graph' }, { lead: wrong, worker: ['Answer: 42'] });
    expect(log.filter((event) => event.kind === 'message' && event.text.includes('Nothing was done'))).toHaveLength(6);
    expect([result['answer'], speakers.filter((speaker) => speaker === 'worker').length]).toEqual(['42', 1]);
  });

  it('follows the majority of several samples from the lead', async () => {
    const lead = ['Do: solve 1', 'Do: decompose 1', 'Do: solve 1', 'Do: answer 1', 'Do: answer 1', 'Do: refine 1'];
    const { speakers } = await talk({ protocol: 'thought-graph', settings: { samples: 3 } }, { lead, worker: ['Answer: x'] });
    expect(speakers).toEqual(['lead', 'lead', 'lead', 'worker', 'lead', 'lead', 'lead']);
  });
});

describe('designer protocol', () => {
  const lead = [
    'Block n: ask b; count\nBlock w: vote b, c as scale; weigh, knowing {n}',
    'Solved n: yes\nSolved w: no\nAnswer: 4',
    'Block w: debate b, c; weigh twice',
    'Solved w: yes\nAnswer: 5',
    'Answer: 4',
  ];

  it('builds blocks, redesigns unsolved ones, and verifies the results of all designs', async () => {
    const { speakers, result, log } = await talk({ protocol: 'designer' }, { a: lead, b: ['Four.'], c: ['Five.'] });
    expect(speakers).toEqual(['a', 'b', 'b', 'c', 'a', 'a', 'b', 'c', 'b', 'c', 'a', 'a']);
    expect(result).toMatchObject({ answer: '4', revisions: 1, acted: { designs: 2, redesigns: 1 } });
    const tells = log.flatMap((event) => (event.kind === 'message' && event.to.includes('c') ? [event.text] : []));
    expect(tells.find((text) => text.includes('as scale'))).toContain('weigh, knowing b said Four.');
  });

  it('creates members with separate instructions and contexts', async () => {
    const design = 'Member critic: b; find mistakes\nMember poet: b; rhyme\nBlock n: chain critic, poet; count\nBlock m: ask b; weigh';
    const says = { a: [design, 'Solved n: yes\nSolved m: yes\nAnswer: 4'], b: ['Three.', 'Four.', 'Five.'], c: [] };
    const { speakers, result, log } = await talk({ protocol: 'designer' }, says);
    expect(speakers).toEqual(['a', 'b', 'b', 'b', 'a']);
    expect(result).toMatchObject({ answer: '4', acted: { created: 2 } });
    const told = log.flatMap((event) => (event.kind === 'message' && event.to.includes('b') && event.to.length === 1 ? [event] : []));
    expect(told.map(({ from = '', text, data = {} }) => [from, text.slice(0, 30), data])).toEqual([
      ['', 'You are critic. find mistakes ', { as: 'critic' }],
      ['b', 'critic: Three.', { as: 'poet' }],
      ['', 'You are poet. rhyme a asks you', { as: 'poet' }],
      ['', 'a asks you: weigh Write a line', {}],
    ]);
    const off = await talk({ protocol: 'designer', settings: { off: ['members'] } }, { ...says, c: ['Six.', 'Seven.'] });
    // Without them the block is one of all members.
    expect(off.result).toMatchObject({ acted: { created: 0 } });
    expect(off.speakers.filter((speaker) => speaker === 'c')).toHaveLength(1);
  });

  it('reuses a solved design at the next move unless reuse is off', async () => {
    const says = { a: ['Block n: ask b; count', 'Solved n: yes\nAnswer: 4'], b: ['Four.'] };
    const first = await talk({ protocol: 'designer' }, says);
    const again = { a: ['Solved n: yes\nAnswer: 4'], b: ['Four.'] };
    const memory = first.result['memory']!;
    expect((await talk({ protocol: 'designer', settings: { turn: 1, memory } }, again)).speakers).toEqual(['b', 'a']);
    const off = await talk({ protocol: 'designer', settings: { turn: 1, memory, off: ['reuse'] } }, says);
    expect(off.speakers).toEqual(['a', 'b', 'a']);
  });
});

describe('four-module and joint-plan protocols', () => {
  it('continue until the verifier approves', async () => {
    const says = { p: ['Goal: look'], e: ['Nothing.', 'A key.'], v: ['Enough: no', 'Enough: yes'], g: ['Answer: key'] };
    const { speakers, result } = await talk({ protocol: 'four-modules' }, says);
    expect(speakers).toEqual(['p', 'e', 'v', 'p', 'e', 'v', 'g']);
    expect(result).toMatchObject({ answer: 'key', revisions: 1, acted: { planned: 2, executed: 2, verified: 2 } });
    expect((await talk({ protocol: 'four-modules', rounds: 1 }, says)).result['contested']).toBe(true);
  });

  it('plan independently, execute steps in parallel, and vote', async () => {
    const says = {
      a: ['Step 1: x\nStep 2: y', 'X.', 'Y.', 'Answer: 1'],
      b: ['Step 1: z', 'Z.', 'Z.', 'Answer: 2'],
      c: ['No plan.', '', '', 'Answer: 2'],
    };
    const { speakers, result } = await talk({ protocol: 'joint-plans' }, says);
    expect([speakers.length, result]).toEqual([12, { answer: '2' }]);
  });
});

describe('pipeline protocol', () => {
  const modules = [
    { name: 'slow', every: 2, tell: 'Intend.', keep: ['Intent'] },
    {
      name: 'think',
      modules: [
        { name: 'plan', when: 'Policy: plan', tell: 'Plan.' },
        { name: 'doubt', unless: 'Policy: plan', tell: 'Doubt.' },
      ],
    },
    { name: 'act', tell: 'Act.' },
  ];
  const run = (settings: Record<string, Json>, says: readonly string[] = ['Intent: win', 'Hm.', 'Answer: x']) =>
    talk({ protocol: 'pipeline', question: '', settings: { modules, ...settings } }, { me: says });
  const asked = ({ log }: Talk) => log.flatMap((event) => (event.kind === 'message' && event.to.includes('me') ? [event.text] : []));

  it('runs its modules in order under their conditions, and remembers labeled lines', async () => {
    const first = await run({});
    expect(asked(first)).toEqual(['Intend.', 'Doubt.', 'Act. Write a line "Answer: …".', 'The answer is: x']);
    expect(first.result).toMatchObject({ answer: 'x', memory: { lines: { Intent: 'win' } } });
    const second = await run({ turn: 1, memory: { lines: { Intent: 'win', Policy: 'plan' } } }, ['Hm.', 'Answer: x']);
    expect(asked(second).slice(0, 2)).toEqual([
      'From earlier turns you know:\nIntent: win\nPolicy: plan\nPlan.',
      'Act. Write a line "Answer: …".',
    ]);
  });

  it('skips modules and groups that are off, but never the module that answers', async () => {
    expect((await run({ off: ['slow', 'think'] }, ['Answer: x'])).speakers).toHaveLength(1);
    const task = (settings: Json) => discussion.task({ protocol: 'pipeline', settings });
    expect(() => task({ modules: modules as unknown as Json, off: ['act'] })).toThrow(/The module "act" gives the answer, so it cannot/);
    expect(() => task({ modules: modules as unknown as Json, off: ['dance'] })).toThrow(
      /Unknown module "dance" in "off"\. Available: slow,/,
    );
    expect(() => task({ modules: [] })).toThrow(/needs "modules"/);
    expect(() => task({ modules: [{ name: 'a', tell: '', by: 'Zoe' }] })).toThrow(/The module "a" is assigned to "Zoe"/);
    expect(() => task({ modules: [{ name: 'a' }] })).toThrow(/needs "tell"/);
  });

  it('compares predictions with observations, and plans with them only while they are accurate', async () => {
    const predicting = [
      { name: 'plan', trust: 0.6, tell: 'Plan.' },
      { name: 'predict', tell: 'Predict.', keep: ['Expect'] },
      { name: 'act', tell: 'Act.' },
    ];
    const turn = (kept: Json, observed: string) =>
      talk(
        { protocol: 'pipeline', settings: { modules: predicting, memory: { lines: kept }, observed } },
        { me: ['Expect: the door opens', 'Answer: x'] },
      );
    const right = await turn({ Expect: 'The door opens.' }, 'the door opens');
    expect(right.result).toMatchObject({ predicted: { right: 1, of: 1 } });
    expect(right.speakers).toHaveLength(3);
    const wrong = await turn({ Expect: 'The door opens.', '#predictions': '0' }, 'You fall into a pit.');
    expect(wrong.result).toMatchObject({ predicted: { right: 0, of: 2 }, memory: { lines: { '#predictions': '00' } } });
    expect(wrong.speakers).toHaveLength(2);
    // A right prediction counts as right in a long observation as well.
    const view = 'Tick 3 of 60.\nYou face up and hold nothing.\nThe door opens.\nThere are 2 onions on the counter.';
    expect((await turn({ Expect: 'The door opens.' }, view)).result).toMatchObject({ predicted: { right: 1, of: 1 } });
    expect((await turn({ Expect: 'The cook leaves the kitchen.' }, view)).result).toMatchObject({ predicted: { right: 0, of: 1 } });
    // One slot of a sentence that is always there decides, and other forms of its words do not.
    const kitchen = 'A pot has 2 onions.\nCook 1 faces up and holds nothing.\nCook 2 faces right and holds an onion.';
    const share = async (expected: string) => ((await turn({ Expect: expected }, kitchen)).result['predicted'] as { right: number }).right;
    expect(await share('Cook 2 faces up and holds nothing')).toBe(0);
    expect(await share('Cook 2 does not hold an onion')).toBe(0);
    expect(await share('A pot has 3 onions')).toBe(0);
    expect(await share('Cook 2 will face right and hold an onion')).toBe(1);
    expect(await share('Cook 2 holds an onion')).toBe(1);
  });

  it('measures novelty as one over the square root of visits', async () => {
    let kept: Json = {};
    const novelties: Json[] = [];
    for (const observed of ['a room', 'a room', 'a hall', 'a room', 'a room']) {
      const { result } = await run({ off: ['slow', 'think'], curiosity: true, observed, memory: kept }, ['Answer: x']);
      kept = result['memory'] as Json;
      novelties.push(result['novelty'] as Json);
    }
    expect(novelties.map((novelty) => Number((novelty as number).toFixed(4)))).toEqual([
      1,
      Number(Math.SQRT1_2.toFixed(4)),
      1,
      0.5774,
      0.5,
    ]);
  });
});

describe('speech', () => {
  it('names one of the choices or none', () => {
    expect(answerIn('I would take [10].', ['[1]', '[10]'])).toBe('[10]');
    expect(answerIn('Answer: [1]\nNot [10].', ['[1]', '[10]'])).toBe('[1]');
    expect(answerIn('[1] or [10]', ['[1]', '[10]'])).toBeNull();
    expect(answerIn('I bet all', ['bet', 'bet all'])).toBe('bet all');
    expect(answerIn('alphabet', ['bet'])).toBeNull();
    expect(answerIn('Let me see.\n**Answer:** Walk lake.', ['[walk lake]', '[climb]'])).toBe('[walk lake]');
    expect(answerIn('Answer: .', ['[.]', '[climb]'])).toBeNull();
  });

  it('is the whole answer if it has no labels and there are no choices', () => {
    expect(answerIn('  forty two ', [])).toBe('forty two');
    expect(answerIn('Progress: no', [])).toBeNull();
    expect(lineIn('**Answer:** yes', 'answer')).toBe('yes');
  });
});

describe('discussion task', () => {
  it.each([
    [{ members: [] }, /1 to 16 different names/],
    [{ members: ['a', 'a'] }, /different names/],
    [{ members: ['a'], lead: 'b' }, /must be one of a/],
    [{ members: ['a'], links: [['a', 'b']] }, /must be pairs/],
    [{ members: ['a'], knowledge: { b: 'x' } }, /discussion: "knowledge" names "b", who is not/],
    [{ choices: 'yes' }, /must be a list/],
  ])('%j is rejected with a readable error', (task, why) => {
    expect(() => discussion.task(task as Json)).toThrow(why);
  });
});
