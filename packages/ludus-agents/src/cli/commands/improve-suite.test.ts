/** @file `ludus improve AGENT --on SUITE`: an agent of one's own, on a suite of one's own, without any demonstration. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { type AgentSpec, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { SpecComparison } from '@ludus-agents/learning/internal/improving/compare-specs';
import { readGate } from '@ludus-agents/learning/internal/improving/gate-file';
import { improveRun } from '@ludus-agents/learning/internal/improving/improve';
import { type ExperiencePack, readPack, withPack } from '@ludus-agents/learning/internal/improving/pack';
import { reportEpisodes, type SuiteItem, splitSuite } from '@ludus-agents/learning/internal/improving/suite-trials';
import { randomEdits } from '@ludus-agents/learning/internal/prompts/proposers/random-edits';
import { proposedText } from '@ludus-agents/learning/internal/prompts/proposers/reflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type ScriptedServer, scriptedServer, whole } from '../../../../../test/fixtures/scripted-server.ts';
import { folder, ludus } from '../terminal.cases.ts';

const cwd = folder();
let server: ScriptedServer;

/** A model that does what its instruction says, and folds or checks where it says nothing. */
function obey(prompt: string): string {
  if (prompt.includes('You improve that text')) return `<text>\n${rewritten(/<text>\n(.*?)\n<\/text>/s.exec(prompt)?.[1] ?? '')}\n</text>`;
  const card = /Your card is (\w)/.exec(prompt)?.[1];
  const facing = prompt.includes('Your moves: [fold] [call]') || prompt.includes('Your moves: [call] [fold]');
  if (prompt.includes('Fold every hand.')) return facing ? '[fold]' : '[check]';
  if (facing) return card === 'K' || (card === 'Q' && prompt.includes('Call with a queen.')) ? '[call]' : '[fold]';
  return card === 'K' && prompt.includes('Bet with a king.') ? '[bet]' : '[check]';
}

/** As a critic, the same model drops what loses and adds one rule at a time. */
function rewritten(text: string): string {
  const lines = text.split('\n');
  if (lines.includes('Fold every hand.')) return lines.filter((line) => line !== 'Fold every hand.').join('\n');
  const rule = ['Bet with a king.', 'Call with a queen.'].find((item) => !lines.includes(item));
  return [...lines, rule ?? 'Smile.'].join('\n');
}

beforeAll(async () => {
  server = await scriptedServer((response, observation, socket) => {
    if (!observation.url.endsWith('/chat/completions')) return json(404, {})(response, observation, socket);
    const prompt = (observation.body['messages'] as { content: string }[]).map(({ content }) => content).join('\n');
    return whole(obey(prompt))(response, observation, socket);
  });
  const agent = { name: 'clerk', kind: `llm:${server.url}#m`, texts: { instruction: 'You play for chips.\nFold every hand.' } };
  writeFileSync(join(cwd, 'agent.json'), JSON.stringify(agent));
  const scenes = [{ environment: 'kuhn-poker', seats: ['first', 'second'], others: { '*': 'scripted:bold' }, scale: [-2, 2] }];
  writeFileSync(join(cwd, 'suite.json'), JSON.stringify({ name: 'mine', about: 'poker', nulls: ['random'], scenes }));
  writeFileSync(join(cwd, 'lines.txt'), 'Bet with a king.\nCall with a queen.\n');
});
afterAll(() => server.close());

const improve = (...words: string[]) => ludus(cwd, ['improve', './agent.json', '--on', './suite.json', '--json', ...words]);

interface Line {
  readonly error?: string;
  readonly run: string;
  readonly start: number;
  readonly best: number;
  readonly calls: number;
  readonly gain: { readonly low: number };
  readonly file: string;
}
interface Tree {
  readonly candidates: readonly {
    readonly id: string;
    readonly engine: string;
    readonly change: { readonly set: Readonly<Record<string, string>> } | null;
    readonly select: { readonly mean: number };
    readonly verdicts: readonly { readonly against: string; readonly tasks: number; readonly mean: number }[];
  }[];
}

