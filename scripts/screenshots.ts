/**
 * @file Pictures of every page of the studio, in light and dark: `npm run pictures -- [folder] [name…]`; the names alone for those of the
 * documentation: `npm run pictures -- docs/images home-light stage-model-light …`.
 *
 * `LUDUS_PICTURES_OF=FOLDER` takes them of the studio in that folder, where someone has talked with a model on the page Chat: `chat` and
 * `stage-model` show what was said there last, and are left out otherwise.
 */

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { townspeople } from '@ludus-agents/societies/internal/town/places';
import type { Page } from 'playwright-core';
import type { RunningStudio } from '../test/browser.ts';
import { bothColours, callStudio, enter, noBrowser, openBrowser, removeFolder, startStudio, studioFolder, visit } from '../test/browser.ts';

interface Shot {
  readonly name: string;
  /** The address after the #, made ready first. */
  place(studio: RunningStudio): Promise<string> | string;
  /** What a person would do before they look. */
  before?(page: Page): Promise<void>;
  readonly phone?: boolean;
  /** Milliseconds to let things happen. */
  readonly wait?: number;
}

async function begin(studio: RunningStudio, path: string, body: unknown = {}): Promise<string> {
  const begun = await callStudio<{ episode?: string; run?: string }>(studio, path, body);
  return (begun.episode ?? begun.run) as string;
}

/** Waits as long as it takes: a busy machine makes no other pictures. */
async function once<T>(studio: RunningStudio, path: string, there: (response: T) => boolean): Promise<void> {
  while (!there(await callStudio<T>(studio, path))) await new Promise((resolve) => setTimeout(resolve, 200));
}

const hasEnded = (studio: RunningStudio, episode: string) =>
  once<{ status: string }>(studio, `/api/episodes/${episode}`, ({ status }) => status !== 'running');

const game =
  (environment: string, cast: object, task: object = {}) =>
  async (studio: RunningStudio) =>
    `/e/${await begin(studio, '/api/play', { environment, cast, task, seed: 3 })}`;

const talkedIn = process.env['LUDUS_PICTURES_OF'];

/** The conversation that was held last in that folder. */
async function conversation(studio: RunningStudio): Promise<string> {
  const chats = await callStudio<readonly { readonly id: string }[]>(studio, '/api/chats');
  if (chats[0] === undefined) throw new Error(`Nobody has talked in ${talkedIn}; "ludus studio" there has a page for it.`);
  return chats[0].id;
}

/** The run of a demonstration, by what its id begins with. */
async function demoRun(studio: RunningStudio, start: string): Promise<string> {
  const runs = await callStudio<readonly { readonly id: string }[]>(studio, '/api/runs');
  return runs.find(({ id }) => id.startsWith(start))?.id ?? '';
}

