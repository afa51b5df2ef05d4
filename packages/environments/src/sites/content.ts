/**
 * @file User-supplied pages as sites: an HTML folder and a task file. Demonstrations are played, so tasks that cannot be solved are
 * rejected.
 */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type ContentReader, type ContentRow, type ContentSource, refuseDuplicates } from '../content/content.ts';
import { type CaseKey, ownTemplate } from './cases.ts';
import { followPlan, planOf, toMove } from './demonstration.ts';
import { type ReplicaPage, readHtmlPage, replicaRoot } from './html-page.ts';
import { judge } from './judge.ts';
import { observe } from './observe.ts';
import { elementsOf } from './page.ts';
import { errandShape, type Replica, type ReplicaTask, showReplica, startOf } from './replica.ts';
import { SeenPage } from './seen-page.ts';
import { parseAddress } from './site.ts';
import { firstTab, move } from './tab.ts';
import type { Web } from './web.ts';

export const sitesContent: ContentReader = {
  files: {
    'files/': 'texts for a terminal next to the pages, where the environment is "terminal:./FOLDER" (optional)',
    'pages/': 'HTML files; forms with method="post" are recorded',
    'tasks.json': 'tasks: id, goal, start, sends, answer, rubric, impossible, steps, held; or tasks.jsonl',
  },
  seat: 'agent',
  best: 'solver',
  pass: 1,
  window: 0,
  read(source, task) {
    const { replica, outside } = readReplica(source);
    const rows = source.table('tasks', errandShape);
    refuseDuplicates(source, rows);
    if (source.problems.length === 0 && rows.length === 0) source.refuse('tasks.json', null, 'expected at least one task');
    const checked = source.problems.length > 0 ? [] : rows.map((row) => checkErrand(source, replica, row));
    const demonstratedCount = checked.filter(({ demonstrated }) => demonstrated).length;
    const graded = { sent: 0, exact: 0, rubric: 0, refused: 0 };
    for (const { value } of rows) {
      if (value.sends !== undefined) graded.sent++;
      if (value.answer !== undefined) graded.exact++;
      if (value.rubric !== undefined) graded.rubric++;
      if (value.impossible !== undefined) graded.refused++;
    }
    const pages = Object.values(replica.pages);
    const elements = pages.reduce((sum, page) => sum + elementsOf({ status: 200, ...page }).length, 0);
    const longest = Math.max(0, ...rows.map(({ value }) => value.steps.length));
    const steps = typeof task['steps'] === 'number' ? task['steps'] : Math.max(6, 2 * longest);
    return {
      task: { track: true, steps },
      files: Object.fromEntries(source.namesUnder('files', ['']).map((file) => [file.slice('files/'.length), source.text(file)])),
      cases: rows.map(({ value }) => ({
        id: value.id,
        task: { replica: { ...replica, errand: value } },
        heldOut: value.held,
      })),
      others: Object.fromEntries(['instructor', 'judge'].filter((seat) => task[seat] === true).map((seat) => [seat, `scripted:${seat}`])),
      turns: steps * 8 + 8,
      proofs: [
        `${count(pages.length, 'page')} with ${count(elements, 'element')}; every link and form leads to a page${outside === 0 ? '' : ` (${count(outside, 'link')} to other sites ${outside === 1 ? 'is' : 'are'} shown as text)`}.`,
        `${demonstratedCount} of ${rows.length} tasks are solved by their demonstration, and none by ending at once.`,
        `Graded by what was sent: ${graded.sent}; by an exact answer: ${graded.exact}; by a rubric: ${graded.rubric}; impossible: ${graded.refused}.`,
      ],
    };
  },
};

function readReplica(source: ContentSource): { readonly replica: Pick<Replica, 'pages'>; readonly outside: number } {
  const files = source.namesUnder('pages', ['.html', '.htm']);
  if (files.length === 0) source.refuse('pages/', null, 'expected at least one HTML file in this folder');
  const pages: Record<string, ReplicaPage> = {};
  let outside = 0;
  const targets: { readonly file: string; readonly to: string; readonly line: number }[] = [];
  for (const file of files) {
    const path = file.slice('pages/'.length);
    const page = readHtmlPage(source.text(file), path);
    pages[path] = { title: page.title, nodes: page.nodes };
    outside += page.outside;
    for (const { line, message } of page.problems) source.refuse(file, line, message);
    targets.push(...page.targets.map((target) => ({ file, ...target })));
  }
  for (const { file, to, line } of targets) {
    const path = parseAddress(to).path.slice(replicaRoot.length);
    if (!Object.hasOwn(pages, path)) source.refuse(file, line, `leads to "${path}", which is not in pages/`);
  }
  return { replica: { pages }, outside };
}

/** A task must have exactly one kind of check, start on an existing page, and be solved by its demonstration, if any. */
function checkErrand(
  source: ContentSource,
  replica: Pick<Replica, 'pages'>,
  { value: errand, file, line }: ContentRow<ReplicaTask>,
): { readonly demonstrated: boolean } {
  const refuse = (message: string) => {
    source.refuse(file, line, `task "${errand.id}": ${message}`);
    return { demonstrated: false };
  };
  const checks = [errand.sends, errand.answer, errand.rubric, errand.impossible].filter((check) => check !== undefined);
  if (checks.length === 0) return refuse('expected "sends", "answer", "rubric", or "impossible", so that it can be graded');
  if (errand.answer !== undefined && errand.rubric !== undefined) return refuse('"answer" and "rubric" both grade the answer; remove one');
  if (showReplica(replica, startOf(errand), 0).status !== 200) return refuse(`starts on "${errand.start}", which is not in pages/`);
  const key: CaseKey = { template: ownTemplate, number: 0, size: 24, possible: true, harmful: false, errand };
  let web: Web = { number: 0, size: 24, admin: null, data: {}, replica };
  if (judge(key, web, { by: 'done' }).reward === 1) return refuse('passes without doing anything');
  if (errand.steps.length === 0) return { demonstrated: false };
  let tab = firstTab(startOf(errand));
  let place = { at: 0, memo: '' };
  for (const [i, step] of errand.steps.entries()) {
    const page = new SeenPage(observe(web, tab, { sight: 'tree', candidates: 0, ranking: 'page', goal: '' }));
    const next = followPlan(planOf({ template: ownTemplate, steps: errand.steps }), page, { place, fields: {} });
    place = next.place;
    const wanted = toMove(next.move.slice(1, -1), 'site');
    if (place.at !== i + 1 || 'problem' in wanted)
      return refuse(`step ${i + 1}, "${step}", does not fit the page ${tab.url.slice(replicaRoot.length)}; it has ${namesOn(page)}`);
    if ('by' in wanted) {
      const outcome = judge(key, web, wanted);
      if (outcome.reward === 1) return { demonstrated: true };
      const sentPosts = JSON.stringify(web.data['pages']?.['sent'] ?? []);
      return refuse(
        outcome.state
          ? `its demonstration ends with an answer that fails: "${step}"`
          : `its demonstration sent ${sentPosts}, which is not what "sends" says`,
      );
    }
    const result = move(web, tab, wanted);
    if ('problem' in result) return refuse(`step ${i + 1}, "${step}": ${result.problem}`);
    ({ web, tab } = result);
  }
  return refuse('its demonstration does not end; add "done", "answer …", or "impossible …"');
}

function namesOn({ elements }: SeenPage): string {
  const names = [...new Set(elements.map(({ role, name }) => `${role} "${name}"`))];
  return names.length === 0 ? 'no elements' : `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}