const lineIn = ({ out }: { readonly out: string }) => JSON.parse(out.trim().split('\n').at(-1) as string) as Line;

describe('a custom agent on a custom suite', () => {
  it('loses its wrong rule, and the winner is saved as a playable file', async () => {
    const words = [
      '--engine',
      'gepa',
      '--proposer',
      `${server.url}#m`,
      '--set',
      'batch=9',
      '--budget',
      '80',
      '--tasks',
      '9,12,24',
      '--seed',
      '3',
    ];
    const outcome = await improve(...words);
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.err).toContain('Proposals, gate and report use different seeds');
    const line = lineIn(outcome);
    expect(line.gain.low).toBeGreaterThan(0);
    expect(line.calls).toBeLessThanOrEqual(80);
    const winner = JSON.parse(readFileSync(join(cwd, line.file), 'utf8')) as AgentSpec;
    expect(winner.name).toMatch(/^.+-improved-[0-9a-f]{6}$/);
    expect(winner.texts?.['instruction']).toContain('You play for chips.');
    expect(winner.texts?.['instruction']).not.toContain('Fold every hand.');
    const played = await ludus(cwd, ['play', 'kuhn-poker', '--agents', `./${line.file},scripted`, '--json']);
    expect(played.code).toBe(0);
    const tree = JSON.parse((await ludus(cwd, ['improve', 'lineage', line.run, '--json'])).out) as Tree;
    expect(tree.candidates.length).toBeGreaterThan(1);
    // What a verdict says is the difference of the scores next to it.
    const scoreOf = (id: string) => tree.candidates.find((candidate) => candidate.id === id)?.select.mean ?? Number.NaN;
    const judged = tree.candidates.flatMap(({ id, engine, verdicts }) =>
      verdicts.flatMap((verdict) => (engine === 'gepa' && verdict.tasks === 12 ? [{ ...verdict, id }] : [])),
    );
    expect(judged.length).toBeGreaterThan(0);
    for (const { id, against, mean } of judged) expect(scoreOf(id) - scoreOf(against)).toBeCloseTo(mean, 10);
    const beside = await ludus(cwd, [
      'compare',
      './agent.json',
      `./${line.file}`,
      '--on',
      './suite.json',
      '--control',
      line.run,
      '--plays',
      '16',
      '--json',
    ]);
    const compared = JSON.parse(beside.out) as SpecComparison;
    expect(compared.gain.mean).toBeGreaterThan(0);
    expect(compared.floors.map(({ name }) => name)).toEqual(['random']);
    expect(compared.control?.episodes).toBe(16);
    expect(compared.words[0]).toMatch(/^On /);
    expect((await ludus(cwd, ['improve', 'lineage', line.run, '--pack', 'pack.json'])).code).toBe(0);
    const pack = readPack(readFileSync(join(cwd, 'pack.json'), 'utf8'), 'pack.json');
    expect(pack.from).toBe(line.run);
    for (const { why, trace } of pack.entries) expect([why.startsWith('accepted'), trace.length > 0]).toEqual([true, true]);
    expect((await ludus(cwd, ['improve', 'lineage', line.run, '--pack', 'pack.json'])).err).toContain('pack.json already exists');
    // What is there is not overwritten, not even by the same run.
    expect(lineIn(await improve(...words)).error).toContain('already exists. Choose another file with -o, or delete it first.');
    const again = await improve(...words, '-o', 'again.json');
    expect(lineIn(again).best).toBe(line.best);
    expect([outcome.err, again.err].map((text) => text.includes('so nothing is played'))).toEqual([false, true]);
    expect(readFileSync(join(cwd, 'again.json'), 'utf8')).toBe(readFileSync(join(cwd, line.file), 'utf8'));
  });

  it('tries lines from a file without a reflecting model', async () => {
    const line = lineIn(await improve('--proposer', './lines.txt', '--budget', '40', '--tasks', '4,4,8', '-o', 'lines.json'));
    const { candidates } = JSON.parse((await ludus(cwd, ['improve', 'lineage', line.run, '--engine', 'gepa', '--json'])).out) as Tree;
    expect(candidates.some(({ change }) => change?.set['instruction']?.includes('Bet with a king.') === true)).toBe(true);
  });

  it('sweeps over settings and texts, and shows the cost of a play', async () => {
    writeFileSync(join(cwd, 'bold.txt'), 'You play for chips.\nBet with a king.\nCall with a queen.\n');
    const tried = ['--try', 'instruction=@bold.txt', '--try', 'maxTokens=40,80'];
    const outcome = await improve('--engine', 'sweep', ...tried, '--budget', '80', '--tasks', '4,12,12', '-o', 'swept.json');
    expect(outcome.code).toBe(0);
    const { costs, gain } = lineIn(outcome) as unknown as { costs: { best: { tokens: number } }; gain: { low: number } };
    expect(costs.best.tokens).toBeGreaterThan(0);
    expect(gain.low).toBeGreaterThan(0);
    const swept = JSON.parse(readFileSync(join(cwd, 'swept.json'), 'utf8')) as AgentSpec;
    expect(swept.texts?.['instruction']).toContain('Bet with a king.');
    expect(swept.settings).toMatchObject({ maxTokens: 40 });
  });

  it.each([
    [['--try', 'temperatur=0,1'], 'Did you mean "temperature"?'],
    [['--try', 'memory=generativ'], 'memory'],
    [['--try', 'temperature'], '--try: expected NAME=VALUE,VALUE'],
    [['--budget', '5 pounds'], '--budget: expected plays, tokens, or dollars'],
    [['--price', 'token=1'], 'Did you mean "tokens"?'],
    [['--gate', 'frugl'], 'Did you mean "frugal"?'],
    [['--saving', 'money'], '"saving" needs the gate "frugal". Pass --gate frugal as'],
  ])('rejects invalid values: %j', async (words, sentence) => {
    const { code, out, err } = await improve('--engine', 'sweep', '--budget', '40', '-o', 'never.json', ...words);
    expect(code).toBe(2);
    expect(out + err).toContain(sentence);
    expect(existsSync(join(cwd, 'never.json'))).toBe(false);
  });

  it('makes no more calls than the token and money budgets allow', async () => {
    const line = lineIn(
      await improve('--proposer', 'random', '--budget', '40', '--tasks', '4,4,8', '--max-total-tokens', '60000', '-o', 'few.json'),
    );
    const { spent } = line as unknown as { spent: Record<string, { tokens: number }> };
    expect(Object.values(spent).reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(60_000);
  });

  it.each([
    [['improve', './agent.json'], 'Choose a suite for ./agent.json: --on SUITE'],
    [['improve', './agent.json', '--on', './nothing.json'], 'nothing.json'],
    [['improve', './agent.json', '--on', './suite.json', '--proposer', 'randm'], 'Did you mean "random"?'],
    [['improve', './agent.json', '--on', './suite.json', '--proposer', 'fak'], 'Did you mean "fake"?'],
    [['improve', './agnt.json', '--on', './suite.json'], '(did you mean "agent.json"?)'],
    [['improve', './agent.json', '--on', './siute.json'], '(did you mean "suite.json"?)'],
    [['improve', './agent.json', '--on', './suite.json', '--proposer', './lnes.txt'], '(did you mean "lines.txt"?)'],
    [['improve', './agent.json', '--on', './suite.json', '--set', 'choose=bset'], 'Did you mean "best"?'],
    [
      ['improve', './agent.json', '--on', './suite.json', '--lock', 'instrution'],
      'to lock. Available: instruction. Did you mean "instruction"?',
    ],
    [['improve', './agent.json', '--on', './suite.json', '--engine', 'gepaa'], 'gepa'],
    [['improve', 'scripted', '--on', './suite.json'], 'has nothing to edit: no texts, notes, persona, or'],
    [['improve', 'instruction-demo', '--on', './suite.json'], 'has built-in tasks. Remove --on.'],
    [['improve', './agent.json', '--on', './suite.json', '--proposer', './none.txt'], 'cannot be read'],
  ])('rejects %j with an explanation', async (words, sentence) => {
    const { code, err } = await ludus(cwd, words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(existsSync(join(cwd, 'none.json'))).toBe(false);
  });

  it('cannot be a program, which has no editable text', async () => {
    writeFileSync(join(cwd, 'program.mjs'), 'export default () => ({ name: "p", act: async () => ({ action: { text: "[bet]" } }) });');
    expect((await ludus(cwd, ['improve', './program.mjs', '--on', './suite.json'])).err).toContain('is a program');
  });
});

describe('the tasks of a suite', () => {
  const tasks = (count: number): Json[] => Array.from({ length: count }, (_, i) => ({ i }));
  const made = (counts: readonly number[]) =>
    suite({
      name: 's',
      about: '',
      nulls: ['random'],
      scenes: counts.map((count, i) => ({ name: `s${i}`, environment: 'e', seats: ['a'], tasks: tasks(count) })),
    });

  it('are split into disjoint parts, and the report has all of them, over 300 seeds', () => {
    for (let seed = 0; seed < 300; seed++) {
      const { propose, select, report } = splitSuite(made([6 + (seed % 20), 7]), seed, { propose: 12, select: 12 });
      for (const scene of [0, 1]) {
        const named = (items: readonly SuiteItem[] | undefined) => (items ?? []).map(({ task }) => JSON.stringify(task));
        const heldOut = (report[scene] ?? []).filter(({ use }) => use === 'held-out');
        const parts = [...named(propose[scene]), ...named(select[scene]), ...named(heldOut)];
        expect(new Set(parts).size).toBe(parts.length);
        expect(parts).toHaveLength(scene === 0 ? 6 + (seed % 20) : 7);
        expect(named(report[scene]).sort()).toEqual(parts.sort());
      }
    }
  });

  it('are held out if proposals and the gate use few, or if nothing is improved', () => {
    const count = (counts: Parameters<typeof splitSuite>[2]) =>
      splitSuite(made([30]), 1, counts).report[0]?.filter(({ use }) => use === 'held-out').length;
    expect([count({ propose: 12, select: 12 }), count({ propose: 3, select: 4 }), count(null)]).toEqual([10, 23, 30]);
  });

  it('are all played in the report, equally often', () => {
    expect(reportEpisodes(made([12]), 48)).toBe(48);
    expect(reportEpisodes(made([10]), 48)).toBe(50);
    expect(reportEpisodes(made([100]), 48)).toBe(100);
    expect(reportEpisodes(made([2, 1]), 48)).toBe(48);
  });

  it('are shared by all splits if a scene has too few', () => {
    const { propose, report } = splitSuite(made([2]), 1, { propose: 12, select: 12 });
    expect(propose[0]).toHaveLength(2);
    expect(report[0]?.map(({ use }) => use)).toEqual(['seeds', 'seeds']);
  });
});

describe('random edits', () => {
  const round = {
    components: ['instruction', 'setting/notes', 'setting/on', 'setting/word'],
    many: 1,
    edits: 1,
    tried: [],
    paid: () => {},
  };
  const spec: AgentSpec = {
    name: 'a',
    kind: 'llm:fake',
    texts: { instruction: 'One.\nTwo.' },
    settings: { notes: 4, on: true, word: 'x' },
  };

  it('change one line or setting at a time, keep the types of settings, and leave the rest alone', async () => {
    const visited = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      const [agentSpec] = await randomEdits()
        .improver({ ...round, rng: rng(seed) })
        .improve(spec, [], new AbortController().signal);
      const { settings = {}, texts = {} } = agentSpec as AgentSpec;
      expect(settings['word']).toBe('x');
      expect([typeof settings['notes'], typeof settings['on']]).toEqual(['number', 'boolean']);
      visited.add(
        settings['notes'] === 4 ? (settings['on'] === true ? (texts['instruction'] === 'One.\nTwo.' ? '' : 'text') : 'on') : 'notes',
      );
    }
    expect([...visited].filter((item) => item !== '').sort()).toEqual(['notes', 'on', 'text']);
  });
});

