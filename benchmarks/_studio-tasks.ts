/**
 * @file What people come to the studio for, task by task, each from the home page: how many clicks it takes, and how many seconds a hand that
 * never hesitates needs, loading included. `before` is the first measurement by hand, of version 0.1.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/gallery/index';
import type { Locator, Page } from 'playwright-core';
import { callStudio, type RunningStudio, visit } from '../test/browser.ts';
import { until } from '../test/fixtures/until.ts';
import type { Figure } from './run.ts';

/** What a person does: each click counts, typed text is listed separately. */
interface Hand {
  readonly page: Page;
  readonly studio: RunningStudio;
  click(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  key(name: string): Promise<void>;
}

interface Task {
  readonly name: string;
  readonly before: string;
  /** Where it begins; the home page unless set. */
  readonly from?: string;
  act(hand: Hand): Promise<void>;
}

const section = (page: Page, name: string) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });
const pageIn = (page: Page, name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

const tasks: readonly Task[] = [
  {
    name: 'play a hand of poker',
    before: '5 clicks, 10 s',
    async act({ page, click, key }) {
      await click(section(page, 'Play'));
      await click(page.getByRole('button', { name: /^Kuhn poker/ }));
      await click(page.getByRole('button', { name: 'Start game' }));
      const over = page.getByText(/^Game over/);
      const events = page.locator('.event');
      for (;;) {
        await over.or(page.getByText('Your move.')).first().waitFor();
        if ((await over.count()) > 0) break;
        const before = await events.count();
        await key('1');
        await until(async () => (await over.count()) > 0 || (await events.count()) > before);
      }
    },
  },
  {
    name: 'chat without a model',
    before: '2 clicks, 5 s',
    async act({ page, click, type, key }) {
      await click(section(page, 'Play'));
      await click(pageIn(page, 'Chat'));
      await click(page.getByRole('button', { name: /Marta Rook/ }).first());
      await type(page.getByLabel('What you say'), 'Who are you?');
      await key('Enter');
      await page.getByText('Who are you?').first().waitFor();
    },
  },
  {
    name: 'chat with a model',
    before: '2 clicks and an address',
    async act({ page, click, type, key }) {
      await click(section(page, 'Play'));
      await click(pageIn(page, 'Chat'));
      await type(page.getByRole('combobox', { name: 'Model' }).or(page.getByLabel('Model')).first(), 'fake');
      await click(page.getByRole('button', { name: /Cassian Vole/ }).first());
      await type(page.getByLabel('What you say'), 'Where were you last night?');
      await key('Enter');
      await page.getByText('Where were you last night?').first().waitFor();
    },
  },
  {
    name: 'import a character card',
    before: '1 click, 2.5 s',
    from: '/personas',
    async act({ page, click }) {
      const folder = mkdtempSync(join(tmpdir(), 'ludus-card-'));
      writeFileSync(join(folder, 'card.json'), JSON.stringify({ ...gallery['innkeeper'], id: 'bess', name: 'Bess Card' }));
      const chooser = page.waitForEvent('filechooser');
      await click(page.getByText('Choose a file'));
      await (await chooser).setFiles(join(folder, 'card.json'));
      await page.getByRole('heading', { name: 'Bess Card', exact: true }).waitFor();
      rmSync(folder, { recursive: true });
    },
  },
  {
    name: 'train an agent and play against it',
    before: '4 clicks and 3 fields, 10 s',
    async act({ page, click, studio }) {
      await click(section(page, 'Experiments'));
      await click(pageIn(page, 'Training'));
      await click(page.getByRole('link', { name: 'New training run' }).first());
      await click(page.getByRole('button', { name: 'Start', exact: true }));
      await page.locator('figure.plot canvas').first().waitFor();
      const id = decodeURIComponent(new URL(page.url()).hash.split('/')[2] ?? '');
      await until(async () => !(await callStudio<{ going: boolean }>(studio, `/api/training/of/${id}`)).going);
      await click(page.getByRole('link', { name: /^Play against it/ }).first());
      await page.getByRole('button', { name: 'Start game' }).waitFor();
    },
  },
  {
    name: 'compare two runs',
    before: '3 clicks and two names typed',
    from: '/runs',
    async act({ page, click }) {
      const boxes = page.getByRole('region', { name: 'All runs' }).locator('tbody input[type=checkbox]');
      await click(boxes.nth(0));
      await click(boxes.nth(1));
      await click(page.getByRole('link', { name: 'Compare', exact: true }));
      await page.waitForURL(/#\/compare\?a=/);
    },
  },
  {
    name: 'find out why an agent failed',
    before: 'not possible',
    async act({ page, click }) {
      await click(page.getByRole('link', { name: /service-core/ }).first());
      await click(page.locator('td.fail a, td.mixed a').first());
      await page.waitForURL(/#\/e\/[^/]+\/\d+$/);
    },
  },
  {
    name: 'fork an episode and play on',
    before: '4 clicks',
    async act({ page, click, studio }) {
      const begun = await callStudio<{ episode: string }>(studio, '/api/play', {
        environment: 'tic-tac-toe',
        seed: 2,
        cast: { X: 'scripted:minimax', O: 'scripted:minimax' },
      });
      await until(async () => (await callStudio<{ status: string }>(studio, `/api/episodes/${begun.episode}`)).status !== 'running');
      await visit(page, studio, `/e/${begun.episode}`);
      await click(page.getByRole('button', { name: /^Event \d+: inspect|^\d+$/ }).first());
      await click(page.getByRole('button', { name: 'Fork here' }));
      await page.getByRole('combobox', { name: 'X', exact: true }).selectOption('human');
      await click(page.getByRole('button', { name: 'Fork and continue' }));
      await page.waitForURL(/#\/seat\//);
    },
  },
  {
    name: 'label an episode in review',
    before: '22 presses of Tab',
    from: '/review',
    async act({ page, key }) {
      await page.getByText(/^0 episodes labeled/).waitFor();
      await key('1');
      await page.getByText(/^1 episode labeled/).waitFor();
    },
  },
  {
    name: 'evaluate your bot',
    before: '5 clicks, 25 s',
    from: '/launch?what=eval&suite=service-core',
    async act({ page, click, type, key }) {
      const bot = createServer((_, response) => response.end('{"text":"I cannot help with that."}'));
      await new Promise<void>((ready) => bot.listen(0, '127.0.0.1', ready));
      await type(page.getByRole('combobox', { name: 'Agents' }), `bot:http://127.0.0.1:${(bot.address() as AddressInfo).port}`);
      await key('Enter');
      await click(page.getByRole('list', { name: 'Agents, chosen' }).getByRole('button').first());
      await click(page.getByRole('list', { name: 'Agents, chosen' }).getByRole('button').first());
      await type(page.getByLabel('Seeds'), '1');
      await page.getByText(/ludus eval service-core --agents bot:/).waitFor();
      await click(page.getByRole('button', { name: 'Start', exact: true }));
      await page.getByRole('heading', { name: 'Results by task' }).waitFor();
      bot.close();
    },
  },
  {
    name: 'run a survey and read its results',
    before: '2 clicks to the results of one',
    async act({ page, click }) {
      await click(section(page, 'Experiments'));
      await click(pageIn(page, 'New run'));
      await page.getByLabel('Type', { exact: true }).selectOption('survey');
      await page.getByText(/ludus survey -/).waitFor();
      await click(page.getByRole('button', { name: 'Start', exact: true }));
      await page.getByRole('heading', { name: 'By groups' }).waitFor();
    },
  },
  {
    name: 'write a character from scratch',
    before: '4 clicks, with another character’s job and secret left in',
    async act({ page, click, type }) {
      await click(section(page, 'Play'));
      await click(pageIn(page, 'Create'));
      await click(page.getByRole('button', { name: 'Use template: Blank' }));
      await type(page.getByLabel('Name', { exact: true }), 'Pip Lantern');
      await click(page.getByRole('button', { name: /^Save/ }).first());
      await page.getByText('unsaved changes').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Pip Lantern', exact: true }).waitFor();
    },
  },
  {
    name: 'find the runs since yesterday',
    before: 'not possible',
    from: '/runs',
    async act({ page }) {
      await page.getByLabel('Created').selectOption('2');
      await page.waitForURL(/days=2/);
      await page.getByRole('region', { name: 'All runs' }).locator('tbody tr').first().waitFor();
    },
  },
];

/** Every task once, in a studio that has run the demonstrations. */
export async function measureTasks(page: Page, studio: RunningStudio): Promise<readonly Figure[]> {
  for (const demo of ['arena', 'desk']) await callStudio(studio, `/api/demos/${demo}`, {});
  await until(async () => (await callStudio<{ running: readonly unknown[] }>(studio, '/api/jobs')).running.length === 0);
  const figures: Figure[] = [];
  for (const { name, before, from = '/', act } of tasks) {
    await visit(page, studio, from);
    await page.locator('h1').first().waitFor();
    let [clicks, keys, fields] = [0, 0, 0];
    const hand: Hand = {
      page,
      studio,
      async click(target) {
        clicks++;
        await target.click();
      },
      async type(target, text) {
        fields++;
        await target.fill(text);
      },
      async key(pressed) {
        keys++;
        await page.keyboard.press(pressed);
      },
    };
    const began = performance.now();
    await act(hand);
    const counts = [
      ...(clicks === 0 ? [] : [`${clicks} clicks`]),
      ...(keys === 0 ? [] : [`${keys} key`]),
      ...(fields === 0 ? [] : [`${fields} fields`]),
    ];
    const note = `${counts.join(', ') || 'a choice in a list'}; before: ${before}`;
    figures.push({ name, value: Math.round((performance.now() - began) / 100) / 10, unit: 's', note });
  }
  return figures;
}
