/** @file Cases of tasks: template, data, and expected outcome, all derived from a number. */

import { Fault, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { isHeldOut } from '../grid.ts';
import { errandCase, type Replica, type ReplicaTask, startOf } from './replica.ts';
import type { SiteCase, SiteTemplate } from './template.ts';
import { adminTemplates } from './templates/admin.ts';
import { forumTemplates } from './templates/forum.ts';
import { officeTemplates } from './templates/office.ts';
import { repositoryTemplates } from './templates/repository.ts';
import { shopTemplates } from './templates/shop.ts';
import { twinTemplates } from './templates/twins.ts';
import { wikiTemplates } from './templates/wiki.ts';
import { initialData, type SiteName } from './web.ts';

export const templates: readonly SiteTemplate[] = [
  ...shopTemplates,
  ...forumTemplates,
  ...wikiTemplates,
  ...repositoryTemplates,
  ...officeTemplates,
  ...adminTemplates,
  ...twinTemplates,
];
export const templateNames: readonly string[] = templates.map(({ id }) => id);
const byName: ReadonlyMap<string, SiteTemplate> = new Map(templates.map((template) => [template.id, template]));

/** The inputs that determine a case. */
export type CaseKey = {
  readonly template: string;
  readonly number: number;
  readonly size: number;
  readonly possible: boolean;
  readonly harmful: boolean;
  /** A task supplied by the user, instead of a template. */
  readonly errand?: ReplicaTask;
};

export interface CaseChoice {
  readonly replica?: Replica | null;
  readonly template: string;
  readonly site: string;
  readonly number: number;
  readonly size: number;
  readonly possible: 'any' | 'possible' | 'impossible';
  readonly harm: 'any' | 'harmless' | 'harmful';
  readonly form: 'site' | 'chat';
  readonly split: 'any' | 'train' | 'held-out';
  readonly worlds: number;
}

/** One data world in five is held out. Some templates are held out as well. */
export function isHeldOutNumber(number: number): boolean {
  return isHeldOut(`sites ${number}`);
}

/** Returns the reason why the requested case cannot be drawn, or null. */
export function problemWith(choice: CaseChoice): string | null {
  if (choice.replica !== undefined && choice.replica !== null) return null;
  if (fitting(choice).length === 0)
    return 'no template fits "template", "site", "possible", "harm", "form" and "split" together; leave one of them out';
  if (choice.number >= 0 && choice.split !== 'any' && isHeldOutNumber(choice.number) !== (choice.split === 'held-out'))
    return `number ${choice.number} is not in the split "${choice.split}"; take another number, or -1`;
  return null;
}

export function drawKey(choice: CaseChoice, dice: Rng): CaseKey {
  const { replica = null } = choice;
  if (replica !== null)
    return { template: ownTemplate, number: 0, size: choice.size, possible: true, harmful: false, errand: replica.errand };
  const number = choice.number >= 0 ? choice.number : drawNumber(choice, dice);
  const ownRng = rng(number, 'sites', 'case');
  const template = ownRng.pick(fitting(choice));
  const possible = choice.possible === 'any' ? template.impossible !== true || ownRng.int(5) > 0 : choice.possible === 'possible';
  const harmful = template.twin === true && (choice.harm === 'any' ? ownRng.int(2) === 0 : choice.harm === 'harmful');
  return { template: template.id, number, size: choice.size, possible, harmful };
}

function drawNumber({ split, worlds }: CaseChoice, dice: Rng): number {
  for (;;) {
    const number = dice.int(worlds === 0 ? 2 ** 31 : worlds);
    if (split === 'any' || isHeldOutNumber(number) === (split === 'held-out')) return number;
  }
}

function fitting({ template, site, possible, harm, form, split }: CaseChoice): readonly SiteTemplate[] {
  return templates.filter(
    (siteTemplate) =>
      (template === 'any' || siteTemplate.id === template) &&
      (site === 'any' || siteTemplate.site === site) &&
      (possible !== 'impossible' || siteTemplate.impossible === true) &&
      (harm === 'any' || siteTemplate.twin === true) &&
      (form !== 'chat' || siteTemplate.twin === true) &&
      (split !== 'train' || siteTemplate.heldOut !== true),
  );
}

export function findTemplate(id: string): SiteTemplate {
  const siteTemplate = byName.get(id);
  if (siteTemplate === undefined)
    throw new Fault('input', `sites: unknown template "${id}". Available: ${templateNames.join(', ')}.${didYouMean(id, templateNames)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  return siteTemplate;
}

/** The template name of user-supplied tasks. */
export const ownTemplate = 'own';

/** Returns the site of a task and its start page. */
export function placeOf({ template, errand }: CaseKey): { readonly site: SiteName | 'pages'; readonly start: string } {
  if (errand !== undefined) return { site: 'pages', start: startOf(errand) };
  const { site } = findTemplate(template);
  return { site, start: `/${site}` };
}

const sample = new Map<string, SiteCase>();
const errandCases = new WeakMap<ReplicaTask, SiteCase>();

/** Returns the case of a key. The result depends only on the key, so it is cached. */
export function caseOf(key: CaseKey): SiteCase {
  const { template, number, size, possible, harmful, errand } = key;
  if (errand !== undefined) {
    const siteCase = errandCases.get(errand) ?? errandCase(errand);
    errandCases.set(errand, siteCase);
    return siteCase;
  }
  const name = `${template} ${number} ${size} ${possible} ${harmful}`;
  const before = sample.get(name);
  if (before !== undefined) return before;
  if (sample.size > 200) sample.clear();
  const { site, draw } = findTemplate(template);
  const siteCase = draw(initialData(site, { number, size }), rng(number, 'sites', 'draw', template), { possible, harmful });
  sample.set(name, siteCase);
  return siteCase;
}

/** Returns a task for every template and number, with pinned cases, for suites and tests. */
export function siteTasks(numbers: readonly number[]): readonly { readonly template: string; readonly number: number }[] {
  return templates.flatMap(({ id }) => numbers.map((number) => ({ template: id, number })));
}
