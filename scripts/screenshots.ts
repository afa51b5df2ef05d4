/**
 * @file Pictures of every page of the studio, in light and dark: `node scripts/screenshots.ts [folder] [name…]`.
 *
 * With LUDUS_KEPT, the folder that `npm run bench -- models --keep=FOLDER` wrote, the model's picture shows what that model really said.
 */

import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import {
  bothColours,
  enter,
  noBrowser,
  openBrowser,
  type RunningStudio,
  removeFolder,
  startStudio,
  studioFolder,
  visit,
} from '../test/browser.ts';

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

async function begin({ url, token }: RunningStudio, path: string, body: unknown = {}): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const begun = (await response.json()) as { episode?: string; run?: string };
  return (begun.episode ?? begun.run) as string;
}

const game =
  (environment: string, cast: object, task: object = {}) =>
  async (studio: RunningStudio) =>
    `/e/${await begin(studio, '/api/play', { environment, cast, task, seed: 3 })}`;

const kept = process.env['LUDUS_KEPT'];

const shots: readonly Shot[] = [
  { name: 'home', place: () => '/', wait: 1500 },
  { name: 'home-phone', place: () => '/', phone: true },
  { name: 'stage-scene', place: async (studio) => `/e/${await begin(studio, '/api/demos/scene')}`, wait: 9000 },
  { name: 'stage-poker', place: game('kuhn-poker', { first: 'scripted:bold', second: 'scripted:equilibrium' }, { rounds: 5 }) },
  { name: 'stage-connect-four', place: game('connect-four', { X: 'scripted:lookahead', O: 'scripted:lookahead' }) },
  { name: 'stage-dilemma', place: game('dilemma', { first: 'scripted:tit-for-tat', second: 'scripted:random' }) },
  { name: 'stage-commons', place: game('commons', { first: 'scripted:greedy' }, { talk: 0 }) },
  { name: 'stage-quest', place: game('quest-world', { seeker: 'scripted:bfs' }) },
  {
    name: 'stage-model',
    place: async (studio) =>
      kept === undefined
        ? `/e/${await begin(studio, '/api/play', { environment: 'social-scene', seed: 3, cast: { ada: 'persona:beatrix llm:fake', ben: 'persona:tomas llm:fake' } })}/12`
        : '/e/chat-marta-rook-1/14',
    async before(page) {
      await page.getByText(/^Call 1:/).click();
    },
    wait: 2500,
  },
  { name: 'stage-phone', place: game('tic-tac-toe', { X: 'random', O: 'scripted:minimax' }), phone: true },
  {
    name: 'fork',
    place: game('leduc', { first: 'random', second: 'random' }, { hands: 3 }),
    async before(page) {
      await page
        .getByRole('button', { name: /^Event \d+: look closer/ })
        .nth(3)
        .click();
      await page.getByRole('button', { name: 'Fork here' }).click();
    },
  },
  {
    name: 'branches',
    async place(studio) {
      const id = (await game('connect-four', { X: 'random', O: 'scripted:lookahead' })(studio)).slice(3);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return `/branches/${id}/${await begin(studio, `/api/episodes/${id}/fork`, { at: 20, cast: { X: 'scripted:lookahead' } })}`;
    },
  },
  { name: 'play', place: () => '/play?world=kuhn-poker' },
  {
    name: 'seat',
    place: async (studio) => `/seat/${await begin(studio, '/api/play', { environment: 'tic-tac-toe', cast: { X: 'human' }, seed: 1 })}/X`,
  },
  { name: 'runs', place: () => '/runs' },
  { name: 'boards', place: () => '/boards' },
  { name: 'personas', place: () => '/personas' },
  {
    name: 'persona',
    place: () => '/persona/gallery/innkeeper',
    async before(page) {
      await page.getByLabel('What you say').fill('Who are you, and what do you serve?');
      await page.getByRole('button', { name: 'Say' }).click();
      await page.getByText('Why did it say that?').last().click();
      await page.waitForTimeout(300);
    },
  },
  { name: 'population', place: () => '/population', wait: 1500 },
  {
    name: 'training',
    async place(studio) {
      const run = await begin(studio, '/api/training', { recipe: 'kuhn-tabular', games: 1_000_000 });
      await new Promise((resolve) => setTimeout(resolve, 8000));
      return `/training/${run}`;
    },
    wait: 4000,
  },
  {
    name: 'improving',
    async place(studio) {
      const run = await begin(studio, '/api/improving', { recipe: 'instruction-demo', engine: 'gepa', calls: 300 });
      await new Promise((resolve) => setTimeout(resolve, 25_000));
      return `/improving/${run}`;
    },
    wait: 2000,
  },
  { name: 'create', place: () => '/create' },
  { name: 'models', place: () => '/models' },
];

if (noBrowser !== null) throw new Error(`No pictures can be made: ${noBrowser}.`);
const [folder = join('docs', 'images'), ...names] = process.argv.slice(2);
mkdirSync(resolve(folder), { recursive: true });
const cwd = studioFolder();
if (kept !== undefined) {
  mkdirSync(join(cwd, '.ludus'));
  copyFileSync(join(kept, 'store.sqlite'), join(cwd, '.ludus', 'ludus.sqlite'));
}
const studio = await startStudio(cwd);
const browser = await openBrowser();
try {
  await begin(studio, '/api/demos/arena');
  await begin(studio, '/api/demos/desk');
  for (const shot of shots.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const place = await shot.place(studio);
    for (const colours of bothColours) {
      const viewport = shot.phone === true ? { width: 390, height: 844 } : { width: 1360, height: 860 };
      const context = await browser.newContext({ colorScheme: colours, viewport });
      const page = await enter(context, studio);
      await visit(page, studio, place);
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
  removeFolder(cwd);
}