describe('an experience pack', () => {
  const entry = { component: 'instruction', text: 'Bet with a king.', why: 'accepted: +0.2', gain: 0.2, trace: 'first bets 1.' };
  const pack: ExperiencePack = {
    name: 'p',
    from: 'run',
    entries: [entry, entry, { ...entry, component: 'setting/memory', text: '"off"' }],
  };

  it('becomes memories without duplicates, and changes nothing else in the agent', () => {
    const spec: AgentSpec = { name: 'a', kind: 'llm:m', texts: { instruction: 'x' }, notes: ['One.'] };
    const taught = withPack(spec, pack);
    // The episode's trace is stored with the lesson.
    const example = '\nAn episode with it ended like this: first bets 1.';
    const notes = ['One.', `Bet with a king. (accepted: +0.2)${example}`, `setting/memory: "off" (accepted: +0.2)${example}`];
    // Without a persona an agent recalls nothing by itself.
    expect(taught).toEqual({ ...spec, notes, settings: { memory: 'relevant' } });
    expect(withPack(taught, pack)).toEqual(taught);
  });

  it('is rejected with the name of the error', async () => {
    expect(() => readPack(JSON.stringify({ ...pack, entires: [] }), 'pack.json')).toThrow('did you mean "entries"?');
    expect((await improve('--pack', './none.json')).out).toContain('"code":"E_UNREADABLE_FILE"');
  });
});