const shots: readonly Shot[] = [
  { name: 'home', place: () => '/', wait: 1500 },
  { name: 'home-phone', place: () => '/', phone: true },
  { name: 'stage-scene', place: async (studio) => `/e/${await begin(studio, '/api/demos/scene')}`, wait: 9000 },
  { name: 'stage-poker', place: game('kuhn-poker', { first: 'scripted:bold', second: 'scripted:equilibrium' }, { rounds: 5 }) },
  { name: 'stage-connect-four', place: game('connect-four', { X: 'scripted:lookahead', O: 'scripted:lookahead' }) },
  { name: 'stage-dilemma', place: game('dilemma', { first: 'scripted:tit-for-tat', second: 'scripted:random' }) },
  { name: 'stage-commons', place: game('commons', { first: 'scripted:greedy' }, { talk: 0 }) },
  {
    name: 'stage-town',
    async place(studio) {
      const task = { people: 25, hours: 8, hourly: true, news: 'party on saturday' };
      const cast = Object.fromEntries(townspeople.map((seat, i) => [seat, i % 5 === 0 ? 'scripted:gossip' : 'scripted:villager']));
      const id = await begin(studio, '/api/play', { environment: 'town', seed: 3, task, cast });
      await hasEnded(studio, id);
      return `/e/${id}/400`;
    },
  },
  { name: 'stage-quest', place: game('quest-world', { seeker: 'scripted:bfs' }) },
  ...(talkedIn === undefined
    ? []
    : [
        { name: 'chat', place: async (studio: RunningStudio) => `/chat/${await conversation(studio)}` },
        {
          name: 'stage-model',
          place: async (studio: RunningStudio) => `/e/${await conversation(studio)}`,
          async before(page: Page) {
            await page.locator('.event', { hasText: 'tokens' }).last().getByRole('button', { name: 'inspect' }).click();
            await page.getByText(/^Call 1:/).click();
          },
          wait: 2500,
        },
      ]),
  { name: 'stage-phone', place: game('tic-tac-toe', { X: 'random', O: 'scripted:minimax' }), phone: true },
  {
    name: 'fork',
    place: game('leduc', { first: 'random', second: 'random' }, { hands: 3 }),
    async before(page) {
      await page
        .getByRole('button', { name: /^Event \d+: inspect/ })
        .nth(3)
        .click();
      await page.getByRole('button', { name: 'Fork here' }).click();
    },
  },
  {
    name: 'branches',
    async place(studio) {
      const id = (await game('connect-four', { X: 'random', O: 'scripted:lookahead' })(studio)).slice(3);
      await hasEnded(studio, id);
      const branch = await begin(studio, `/api/episodes/${id}/fork`, { at: 20, cast: { X: 'scripted:lookahead' } });
      await hasEnded(studio, branch);
      return `/branches/${id}/${branch}`;
    },
  },
  { name: 'play', place: () => '/play?world=kuhn-poker' },
  {
    name: 'seat',
    place: async (studio) => `/seat/${await begin(studio, '/api/play', { environment: 'tic-tac-toe', cast: { X: 'human' }, seed: 1 })}/X`,
  },
  { name: 'runs', place: () => '/runs' },
  { name: 'run', place: async (studio) => `/run/${await demoRun(studio, 'service-core')}`, wait: 2500 },
  { name: 'review', place: async (studio) => `/review?run=${await demoRun(studio, 'service-core')}` },
  { name: 'boards', place: () => '/boards' },
  { name: 'personas', place: () => '/personas' },
  {
    name: 'persona',
    place: () => '/persona/gallery/innkeeper',
    async before(page) {
      await page.getByLabel('What you say').fill('Who are you, and what do you serve?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Why did it say that?').last().click();
      await page.waitForTimeout(300);
    },
  },
  { name: 'population', place: () => '/population', wait: 1500 },
  {
    name: 'training',
    async place(studio) {
      const run = await begin(studio, '/api/training', { recipe: 'kuhn-tabular', games: 1_000_000 });
      // While it goes on: the curve is there, and grows.
      await once<{ last: { games: number } | null }>(studio, `/api/training/of/${run}`, ({ last }) => (last?.games ?? 0) > 150_000);
      return `/training/${run}`;
    },
    async before(page) {
      await page.locator('figure.plot canvas').first().waitFor();
    },
    wait: 2000,
  },
  {
    name: 'improving',
    async place(studio) {
      const run = await begin(studio, '/api/improving', { recipe: 'instruction-demo', engine: 'gepa', calls: 300 });
      return `/improving/${run}`;
    },
    async before(page) {
      await page.getByRole('heading', { name: 'Report' }).waitFor();
    },
  },
  { name: 'create', place: () => '/create' },
  { name: 'models', place: () => '/models' },
];

if (noBrowser !== null) throw new Error(`No pictures can be made: ${noBrowser}.`);
const [folder = join('docs', 'images'), ...names] = process.argv.slice(2);
mkdirSync(resolve(folder), { recursive: true });
const cwd = talkedIn === undefined ? studioFolder() : resolve(talkedIn);
const studio = await startStudio(cwd);
const browser = await openBrowser();
try {
  if (talkedIn === undefined) {
    for (const demo of ['arena', 'desk']) await begin(studio, `/api/demos/${demo}`);
    await once<{ running: readonly unknown[]; runs: readonly unknown[] }>(
      studio,
      '/api/home',
      ({ running, runs }) => running.length === 0 && runs.length > 1,
    );
  }
  for (const shot of shots) {
    const wanted = bothColours.filter(
      (colours) => names.length === 0 || names.some((name) => name === shot.name || name === `${shot.name}-${colours}`),
    );
    if (wanted.length === 0) continue;
    const place = await shot.place(studio);
    for (const colours of wanted) {
      const viewport = shot.phone === true ? { width: 390, height: 844 } : { width: 1360, height: 860 };
      const context = await browser.newContext({ colorScheme: colours, viewport });
      const page = await enter(context, studio);
      await visit(page, studio, place);
      await page.locator('h1').first().waitFor();
      await page.locator('.spinner').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(shot.wait ?? 900);
      await shot.before?.(page);
      await page.screenshot({ path: resolve(folder, `${shot.name}-${colours}.png`) });
      if (page.problems.length > 0) console.log(shot.name, page.problems);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await studio.kill();
  if (talkedIn === undefined) removeFolder(cwd);
}
