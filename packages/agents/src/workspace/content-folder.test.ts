/** @file Folders of content as environments: their tasks, their proofs, and the location of problems. */

import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentEnvironment, ContentProblem } from '@ludus-agents/environments/internal/content/content';
import type { FeedUser } from '@ludus-agents/environments/internal/recommender/feed';
import type { FeedPeople } from '@ludus-agents/environments/internal/recommender/people';
import { type EndEvent, isFault, type Json, rng, type Script, scripted, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { probeBackend } from '../sandbox/backends.ts';
import { openShell } from '../sandbox/shell.ts';
import { shellAgent } from '../shell.ts';
import { loadContentFolder } from './content-folder.ts';
import { resolveEnvironment } from './environments.ts';
import { Trust } from './trust.ts';

const examples = join(import.meta.dirname, '../../../../examples/worlds');
const load = (name: string, cwd = examples) => loadContentFolder(`./${name}`, { cwd, trust: Trust.commandLine });

/** A copy of an example with some files changed by replacements. */
function changed(name: string, changes: Readonly<Record<string, readonly [string, string]>>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-content-'));
  cpSync(join(examples, name), join(cwd, name), { recursive: true });
  for (const [file, [before, after]] of Object.entries(changes)) {
    const path = join(cwd, name, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(before);
    writeFileSync(path, text.replace(before, after));
  }
  return cwd;
}

async function problemsOf(name: string, changes: Readonly<Record<string, readonly [string, string]>>): Promise<readonly ContentProblem[]> {
  try {
    await load(name, changed(name, changes));
  } catch (thrown) {
    if (isFault(thrown) && thrown.code === 'E_CONTENT') return thrown.details['problems'] as readonly ContentProblem[];
    throw thrown;
  }
  return [];
}

/** Mean returns and measures of scripts on their seats. */
async function playScripts(environment: ContentEnvironment, cast: Readonly<Record<string, string>>, games: number, task: Json = {}) {
  const scripts = environment.scripts as Readonly<Record<string, Script>>;
  const policies = Object.fromEntries(Object.entries(cast).map(([seat, name]) => [seat, scriptedPolicy(name, scripts[name]!)]));
  const logs = await rollout(environment, policies, { seeds: Array.from({ length: games }, (_, i) => i + 1), task });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const notes = logs.map((log) => {
    const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0);
    return (note as unknown as { data: { measures: Record<string, number> } }).data.measures;
  });
  const ends = logs.map((log) => log.at(-1) as EndEvent);
  expect(ends.every(({ reason }) => reason === 'over')).toBe(true);
  return {
    returned: (seat: string) => mean(ends.map(({ returns }) => returns[seat]!)),
    measured: (name: string) => mean(notes.map((note) => note[name]!)),
  };
}

describe('content folder', () => {
  it.each([
    'bread',
    'clinic-rota',
    'reader-tastes',
    'station',
    'harbor',
    'workshop',
    'helpline',
    'vet',
    'radio',
    'podcasts',
    'museum',
    'bakery',
  ])('%s is an environment whose tasks include the content', async (name) => {
    const environment = (await resolveEnvironment(`./${name}`, examples, Trust.commandLine)) as ContentEnvironment;
    expect(environment.proofs.length).toBeGreaterThan(0);
    const task = environment.task({}) as Json;
    // A task that was read is read again without the folder, by the built-in environment.
    const builtIn = await resolveEnvironment(environment.id.split('@')[0]!, examples, Trust.commandLine);
    expect(builtIn.task(task)).toEqual(task);
    expect(builtIn.start(builtIn.task(task), rng(1)).asks.length).toBeGreaterThan(0);
  });

  it.each([
    ['bread', 'material', 'students', ['Mira', 'Olu', 'Tom', 'Jin', 'Ada']],
    ['workshop', 'blueprints', null, ['arch', 'bench', 'post']],
  ] as const)('plays one item of %s in each case', async (name, field, list, ids) => {
    const environment = (await resolveEnvironment(`./${name}`, examples, Trust.commandLine)) as ContentEnvironment;
    expect(environment.cases.map((item) => (item as { case: string }).case)).toEqual(ids);
    for (const item of environment.cases) {
      const content = (environment.task(item) as Record<string, never>)[field];
      expect(list === null ? content : content?.[list]).toHaveLength(1);
    }
  });

  it('asks one question of station in each case, and lists the same answers in all', async () => {
    const station = await load('station');
    const starts = station.cases.map((item) => station.start(station.task({ ...(item as object), team: false } as Json), rng(1)));
    expect(new Set(starts.map(({ messages }) => messages[0]!.text)).size).toBe(6);
    expect(new Set(starts.map(({ asks }) => JSON.stringify(asks))).size).toBe(1);
    expect(() => station.task({ question: 7 })).toThrow(/there are 6 questions/);
    const cwd = changed('station', { 'questions.json': ['"ask": "Who leads', '"id": "lead", "held": true, "ask": "Who leads'] });
    expect((await load('station', cwd)).heldOut).toEqual([{ case: 'lead' }]);
  });

  it('reads an answer of a CSV file that is a number', async () => {
    const harbor = await load('harbor');
    expect(harbor.task({ case: 'h4' })).toMatchObject({ question: 4, questions: { 3: { answer: '1887' } } });
    expect(harbor.heldOut).toHaveLength(5);
  });

  it('reports every problem with its file and line', async () => {
    const problems = await problemsOf('bread', {
      'questions.csv': ['g1,gluten', 'y1,glutten'],
      'concepts.json': ['"needs": ["gluten"]', '"needs": ["glue"]'],
    });
    expect(problems.map(({ file, line }) => `${file}:${line}`).sort()).toEqual(['concepts.json:13', 'questions.csv:5', 'questions.csv:5']);
  });

  it('names the line of invalid JSON, an unknown field, and an unsupported environment', async () => {
    expect(await problemsOf('bread', { 'students.json': ['"Short answers."', '"Short answers.'] })).toMatchObject([
      { file: 'students.json', line: 3 },
    ]);
    expect(await problemsOf('bread', { 'questions.csv': ['g1,gluten,', 'g1,'] })).toMatchObject([
      { file: 'questions.csv', line: 5, message: expect.stringMatching(/^this line has 5 cells/) },
    ]);
    expect(await problemsOf('bread', { 'concepts.json': ['"cues": ["rise"', '"clues": ["rise"'] })).toMatchObject([
      { file: 'concepts.json', line: 17 },
    ]);
    expect(await problemsOf('bread', { 'world.json': ['"lesson"', '"chess"'] })).toMatchObject([{ file: 'world.json', line: 2 }]);
    expect(await problemsOf('bread', { 'world.json': ['"turns": 8', '"turnz": 8'] })).toMatchObject([{ file: 'world.json', line: 4 }]);
  });
});

describe('lesson content', () => {
  it('rewards a tutor that diagnoses first more than one that ends at once', async () => {
    const bread = await load('bread');
    const diagnose = await playScripts(bread, { tutor: 'diagnose', student: 'student' }, 60);
    const absent = await playScripts(bread, { tutor: 'absent', student: 'student' }, 60);
    expect(diagnose.measured('gain')).toBeGreaterThan(absent.measured('gain') + 0.25);
    expect(diagnose.measured('estimateError')).toBeLessThan(absent.measured('estimateError') - 0.05);
  });

  it('rejects a quiz question answered by an explanation', async () => {
    const [problem] = await problemsOf('bread', {
      'concepts.json': ['Hot water kills it.', 'In hot water it turns out that yeast is dead.'],
    });
    expect(problem).toMatchObject({ file: 'questions.csv', line: 4 });
  });
});

describe('private-facts decision content', () => {
  it('scores discretion as right and private, openness as leaky, and silence as wrong', async () => {
    const rota = await load('clinic-rota');
    const all = (name: string) => ({ rosa: name, karim: name, lena: name });
    const [discreet, open, silent] = await Promise.all(['discreet', 'open', 'silent'].map((name) => playScripts(rota, all(name), 12)));
    expect([discreet!.measured('success'), discreet!.measured('leak')]).toEqual([1, 0]);
    expect([open!.measured('success'), open!.measured('leak') > 0.5]).toEqual([1, true]);
    // Silent parties vote at random among what they know to be open.
    expect([silent!.measured('success') < 0.3, silent!.measured('leak')]).toEqual([true, 0]);
  });

  it('rejects a decision that one party can make alone, or that stays undecided', async () => {
    expect(
      await problemsOf('clinic-rota', {
        'facts.csv': [
          'rosa,I am at a course for most of that week.,rosa-week',
          'rosa,I am at a course for most of that week.,rosa-week|split|close',
        ],
      }),
    ).toMatchObject([{ file: 'parties.json' }]);
    expect(await problemsOf('clinic-rota', { 'facts.csv': ['for a locum.,locum', 'for a locum.,split'] })).toMatchObject([
      { file: 'options.json', message: expect.stringContaining('case "holiday"') },
      { file: 'options.json', message: expect.stringContaining('case "autumn"') },
    ]);
  });

  it('has cases with different right options, so that no answer can be memorized', async () => {
    const rota = await load('clinic-rota');
    expect(rota.cases).toEqual([{ case: 'holiday' }, { case: 'spring' }, { case: 'autumn' }]);
    const ends = await Promise.all(
      rota.cases.map((task) => playScripts(rota, { rosa: 'discreet', karim: 'discreet', lena: 'discreet' }, 1, task)),
    );
    expect(ends.map(({ measured }) => measured('success'))).toEqual([1, 1, 1]);
    expect(rota.proofs.join(' ')).toContain('3 options are right in some case');
  });

  it('measures beliefs about which facts are private', async () => {
    const rota = await load('clinic-rota');
    const played = await playScripts(rota, { rosa: 'discreet', karim: 'silent', lena: 'open' }, 1, { probe: true });
    expect(played.measured('beliefs')).toBe(1);
  });
});

describe('user preference content', () => {
  it('is answered better from a selective profile, and at chance from an empty one', async () => {
    const tastes = await load('reader-tastes');
    const means = await Promise.all(['selective', 'noter', 'blank'].map((writer) => playScripts(tastes, { writer, reader: 'reader' }, 80)));
    const [selective, noter, blank] = means.map(({ returned }) => returned('writer'));
    expect(selective).toBeGreaterThan(noter! + 0.02);
    expect(noter).toBeGreaterThan(blank! + 0.1);
    expect(blank).toBeLessThan(0.6);
  });

  it('rejects a sentence that names the answer', async () => {
    const [problem] = await problemsOf('reader-tastes', { 'topics.json': ['Bows make me nervous.', 'Wrap it in plain paper.'] });
    expect(problem).toMatchObject({ file: 'topics.json', line: 38 });
  });
});

describe('document library content', () => {
  it('rewards supported claims, and not claims with wrong citations', async () => {
    const station = await load('station', changed('station', { 'world.json': ['"team": true', '"report": true'] }));
    const played = await playScripts(station, { reader: 'researcher' }, 6);
    expect(played.measured('precision')).toBe(1);
    expect(played.returned('reader')).toBeGreaterThan(0.6);
    const fabricate = scriptedPolicy('fabricate', () => ({
      text: '# Power\nTurbine South broke in the storm of 2021 (water.md).\n# Food\nThe cook keeps ninety goats (people.md).',
    }));
    const [log] = await rollout(station, { reader: fabricate }, { seeds: [1], task: {} });
    expect((log!.at(-1) as EndEvent).returns['reader']).toBe(0);
  });

  it('rejects answers and claims that the cited documents do not contain', async () => {
    const problems = await problemsOf('station', { 'questions.json': ['"nine days"', '"ten days"'] });
    expect(problems).toMatchObject([{ file: 'questions.json', line: 8 }]);
    expect(await problemsOf('station', { 'questions.json': ['Boreholes reach 25 meters', 'Boreholes reach 52 meters'] })).toMatchObject([
      { line: 20 },
    ]);
  });
});

describe('blueprint content', () => {
  it('can be built from the drawing, and repaired with feedback only', async () => {
    const workshop = await load('workshop');
    for (const script of ['mason', 'repairer'])
      expect((await playScripts(workshop, { builder: script }, 6)).returned('builder')).toBeGreaterThan(0.99);
    const blind = await playScripts(workshop, { builder: 'repairer' }, 3, { feedback: false });
    expect(blind.returned('builder')).toBeLessThan(0.5);
  });

  it('rejects floating blocks and malformed rows', async () => {
    const [floating] = await problemsOf('workshop', { 'blueprints/bench.txt': ['S.S', '...'] });
    expect(floating).toMatchObject({ file: 'blueprints/bench.txt' });
    expect(await problemsOf('workshop', { 'blueprints/arch.txt': ['WWW', 'WXW'] })).toMatchObject([
      { file: 'blueprints/arch.txt', line: 6 },
    ]);
  });
});

describe('support seeker content', () => {
  it('rewards a supporter that detects the stage over one that ignores stages', async () => {
    const helpline = await load('helpline');
    const detecting = await playScripts(helpline, { supporter: 'detecting', seeker: 'seeker' }, 20);
    const stageless = await playScripts(helpline, { supporter: 'stageless', seeker: 'seeker' }, 20);
    expect(detecting.measured('stages')).toBeGreaterThan(0.9);
    expect(detecting.measured('stageF1')).toBeGreaterThan(stageless.measured('stageF1') + 0.3);
    expect(detecting.returned('supporter')).toBeGreaterThan(stageless.returned('supporter') + 0.1);
  });

  it('rejects messages that name the emotion', async () => {
    const [problem] = await problemsOf('helpline', { 'seekers.csv': ['My heart pounds when I hear steps.', 'I feel fear.'] });
    expect(problem).toMatchObject({ file: 'seekers.csv', line: 6 });
  });
});

describe('consultation content', () => {
  it('rewards a therapist that listens until one condition fits', async () => {
    const vet = await load('vet');
    const [differential, deaf] = await Promise.all(
      ['differential', 'deaf'].map((therapist) => playScripts(vet, { therapist, patient: 'patient' }, 30)),
    );
    expect(differential!.measured('diagnosis')).toBe(1);
    expect(differential!.returned('patient')).toBeGreaterThan(deaf!.returned('patient') + 0.4);
    expect([differential!.measured('conveyed') > 0.6, deaf!.measured('conveyed')]).toEqual([true, 0]);
  });

  it('rejects symptoms that cannot be distinguished', async () => {
    const [problem] = await problemsOf('vet', {
      'symptoms.csv': ['She sits under the bed all day.', 'She sits by her bowl under the bed.'],
    });
    expect(problem).toMatchObject({ file: 'symptoms.csv', line: 8 });
  });
});

describe('feed user content', () => {
  it('keeps held-out users longer with a profiling recommender than with a mistaken one', async () => {
    const radio = await load('radio');
    expect([radio.cases, radio.heldOut]).toEqual([[{ case: 'train' }], [{ case: 'held-out' }]]);
    const means = await Promise.all(
      ['profiling', 'mistaken'].map((recommender) => playScripts(radio, { recommender, user: 'user' }, 30, { case: 'held-out' })),
    );
    expect(means[0]!.measured('kept')).toBeGreaterThan(means[1]!.measured('kept') + 0.1);
  });

  it('infers users and simulators from clicks, and drops simulators that predict later clicks worse', async () => {
    const podcasts = await load('podcasts');
    const { people } = podcasts.task({}) as unknown as { people: FeedPeople };
    // The clicks were made by users who tire by genre, a quarter of their interest per showing.
    expect(people.simulators!.map(({ id, fits }) => [id, fits])).toEqual([
      ...['genre 0.3', 'genre 0.4', 'genre 0.2', 'genre 0.1'].map((id) => [id, true]),
      ...['global 0.4', 'global 0.2', 'global 0.3', 'global 0.1', 'tireless'].map((id) => [id, false]),
    ]);
    expect(people.simulators!.filter(({ heldOut }) => heldOut).map(({ id }) => id)).toEqual(['genre 0.3']);
    expect(podcasts.proofs.join(' ')).toMatch(/4 of 9 simulators reproduce .* Dropped, .*tireless 0\.77 \(0\.05 to 0\.19 less\)/);
    const meet = (task: Json) => {
      const starts = Array.from({ length: 60 }, (_, i) => podcasts.start(podcasts.task(task), rng(i)));
      return new Set(starts.map(({ state }) => (state as unknown as { user: FeedUser }).user.simulator));
    };
    expect(meet({ case: 'held-out' })).toEqual(new Set([0]));
    expect(meet({ case: 'train' })).toEqual(new Set([1, 2, 3]));
    expect(meet({ case: 'train', filter: false }).size).toBe(8);
  });

  it('tells the recommender what clicks say about a user it has not met', async () => {
    const podcasts = await load('podcasts');
    const task = { case: 'held-out', infer: 'clicks' };
    const { measured } = await playScripts(podcasts, { recommender: 'rotating', user: 'user' }, 40, task);
    expect(measured('inferred')).toBeGreaterThan(0.75);
  });

  it('rejects interactions of unknown users and items, users without clicks, and clicks that no simulator reproduces', async () => {
    expect(await problemsOf('podcasts', { 'interactions.csv': ['amara,1,ne04', 'nobody,1,zz'] })).toMatchObject([
      { file: 'interactions.csv', line: 2, message: expect.stringContaining('"nobody"') },
      { file: 'interactions.csv', line: 2, message: expect.stringContaining('"zz"') },
    ]);
    expect(await problemsOf('podcasts', { 'users.csv': ['nils,60,true', 'nils,60,true\nzoe,30,false'] })).toMatchObject([
      { file: 'users.csv', line: 16, message: expect.stringContaining('0 lists') },
    ]);
    expect(await problemsOf('podcasts', { 'interactions.csv': ['item,clicked', 'item,click'] })).toMatchObject([
      { file: 'interactions.csv', line: 2, message: expect.stringMatching(/clicked .* missing; the same on 587 other lines$/) },
    ]);
    const clicks = readFileSync(join(examples, 'podcasts/interactions.csv'), 'utf8');
    const dice = rng(1);
    const noise = clicks.replace(/[01]$/gm, () => String(dice.int(2)));
    expect(await problemsOf('podcasts', { 'interactions.csv': [clicks, noise] })).toMatchObject([
      { message: expect.stringContaining('no simulator reproduces') },
    ]);
  });

  it('rejects an interest out of range', async () => {
    expect(await problemsOf('radio', { 'users.csv': ['0.9,0.2,0.3', '9,0.2,0.3'] })).toMatchObject([{ file: 'users.csv', line: 2 }]);
  });
});

describe('website content', () => {
  it('is solved by demonstrations in every observation format, but not by ending at once', async () => {
    const museum = await load('museum');
    for (const { case: id } of [...museum.cases, ...museum.heldOut] as { case: string }[]) {
      for (const sight of ['tree', 'text', 'list', 'graph'])
        expect(
          (await playScripts(museum, { agent: 'solver' }, 1, { case: id, sight, candidates: 0 })).returned('agent'),
          `${id} ${sight}`,
        ).toBe(1);
      const instructed = await playScripts(museum, { agent: 'solver', instructor: 'instructor' }, 1, {
        case: id,
        instructor: true,
        candidates: 0,
        sight: 'list',
      });
      expect([instructed.returned('agent'), instructed.measured('intent')], id).toEqual([1, 1]);
      expect((await playScripts(museum, { agent: 'idle' }, 1, { case: id })).returned('agent')).toBe(0);
    }
  });

  it('reports how often a judge agrees with the rules', async () => {
    const museum = await load('museum');
    const task = { case: 'saturday', judge: true };
    const wrong = scriptedPolicy('wrong', () => ({ text: '[answer The last tour starts at 18:00 and costs 16 euros.]' }));
    for (const [name, returned, agreement] of [
      ['judge', 0, 1],
      ['lenient', 1, 0.5],
    ] as const) {
      const judge = scriptedPolicy(name, (museum.scripts as Readonly<Record<string, Script>>)[name]!);
      const [log] = await rollout(museum, { agent: wrong, judge }, { seeds: [1], task });
      const note = log!.findLast((event) => event.kind === 'message' && event.to.length === 0) as unknown as {
        data: { measures: Record<string, number> };
      };
      expect([(log!.at(-1) as EndEvent).returns['agent'], note.data.measures['agreement']]).toEqual([returned, agreement]);
    }
  });

  it('rejects dead links, stray controls, failing demonstrations, and ungraded tasks', async () => {
    expect(await problemsOf('museum', { 'pages/hours.html': ['href="visit.html"', 'href="visits.html"'] })).toMatchObject([
      { file: 'pages/hours.html', line: 5 },
    ]);
    expect(await problemsOf('museum', { 'pages/thanks.html': ['<p>We have', '<input name="x"><p>We have'] })).toMatchObject([
      { file: 'pages/thanks.html', line: 7 },
    ]);
    expect(await problemsOf('museum', { 'tasks.json': ['"people": "4"', '"people": "5"'] })).toMatchObject([
      { file: 'tasks.json', line: 14 },
    ]);
    expect(await problemsOf('museum', { 'tasks.json': ['"answer": "Rosa Feldt",', ''] })).toMatchObject([{ file: 'tasks.json', line: 2 }]);
  });
});

describe('repository content', () => {
  it('rejects a command without a seed, a missing program, and questions without output', async () => {
    expect(await problemsOf('bakery', { 'study.json': [' --seed {seed}', ''] })).toMatchObject([{ file: 'study.json', line: 1 }]);
    expect(await problemsOf('bakery', { 'study.json': ['simulate.py', 'simulation.py'] })).toMatchObject([{ file: 'study.json', line: 1 }]);
    expect(await problemsOf('bakery', { 'questions.csv': [',mean wait with two counters', ',zzz'] })).toMatchObject([
      { file: 'questions.csv', line: 3 },
    ]);
  });

  it('is reproduced in its language in a real shell', async ({ skip }) => {
    const shell = shellAgent('shell', 'bubblewrap');
    if (!(await probeBackend({ backend: 'python' })).ok) skip('no Python inside bubblewrap here');
    const bakery = await load('bakery', changed('bakery', { 'repository/simulate.py': ['40000', '2000'] }));
    const { reproducer } = bakery.scripts as Readonly<Record<string, Script>>;
    const events = [];
    for await (const event of play(
      bakery,
      { researcher: scripted('researcher', reproducer!), shell },
      { seed: 3, task: { case: 'medium', runs: 3 } },
    ))
      events.push(event);
    const texts = events.flatMap((event) => (event.kind === 'message' ? [event.text] : []));
    expect(texts.join('\n')).toContain('mean wait with one counter: ');
    expect(texts.some((text) => text.includes('without network'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ reason: 'over' });
  });

  it('runs in a shell that keeps text files and has no network or other files', async ({ skip }) => {
    if (!(await probeBackend({ backend: 'python' })).ok) skip('no bubblewrap here');
    const { run } = await openShell({ kind: 'bubblewrap' });
    const written = await run(
      { 'a/b.txt': "it's\n" },
      'cat a/b.txt | tr a-z A-Z > c.txt; cat /etc/passwd /etc/hostname 2>/dev/null; exit 3',
    );
    expect(written).toEqual({ out: '', code: 3, files: { 'a/b.txt': "it's\n", 'c.txt': "IT'S\n" } });
    const { code } = await run({}, 'python3 -c "import socket; socket.create_connection((\'192.0.2.1\', 80), 2)"');
    expect(code).not.toBe(0);
  });
});
