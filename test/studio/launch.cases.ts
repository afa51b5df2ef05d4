/** @file The launcher in a browser: one form for everything, what it takes before it begins, the plan and the command of it. */

import { readFileSync } from 'node:fs';
import { readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import type { LaunchLook } from '@ludus-agents/servers/internal/studio/api';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { call, open, page, shown, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('the launcher', () => {
  it('estimates a run, shows it as a plan and a command, starts it, and keeps the form', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('/launch');
    await page.getByRole('button', { name: 'Remove scripted' }).click();
    // The beginning of a name is a name too: what is typed is taken when it is whole.
    await page.getByLabel('Agents', { exact: true }).pressSequentially('scripted:honest');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove scripted:honest' }).click();
    await page.getByLabel('Agents', { exact: true }).fill('llm:fake');
    await page.getByLabel('Tasks').fill('{"rounds": 2}');
    await page.getByLabel('Seeds').fill('3');
    const takes = page.getByRole('region', { name: 'Estimate' });
    await takes.getByText(/^about [\d,]+, [\d,]+ to [\d,]+$/).waitFor();
    const facts = await takes.locator('dd').allTextContents();
    // Two agents, three seeds, one task.
    expect(facts[0]).toBe('6');
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Copied.').waitFor();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const written = /^echo '(.*)' \| ludus run -$/.exec(command)?.[1] as string;
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as plan.json' }).click()]);
    const plan = readPlan(JSON.parse(readFileSync(await saved.path(), 'utf8')));
    expect(plan.casts).toEqual([{ '*': 'random' }, { '*': 'llm:fake' }]);
    expect(readPlan(JSON.parse(written))).toEqual(plan);
    await page.reload();
    await shown('llm:fake');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/#\/run\//);
    await until(async () => (await store.statuses(runId(plan))).size === 6);
  });

  it('explains missing or invalid input', async () => {
    await open('/launch');
    await page.getByLabel('Tasks').fill('{"rounds"');
    await page.getByRole('alert').filter({ hasText: 'Not valid JSON' }).waitFor();
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    await page.evaluate('localStorage.clear()');
  });

  /** Fills the form for one kind, begins it, and waits for the page that it leads to. */
  const begin = async (what: string, fill: () => Promise<void>, leads: RegExp) => {
    await open('/launch');
    await page.getByLabel('Type', { exact: true }).selectOption(what);
    await fill();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(leads);
    await page.evaluate('localStorage.clear()');
  };
  const number = (label: string, value: number) => page.getByLabel(label, { exact: true }).fill(String(value));

  it('starts a survey with a page of shares and crosstabs', async () => {
    const questionnaire = '{"name":"pets","items":[{"id":"pet","text":"Which pet?","options":["a dog","a cat"]}]}';
    await begin(
      'survey',
      async () => {
        await number('People', 40);
        await page.getByLabel('Questionnaire').fill(questionnaire);
      },
      /#\/run\/survey-pets/,
    );
    // The answering seat gets no reward: no returns, and no agents to compare.
    expect(
      await page
        .getByText('Mean return by agent')
        .or(page.getByRole('link', { name: 'Compare agents' }))
        .count(),
    ).toBe(0);
    await page.getByRole('img', { name: /^pet: % of \d+ people/ }).waitFor();
    const crosstabs = page.getByRole('region', { name: 'Crosstabs' });
    await crosstabs.getByLabel('People by').selectOption('gender');
    await crosstabs.getByRole('rowheader', { name: 'female', exact: true }).waitFor();
    expect(await crosstabs.getByRole('columnheader').allTextContents()).toEqual(['Gender', 'a dog', 'a cat', 'People']);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
  });

  it('starts an arena with a ranking', async () => {
    await begin('arena', () => number('Games', 40), /#\/board\/arena-kuhn-poker/);
    await shown('Ranking');
  });

  it('starts an evaluation with standings', async () => {
    const fill = async () => {
      await page.getByRole('button', { name: 'Remove scripted' }).click();
      await number('Seeds', 1);
    };
    await begin('eval', fill, /#\/run\//);
    await page.getByRole('heading', { name: /^Standings by/ }).waitFor();
  });

  it('starts a training run with a curve', async () => {
    const fill = async () => {
      await number('Games', 2000);
      await number('First seed', 7);
    };
    await begin('train', fill, /#\/training\/kuhn-tabular-7/);
    await page.locator('figure.plot canvas').first().waitFor();
  });

  it('starts an improvement with candidates', async () => {
    const fill = async () => {
      // An agent of one's own has three fields more; what is wrong in them is said before anything begins.
      const what = page.getByLabel('Agent to optimize', { exact: true });
      await what.selectOption({ label: 'Your agent, on a suite' });
      await page.getByLabel('Agent', { exact: true }).fill('llm:fake');
      await page.getByLabel('Suite', { exact: true }).fill('games-cor');
      const slip = page.getByRole('alert').filter({ hasText: 'games-core' });
      await slip.waitFor();
      await page.getByLabel('Suite', { exact: true }).fill('games-core');
      await page.getByLabel('Proposer', { exact: true }).fill('random');
      await slip.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Start', exact: true, disabled: false }).waitFor();
      await what.selectOption('instruction-demo');
      await page.getByLabel('Proposer', { exact: true }).waitFor({ state: 'detached' });
      await number('Calls', 20);
    };
    await begin('improve', fill, /#\/improving\/instruction-demo/);
    await page
      .getByRole('link', { name: /^(Start|Candidate )/ })
      .first()
      .waitFor();
  });

  it('prints the command of every kind of job', async () => {
    const look = (body: object) => call<LaunchLook & { error?: string }>('/api/launch/look', body);
    const questionnaire = '{"name":"one","items":[{"id":"a","text":"It\'s fine?","options":["yes","no"]}]}';
    const looks = [
      await look({ what: 'eval', suite: 'games-core', agents: ['random'], seeds: 1 }),
      await look({ what: 'arena', environments: ['kuhn-poker'], agents: ['random', 'scripted'], games: 40, tasks: [{ rounds: 2 }] }),
      await look({ what: 'survey', population: 'customers', number: 3, agents: ['llm:fake'], questionnaire }),
      await look({ what: 'train', recipe: 'kuhn-tabular', games: 1000 }),
      await look({ what: 'improve', recipe: 'instruction-demo', engine: 'gepa', calls: 50 }),
    ];
    expect(looks.map(({ error, command }) => error ?? command)).toEqual([
      'ludus eval games-core --agents random --seeds 1',
      `ludus arena kuhn-poker --agents random,scripted --games 40 --task '{"rounds":2}'`,
      `echo '${questionnaire.replace("'", String.raw`'\''`)}' | ludus survey - --population customers -n 3 --agent llm:fake --seed 0`,
      'ludus train kuhn-tabular --seed 1 --games 1000',
      'ludus improve instruction-demo --engine gepa --seed 1 --budget 50',
    ]);
    expect(looks.slice(1, 3).map(({ episodes }) => episodes)).toEqual([40, 3]);
    expect((await look({ what: 'arena', environments: ['kuhn-poker'], agents: ['random'] })).error).toContain('needs at least two agents');
  });
});
