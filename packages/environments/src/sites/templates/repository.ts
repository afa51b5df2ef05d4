/** @file Tasks in the repository. */

import { type Issue, labels, type RepositoryData, withIssue } from '../repository.ts';
import { me, people, withRecord } from '../site.ts';
import { cannot, done, follow, followField, number, press, type SiteTemplate, search, selectIn, words } from '../template.ts';

const find = [follow('Issues'), ...search('Search issues', 'issue', 'Filter'), followField('issue')];

function openIssues(data: RepositoryData): [string, Issue][] {
  return Object.entries(data.issues).filter(([, issue]) => issue.open && !data.projects[issue.project].archived);
}

const open: SiteTemplate = {
  id: 'repository-open',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [project] = dice.pick(Object.entries(data.projects).filter(([, project]) => project.archived !== possible));
    const title = `${dice.pick(['No answer', 'Odd colours', 'Double entries'])} after ${dice.pick(['update', 'restart', 'import'])}`;
    const label = dice.pick(labels.slice(1));
    const goal = `Open an issue with the title "${title}" and the label ${label} in the project ${project} of the repository.`;
    const fields = { project, title, label };
    return possible ? { goal, fields, want: withIssue(data, fields) } : { goal, fields, reason: 'locked' };
  },
  plan: [
    followField('project'),
    (seenPage, { title }) => seenPage.type('Title', title) ?? cannot('locked'),
    selectIn('Label', 'label'),
    press('Open issue'),
    done,
  ],
};

const close: SiteTemplate = {
  id: 'repository-close',
  site: 'repository',
  draw(data: RepositoryData, dice) {
    const [id, otherIssue] = dice.pick(openIssues(data));
    return {
      goal: `Close the issue "${otherIssue.title}" of the project ${otherIssue.project} in the repository.`,
      fields: { issue: otherIssue.title },
      want: { ...data, issues: withRecord(data.issues, id, { ...otherIssue, open: false }) },
    };
  },
  plan: [...find, press('Close issue'), done],
};

const assign: SiteTemplate = {
  id: 'repository-assign',
  site: 'repository',
  draw(data: RepositoryData, dice) {
    const [id, otherIssue] = dice.pick(openIssues(data));
    const label = dice.pick(labels.filter((each) => each !== otherIssue.label));
    const assignee = dice.pick([me, ...people].filter((each) => each !== otherIssue.assignee));
    return {
      goal: `Give the issue "${otherIssue.title}" in the repository the label ${label} and assign it to ${assignee}.`,
      fields: { issue: otherIssue.title, label, assignee },
      want: { ...data, issues: withRecord(data.issues, id, { ...otherIssue, label, assignee }) },
    };
  },
  plan: [...find, selectIn('Label', 'label'), selectIn('Assignee', 'assignee'), press('Save issue'), done],
};

const merge: SiteTemplate = {
  id: 'repository-merge',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [id, mergeRequest] = dice.pick(Object.entries(data.requests).filter(([, each]) => each.checks === possible));
    const goal = `Merge the request "${mergeRequest.title}" in the repository.`;
    const fields = { request: mergeRequest.title };
    if (!possible) return { goal, fields, reason: 'not allowed' };
    return { goal, fields, want: { ...data, requests: withRecord(data.requests, id, { ...mergeRequest, status: 'merged' }) } };
  },
  plan: [follow('Merge requests'), followField('request'), (seenPage) => seenPage.click('Merge', 'button') ?? cannot('not allowed'), done],
};

const star: SiteTemplate = {
  id: 'repository-star',
  site: 'repository',
  impossible: true,
  draw(data: RepositoryData, dice, { possible }) {
    const [project, otherProject] = dice.pick(Object.entries(data.projects).filter(([, each]) => each.archived !== possible));
    const goal = `Star the project ${project} of the repository.`;
    if (!possible) return { goal, fields: { project }, reason: 'locked' };
    return {
      goal,
      fields: { project },
      want: { ...data, projects: withRecord(data.projects, project, { ...otherProject, stars: otherProject.stars + 1, starred: true }) },
    };
  },
  plan: [followField('project'), (seenPage) => seenPage.click('Star', 'button') ?? cannot('locked'), done],
};

const author: SiteTemplate = {
  id: 'repository-author',
  site: 'repository',
  draw({ projects }: RepositoryData, dice) {
    const [project, otherProject] = dice.pick(Object.entries(projects));
    const [file, { by }] = dice.pick(Object.entries(otherProject.files));
    return {
      goal: `Who changed the file ${file} of the project ${project} in the repository last?`,
      fields: { project, file },
      answer: words(by),
    };
  },
  plan: [followField('project'), (seenPage, { file }) => `[answer ${seenPage.rows().find((row) => row[0] === file)?.[1]}]`],
};

const count: SiteTemplate = {
  id: 'repository-count',
  site: 'repository',
  heldOut: true,
  draw({ issues, projects }: RepositoryData, dice) {
    const [project, label] = [dice.pick(Object.keys(projects)), dice.pick(labels.slice(1))];
    const right = Object.values(issues).filter((issue) => issue.open && issue.project === project && issue.label === label).length;
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
    (seenPage) => `[answer ${Number.parseInt(seenPage.lines.find((line) => / found\./.test(line)) ?? '', 10)}]`,
  ],
};

export const repositoryTemplates: readonly SiteTemplate[] = [open, close, assign, merge, star, author, count];
