/** @file The sites in a real browser: the moves that solve a task in process solve it over HTTP, page by page, to the same end state. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseKey } from '@ludus-agents/environments/internal/sites/cases';
import { toMove } from '@ludus-agents/environments/internal/sites/demonstration';
import { elementsOf } from '@ludus-agents/environments/internal/sites/page';
import { parseAddress } from '@ludus-agents/environments/internal/sites/site';
import { sites } from '@ludus-agents/environments/internal/sites/sites';
import { firstTab, move, type Tab, type TabMove } from '@ludus-agents/environments/internal/sites/tab';
import { show, type Web } from '@ludus-agents/environments/internal/sites/web';
import { equal, type JsonObject, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { serve } from '@ludus-agents/servers/internal/app';
import { siteRoutes } from '@ludus-agents/servers/internal/sites/routes';
import { readTaskPages } from '@ludus-agents/servers/internal/sites/task-pages';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findChromium } from '../scripts/browser.ts';
import { openBrowser } from './browser.ts';
import { until } from './fixtures/until.ts';

const missing = findChromium() === null;
if (missing) console.log('The sites are not tested in a browser: there is no Chromium here; set CHROMIUM_PATH.');

const tasks: readonly JsonObject[] = [
  { template: 'shop-buy', number: 2, possible: 'possible' },
  { template: 'office-move', number: 3, possible: 'impossible' },
  { template: 'admin-count', number: 5 },
];

/** What a browser takes for elements, in the order of the document, as roles and names. */
const controls = 'a[href], input:not([type=hidden]), select, textarea, button';
const rolesAndNames = `[...document.querySelectorAll(${JSON.stringify(controls)})].map((one) => {
  const roles = { A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox' };
  const types = { search: 'searchbox', number: 'spinbutton', radio: 'radio', checkbox: 'checkbox' };
  return (roles[one.tagName] ?? types[one.type] ?? 'textbox') + ' ' + (one.labels?.[0]?.textContent ?? one.textContent);
})`;

interface Position {
  readonly web: Web;
  readonly tab: Tab;
}

/** Waits until the browser is where the tab is, and shows the same elements. */
async function settled(page: Page, { web, tab }: Position): Promise<void> {
  const { path, query } = parseAddress(tab.url);
  await until(() => {
    const { pathname, searchParams } = new URL(page.url());
    return pathname === path && equal(Object.fromEntries(searchParams), query);
  });
  await page.waitForLoadState();
  expect(await page.evaluate(rolesAndNames)).toEqual(elementsOf(show(web, tab.url)).map(({ role, name }) => `${role} ${name}`));
}

async function act(page: Page, tabMove: TabMove): Promise<void> {
  if (tabMove.verb === 'back') await page.goBack();
  else if (tabMove.verb === 'goto') await page.goto(tabMove.text);
  else {
    const element = page.locator(controls).nth(Number(/\d+$/.exec(tabMove.ref)![0]) - 1);
    if (tabMove.verb === 'click') await element.click();
    else if (!('text' in tabMove)) await element.press('Enter');
    else if (tabMove.verb === 'type') await element.fill(tabMove.text);
    else await element.selectOption(tabMove.text);
  }
}

const core = `var WOB_RAW_REWARD_GLOBAL = 0, WOB_DONE_GLOBAL = false;
Math.seedrandom = function (seed) { var n = Number(seed); Math.random = function () { n = (n * 16807 + 7) % 2147483647; return n / 2147483647; }; };
var core = {
  startEpisode: function () {}, startEpisodeReal: function () { genProblem(); },
  endEpisode: function (reward) { WOB_RAW_REWARD_GLOBAL = reward; WOB_DONE_GLOBAL = true; },
  getUtterance: function () { return document.getElementById('query').textContent; },
};`;
const task = `<!doctype html><html><head><script src="../core/core.js"></script><script>
function genProblem() {
  var right = Math.random() < 0.5 ? 'ONE' : 'TWO';
  document.getElementById('query').textContent = 'Click button ' + right + '.';
  document.querySelectorAll('button').forEach(function (b) { b.onclick = function () { core.endEpisode(b.textContent === right ? 1 : -1, true); }; });
}
window.onload = function () { core.startEpisode(); };
</script></head><body><div id="query"></div><button>ONE</button><button>TWO</button></body></html>`;

it.skipIf(missing)('plays the same tasks to the same end states, including custom pages with their own rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-wob-'));
  mkdirSync(join(folder, 'core'));
  mkdirSync(join(folder, 'miniwob'));
  writeFileSync(join(folder, 'core', 'core.js'), core);
  writeFileSync(join(folder, 'miniwob', 'click-test.html'), task);
  const { door, open } = siteRoutes({ pages: readTaskPages(folder) });
  const serving = await serve({ routes: [door], token: 'right' });
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext({ baseURL: serving.url })).newPage();
    for (const jsonObject of tasks) {
      const [log] = await rollout(sites, { agent: scriptedPolicy('solver', sites.scripts!['solver']!) }, { seeds: [1], task: jsonObject });
      const { enter, session } = open({ task: jsonObject, seed: 1 });
      const { number, size } = session.key as CaseKey;
      let at: Position = {
        web: { number, size, admin: null, data: {} },
        tab: firstTab(session.start),
      };
      await page.goto(enter);
      await page.getByRole('link', { name: 'Begin' }).click();
      const moves = log!.flatMap((event) => (event.kind === 'action' ? [toMove(event.action.text.slice(1, -1), 'site')] : []));
      for (const newMove of moves) {
        await settled(page, at);
        if ('verb' in newMove) {
          await act(page, newMove);
          at = move(at.web, at.tab, newMove) as Position;
        } else if ('by' in newMove) {
          await page.goto('/task');
          if (newMove.by === 'answer') await page.getByLabel('Your answer').fill(newMove.text);
          if (newMove.by === 'impossible') await page.getByLabel('Reason').selectOption(newMove.reason);
          const button = { answer: 'Answer', impossible: 'Impossible', done: 'Done', steps: '', forfeit: '' }[newMove.by];
          await page.getByRole('button', { name: button }).click();
        }
      }
      const note = log!.find((event) => event.kind === 'message' && event.to.length === 0) as { readonly data: JsonObject };
      await until(() => session.outcome);
      expect(session.outcome).toEqual(note.data['outcome']);
      expect(session.outcome).toMatchObject({ reward: 1 });
      expect(session.web.data).toEqual(at.web.data);
    }
    for (const right of [true, false]) {
      const { enter, session } = open({ page: 'miniwob/click-test.html', seed: 5 });
      await page.goto(enter);
      await until(() => session.goal);
      expect(session.goal).toMatch(/^Click button (ONE|TWO)\.$/);
      await page
        .getByRole('button', { name: /ONE|TWO/ })
        .filter(right ? { hasText: session.goal!.slice(13, 16) } : { hasNotText: session.goal!.slice(13, 16) })
        .click();
      await until(() => session.report.raw !== null);
      expect(session.toJson()).toMatchObject({ raw: right ? 1 : -1, reward: right ? 1 : -1 });
    }
  } finally {
    await browser.close();
    await serving.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
