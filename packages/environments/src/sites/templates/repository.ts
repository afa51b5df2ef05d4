/** @file Tasks in the repository. */

import { type Issue, labels, type RepositoryData, withIssue } from '../repository.ts';
import { me, people, withRecord } from '../site.ts';
import { cannot, done, follow, followField, number, press, type SiteTemplate, search, selectIn, words } from '../template.ts';

const find = [follow('Issues'), ...search('Search issues', 'issue', 'Filter'), followField('issue')];

function openIssues(data: RepositoryData): [string, Issue][] {
  return Object.entries(data.issues).filter(([, one]) => one.open && !data.projects[one.project]!.archived);
}

const open: SiteTemplate = {
  id: 'repository-open',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [project] = dice.pick(Object.entries(data.projects).filter(([, one]) => one.archived !== possible));
    const title = `${dice.pick(['No answer', 'Odd colours', 'Double entries'])} after ${dice.pick(['update', 'restart', 'import'])}`;
    const label = dice.pick(labels.slice(1));
    const goal = `Open an issue with the title "${title}" and the label ${label} in the project ${project} of the repository.`;
    const fields = { project, title, label };
    return possible ? { goal, fields, want: withIssue(data, fields) } : { goal, fields, reason: 'locked' };
  },
  plan: [
    followField('project'),
    (seen, { title }) => seen.type('Title', title!) ?? cannot('locked'),
    selectIn('Label', 'label'),
    press('Open issue'),
    done,
  ],
};

const close: SiteTemplate = {
  id: 'repository-close',
  site: 'repository',
  draw(data: RepositoryData, dice) {
    const [id, one] = dice.pick(openIssues(data));
    return {
      goal: `Close the issue "${one.title}" of the project ${one.project} in the repository.`,
      fields: { issue: one.title },
      want: { ...data, issues: withRecord(data.issues, id, { ...one, open: false }) },
    };
  },
  plan: [...find, press('Close issue'), done],
};

const assign: SiteTemplate = {
  id: 'repository-assign',
  site: 'repository',
  draw(data: RepositoryData, dice) {
    const [id, one] = dice.pick(openIssues(data));
    const label = dice.pick(labels.filter((each) => each !== one.label));
    const assignee = dice.pick([me, ...people].filter((each) => each !== one.assignee));
    return {
      goal: `Give the issue "${one.title}" in the repository the label ${label} and assign it to ${assignee}.`,
      fields: { issue: one.title, label, assignee },
      want: { ...data, issues: withRecord(data.issues, id, { ...one, label, assignee }) },
    };
  },
  plan: [...find, selectIn('Label', 'label'), selectIn('Assignee', 'assignee'), press('Save issue'), done],
};

const merge: SiteTemplate = {
  id: 'repository-merge',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [id, one] = dice.pick(Object.entries(data.requests).filter(([, each]) => each.checks === possible));
    const goal = `Merge the request "${one.title}" in the repository.`;
    const fields = { request: one.title };
    if (!possible) return { goal, fields, reason: 'not allowed' };
    return { goal, fields, want: { ...data, requests: withRecord(data.requests, id, { ...one, status: 'merged' }) } };
  },
  plan: [follow('Merge requests'), followField('request'), (seen) => seen.click('Merge', 'button') ?? cannot('not allowed'), done],
};

const star: SiteTemplate = {
  id: 'repository-star',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [project, one] = dice.pick(Object.entries(data.projects).filter(([, each]) => each.archived !== possible));
    const goal = `Star the project ${project} of the repository.`;
    if (!possible) return { goal, fields: { project }, reason: 'locked' };
    return {
      goal,
      fields: { project },
      want: { ...data, projects: withRecord(data.projects, project, { ...one, stars: one.stars + 1, starred: true }) },
    };
  },
  plan: [followField('project'), (seen) => seen.click('Star', 'button') ?? cannot('locked'), done],
};

const author: SiteTemplate = {
  id: 'repository-author',
  site: 'repository',
  draw({ projects }: RepositoryData, dice) {
    const [project, one] = dice.pick(Object.entries(projects));
    const [file, { by }] = dice.pick(Object.entries(one.files));
    return {
      goal: `Who changed the file ${file} of the project ${project} in the repository last?`,
      fields: { project, file },
      answer: words(by),
    };
  },
  plan: [followField('project'), (seen, { file }) => `[answer ${seen.rows().find((row) => row[0] === file)?.[1]}]`],
};

const count: SiteTemplate = {
  id: 'repository-count',
  site: 'repository',
  heldOut: true,
  draw({ issues, projects }: RepositoryData, dice) {
    const [project, label] = [dice.pick(Object.keys(projects)), dice.pick(labels.slice(1))];
    const right = Object.values(issues).filter((one) => one.open && one.project === project && one.label === label).length;
    return {
      goal: `How many open issues with the label ${label} has the project ${project} of the repository?`,
      fields: { project, label },
      answer: number(right),
    };
  },
  plan: [
    follow('Issues'),
    selectIn('Project', 'project'),
    selectIn('Label', 'label'),
    press('Filter'),
    (seen) => `[answer ${Number.parseInt(seen.lines.find((line) => / found\./.test(line)) ?? '', 10)}]`,
  ],
};

export const repositoryTemplates: readonly SiteTemplate[] = [open, close, assign, merge, star, author, count];