describe('a custom gate', () => {
  it('is read from a file, and a typo is rejected with the nearest name', async () => {
    const rule = { errors: 1.645, protect: [0, 3], most: { tokens: 100 } };
    expect(readGate(JSON.stringify(rule), 'gate.json')).toEqual(rule);
    expect(() => readGate('{"errors": 1, "protekt": [0]}', 'gate.json')).toThrow('did you mean "protect"?');
    expect(() => readGate('{"errors": 1, "frugal": {"of": "token", "margin": 0}}', 'gate.json')).toThrow('did you mean "tokens"?');
    expect((await improve('--gate', './none.json')).out).toContain('"code":"E_UNREADABLE_FILE"');
    const { work } = await improveRun(
      { recipe: 'instruction-demo', seed: 1, calls: 9, gate: rule, proposer: 'llm:fake' },
      process.cwd(),
      Trust.commandLine,
    );
    expect([work.gate, work.proposer]).toEqual([rule, 'fake']);
  });
});

describe("the proposed text in a model's answer", () => {
  it.each([
    ['Sure.\n<text>\nA\nB\n</text>', 'A\nB'],
    ['<text>\nA\nB', 'A\nB'],
    ['Here:\n```text\nA\nB\n```', 'A\nB'],
    ['Rule: Fold a jack.', 'old\nFold a jack.'],
    ['<think>hm</think>\n<text>A</text>', 'A'],
    ['{"text": "A\\nB"}', 'A\nB'],
    ['```json\n{"text": "A"}\n```', 'A'],
    ['Answer with the whole new text between <text> and </text>.', null],
    ['I write it between <text> and </text>.\n<text>\nA\n</text>', 'A'],
    ['{"text":"Fold a jack, and then', null],
    ['<think>only thoughts', null],
    ['old', null],
    ['', null],
    ['one\ntwo\nthree', null],
    ['x'.repeat(400), null],
  ])('is extracted from %j', (answer, text) => {
    expect(proposedText(answer, 'old')).toBe(text);
  });
});
