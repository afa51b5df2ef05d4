import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { canonical, type EpisodeEvent, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import type { BlindText, HomeShown } from '../api.ts';
import { episodeStream } from '../event-stream.ts';
import { Notifier } from '../live-episodes.ts';
import { type Opened, openStudio, watch } from '../studio.cases.ts';

let studio: Opened;

afterEach(() => studio?.close());

describe('pictures', () => {
  it.each([
    ...['kuhn-poker', 'leduc', 'tic-tac-toe', 'connect-four', 'dilemma', 'commons', 'quest-world'],
    ...['maze', 'pathfinding', 'minesweeper', 'wordle', 'tutor', 'debate', 'recommender', 'guess-my-city'],
  ])('of %s are the same whenever a seat has the same knowledge', async (name) => {
    const environment = await builtInEnvironment(name);
    const { Course } = await import('@ludus-agents/kernel/internal/engine/course');
    const { pictureOf } = await import('../pictures/index.ts');
    const { createAgent } = await import('@ludus-agents/agents/internal/kinds');
    const tasks: readonly Json[] = {
      'kuhn-poker': [{ rounds: 3 }],
      'quest-world': [{ rooms: 4 }, { coop: true }],
      maze: [{ sight: 'place' }, { sight: 'walls' }],
      pathfinding: [{ radius: 1, steps: 20 }],
      tutor: [{}, { mode: 'budget', ahead: false }],
    }[name] ?? [{}];
    const sample = new Map<string, string>();
    let states = 0;
    for (const input of tasks)
      for (let seed = 0; seed < 12; seed++) {
        const task = environment.task(input) as Json;
        const seats = environment.seats(task);
        const agents = Object.fromEntries(
          await Promise.all(seats.map(async (seat) => [seat, await createAgent('random', seat, environment)] as const)),
        );
        const course = new Course(
          environment,
          { kind: 'start', environment: environment.id, task, seed, seats, cast: {} },
          { freeze: false },
        );
        for await (const event of play(environment, agents, { task, seed, limits: { turns: 60 } })) {
          if (event.kind === 'action') course.answer(event.seat, { action: event.action });
          if (event.kind !== 'turn' && event.kind !== 'end') continue;
          for (const seat of seats) {
            const knows = environment.knows?.(course.state, seat) ?? null;
            const key = canonical([input, seat, knows]);
            const picture = canonical(pictureOf(environment.id, course.state, { seat, seats, knows, choices: [] }) as unknown as Json);
            expect(sample.get(key) ?? picture).toBe(picture);
            sample.set(key, picture);
            states++;
          }
          expect(pictureOf(environment.id, course.state, { seat: null, seats, knows: null, choices: [] })).not.toBeNull();
        }
      }
    expect(states).toBeGreaterThan(20);
  });
});

describe('a text to review', () => {
  it('shows every message once, even if it is repeated to other seats', async () => {
    studio = await openStudio();
    expect((await studio.get('/api/reviews?by=me')).body).toMatchObject({ waiting: 0, looked: 0, isMore: false, queue: [] });
    const plan = readPlan({ name: 'talk', environments: ['chat'], seeds: 1, casts: [{ '*': 'scripted' }] });
    await run(plan, { store: studio.store, agent: createAgent, environment: builtInEnvironment });
    const [episode] = await studio.store.episodes({ run: 'talk' });
    const { lines } = (await studio.get(`/api/reviews/text/${episode!.id}`)).body as unknown as BlindText;
    const statements = (await studio.store.events(episode!.id)).flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
    expect(statements.length).toBeGreaterThan(2);
    // Whom a private message was for; what every seat heard was for nobody in particular.
    expect(lines[0]?.to).toEqual(['character']);
    expect(lines.flatMap(({ who, to }) => (who === '' ? [] : to))).toEqual([]);
    expect(lines.filter(({ who }) => who !== '').map(({ text }) => text)).toEqual(statements);
  });

  it('shows the words of a move that speaks, not the move and then its words', async () => {
    studio = await openStudio();
    const plan = readPlan({ name: 'scene', environments: ['social-scene'], seeds: 1, casts: [{ '*': 'scripted' }] });
    await run(plan, { store: studio.store, agent: createAgent, environment: builtInEnvironment });
    const [episode] = await studio.store.episodes({ run: 'scene' });
    const { lines } = (await studio.get(`/api/reviews/text/${episode!.id}`)).body as unknown as BlindText;
    const spoken = (await studio.store.events(episode!.id)).flatMap((event) =>
      event.kind === 'action' ? [event.action.text.replace(/^\[speak "(.*)"\]$/, '$1')] : [],
    );
    expect(spoken.some((text) => !text.startsWith('['))).toBe(true);
    expect(lines.filter(({ who }) => who !== '').map(({ text }) => text)).toEqual(spoken);
  });
});

describe('the home page', () => {
  it('starts every demonstration without a key and shows its result', async () => {
    studio = await openStudio();
    const { demos } = (await studio.get('/api/home')).body as unknown as HomeShown;
    for (const { id } of demos) expect((await studio.post(`/api/demos/${id}`)).status, id).toBe(200);
    const first = (await studio.get('/api/home')).body as unknown as HomeShown;
    expect(first.running.filter(({ episode }) => episode !== undefined).length).toBe(2);
    const { runs } = await until(
      async () => (await studio.get('/api/home')).body as unknown as HomeShown,
      ({ running }) => running.every(({ run }) => run === undefined),
    );
    expect(runs.map(({ id }) => id.split('-')[0]).sort()).toEqual(['arena', 'service']);
    // By the scores that came after the episodes, not by their returns.
    expect(runs.find(({ id }) => id.startsWith('service'))?.verdict).toContain('random, has 22.2');
    for (const run of runs) {
      expect(run.verdict).toMatch(/has (?:the highest|a) mean.* \(95% .* to .*\)/);
      expect(run.cost).toBe(0);
      expect(run.returns.length).toBeGreaterThan(1);
    }
  });

  it('reports a tie if all agents have the same mean', async () => {
    studio = await openStudio();
    const casts = [{ '*': 'random' }, { '*': 'scripted' }];
    const plan = readPlan({ name: 'even', environments: ['kuhn-poker'], seeds: 2, casts });
    await run(plan, { store: studio.store, agent: createAgent, environment: builtInEnvironment });
    const { runs } = (await studio.get('/api/home')).body as unknown as HomeShown;
    // An agent that plays itself gets 0 in every episode of a zero-sum game: there is nothing to estimate.
    expect(runs[0]?.verdict).toBe('Both have the same mean, 0.');
  });

  it('ranks no agents with different seats, environments, or no rewards', async () => {
    studio = await openStudio();
    const verdict = async (name: string, input: object) => {
      await run(readPlan({ name, seeds: 2, ...input }), { store: studio.store, agent: createAgent, environment: builtInEnvironment });
      const { runs } = (await studio.get('/api/home')).body as unknown as HomeShown;
      return runs.find(({ id }) => id === name)?.verdict;
    };
    const casts = [{ '*': 'scripted' }];
    const both = [{ '*': 'random' }, ...casts];
    expect(await verdict('two', { environments: ['kuhn-poker', 'tic-tac-toe'], casts: both })).toBe(
      'Agents had different seats. Open the run for the mean of each.',
    );
    const apart = [{ first: 'random', second: 'scripted' }];
    expect(await verdict('apart', { environments: ['kuhn-poker'], casts: apart })).toMatch('Agents had different seats');
    expect(await verdict('talk', { environments: ['chat'], casts })).toMatch(/^Nothing was scored: \d+ episodes without a reward/);
  });

  it('refreshes a count that missed the last episodes of a run', async () => {
    studio = await openStudio();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const log: readonly EpisodeEvent[] = [
      { kind: 'start', environment: 'dilemma@1', task: {}, seed: 0, seats: ['first'], cast: { first: 'x' } },
      { kind: 'end', reason: 'over', returns: { first: 1 }, penalties: {}, turns: 0 },
    ];
    await studio.store.putRun({ id: 'short', plan: { name: 'short', environments: [], seeds: [], casts: [] }, episodes: 3 });
    const endedAfter = async (episode: string) => {
      await studio.store.append(episode, 0, log, 'short');
      return ((await studio.get('/api/home')).body as unknown as HomeShown).runs[0]?.ended;
    };
    // The second is counted when the first count is old enough: by then the newest episodes are the same as at the look before.
    expect([await endedAfter('a'), await endedAfter('b')]).toEqual([1, 1]);
    now = 60_000;
    expect(((await studio.get('/api/home')).body as unknown as HomeShown).runs[0]?.ended).toBe(2);
  });
});

describe('a slow reader', () => {
  const start = { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['user'], cast: { user: 'somebody' } } as const;
  const said = (i: number): EpisodeEvent => ({ kind: 'message', to: ['user'], text: `${i} ${'x'.repeat(400)}` });

  it('is not read for: the store is left alone until previous events are consumed', async () => {
    studio = await openStudio();
    const notifier = new Notifier();
    let reads = 0;
    const counted: Store = Object.create(studio.store, {
      events: {
        value: (...inputs: [string, number?]) => {
          reads++;
          return studio.store.events(...inputs);
        },
      },
    });
    const append = (index: number, event: EpisodeEvent) => studio.store.append('slow', index, [event]).then(() => notifier.ring('slow'));
    await append(0, start);
    const reader = episodeStream({
      store: counted,
      notifier,
      episode: 'slow',
      seat: null,
      after: -1,
      environment: null,
      isAdmitted: () => true,
    }).getReader();
    for (let i = 1; i <= 200; i++) await append(i, said(i));
    expect(reads).toBeLessThan(4);
    await append(201, { kind: 'end', reason: 'abort', returns: {}, penalties: {}, turns: 0 });
    let got = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read())
      got += new TextDecoder().decode(part.value).match(/^data: /gm)?.length ?? 0;
    expect(got).toBe(202);
  });

  it('receives all of ten thousand events in small pieces', async () => {
    studio = await openStudio();
    const events: EpisodeEvent[] = [start, ...Array.from({ length: 10_000 }, (_, i) => said(i))];
    events.push({ kind: 'end', reason: 'abort', returns: {}, penalties: {}, turns: 0 });
    await studio.store.append('long', 0, events);
    const stream = episodeStream({
      store: studio.store,
      notifier: new Notifier(),
      episode: 'long',
      seat: null,
      after: -1,
      environment: null,
      isAdmitted: () => true,
    });
    let largest = 0;
    for await (const piece of stream) largest = Math.max(largest, piece.length);
    expect(largest).toBeLessThan(64 * 600);
    expect((await watch(studio, '/api/episodes/long/stream')).shown.map(({ index }) => index)).toEqual(events.map((_, i) => i));
  });
});
