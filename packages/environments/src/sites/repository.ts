/** @file The repository site: projects with files and commits, issues with labels and assignees, and merge requests with checks. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, table, text } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import { dayAt, fieldText, findRecord, idIn, matches, me, nextId, pagedTable, people, several, withRecord } from './site.ts';

export type Issue = {
  readonly project: string;
  readonly title: string;
  readonly by: string;
  readonly label: string;
  readonly assignee: string;
  readonly open: boolean;
};
export type MergeRequest = {
  readonly project: string;
  readonly title: string;
  readonly by: string;
  readonly checks: boolean;
  readonly status: string;
};
export type ProjectFile = { readonly by: string; readonly date: string; readonly lines: number };
export type Project = {
  readonly stars: number;
  readonly starred: boolean;
  readonly archived: boolean;
  readonly files: Records<ProjectFile>;
};
export type RepositoryData = {
  readonly projects: Records<Project>;
  readonly issues: Records<Issue>;
  readonly requests: Records<MergeRequest>;
};

export const labels = ['none', 'bug', 'feature', 'question', 'urgent'] as const;
const projectNames = ['atlas', 'beacon', 'cedar', 'delta', 'ember'] as const;
const faults = ['Crash', 'Wrong result', 'Slow start', 'Missing text', 'Broken link', 'Lost setting'] as const;
const parts = ['login', 'search', 'export', 'menu', 'parser', 'report', 'cache', 'upload'] as const;
const allTitles = faults.flatMap((fault) => parts.map((part) => `${fault} in ${part}`));
const fileNames = ['main.ts', 'parser.ts', 'README.md', 'config.json', 'cache.ts'] as const;

function generate(size: number, dice: Rng): RepositoryData {
  const projects: Record<string, Project> = {};
  for (const [i, name] of projectNames.entries()) {
    const files = several(fileNames, 3, dice).map((file): [string, ProjectFile] => [
      file,
      { by: dice.pick(people), date: dayAt(-1 - dice.int(60)), lines: 20 + dice.int(400) },
    ]);
    projects[name] = { stars: 10 + dice.int(500), starred: false, archived: i === 4, files: Object.fromEntries(files) };
  }
  const titles = several(allTitles, size, dice);
  const issues: Record<string, Issue> = {};
  for (let i = 0; i < size; i++)
    issues[String(i + 1)] = {
      ...{ project: projectNames[i % projectNames.length], title: titles[i % titles.length], by: dice.pick(people) },
      ...{ label: dice.pick(labels), assignee: dice.int(2) === 0 ? 'nobody' : dice.pick(people), open: i < 8 || dice.int(3) > 0 },
    };
  const requests: Record<string, MergeRequest> = {};
  for (const [i, part] of several(parts, 5, dice).entries())
    requests[String(i + 1)] = {
      ...{ project: projectNames[i % 4], title: `Rewrite the ${part}`, by: dice.pick(people), checks: i % 2 === 0, status: 'open' },
    };
  return { projects, issues, requests };
}

function show(data: RepositoryData, { path, query }: SiteRequest): readonly PageNode[] | null {
  if (path === '')
    return [
      table(
        'Projects',
        ['Project', 'Stars', 'State'],
        Object.entries(data.projects).map(([name, project]) => [
          link(name, `/project/${name}`),
          `${project.stars} stars`,
          project.archived ? 'archived' : 'active',
        ]),
      ),
    ];
  if (path === '/issues') return showIssues(data, query);
  if (path === '/requests') {
    const rows = Object.entries(data.requests).map(([id, mergeRequest]) => [
      link(mergeRequest.title, `/request/${id}`),
      mergeRequest.project,
      mergeRequest.by,
      mergeRequest.status,
    ]);
    return [
      heading('Merge requests'),
      ...pagedTable({ name: 'Merge requests', head: ['Request', 'Project', 'By', 'Status'], rows }, path, query),
    ];
  }
  const name = idIn(path, '/project/');
  const project = findRecord(data.projects, name);
  if (project !== null && name !== undefined) return showProject(name, project);
  const issue = findRecord(data.issues, idIn(path, '/issue/'));
  if (issue !== null) return showIssue(data, path.slice('/issue/'.length), issue);
  const request = findRecord(data.requests, idIn(path, '/request/'));
  return request === null ? null : showRequest(path.slice('/request/'.length), request);
}

function showIssues(data: RepositoryData, query: SiteRequest['query']): readonly PageNode[] {
  const { q = '', project = 'all', label = 'all', state = 'open' } = query;
  const rows = Object.entries(data.issues)
    .filter(
      ([, issue]) =>
        (project === 'all' || issue.project === project) &&
        (label === 'all' || issue.label === label) &&
        (state === 'all' || issue.open === (state === 'open')) &&
        (q === '' || matches(issue.title, q)),
    )
    .map(([id, issue]) => [link(issue.title, `/issue/${id}`), issue.project, issue.label, issue.assignee, issue.open ? 'open' : 'closed']);
  return [
    heading('Issues'),
    form(
      'Filter',
      '/issues',
      [
        field('Search issues', 'q', { type: 'search', value: q }),
        field('Project', 'project', { type: 'select', options: ['all', ...projectNames], value: project }),
        field('Label', 'label', { type: 'select', options: ['all', ...labels], value: label }),
        field('State', 'state', { type: 'select', options: ['open', 'closed', 'all'], value: state }),
      ],
      { method: 'get' },
    ),
    ...pagedTable({ name: 'Issues', head: ['Issue', 'Project', 'Label', 'Assignee', 'State'], rows }, '/issues', query),
  ];
}

function showProject(name: string, project: Project): readonly PageNode[] {
  const files = Object.entries(project.files).map(([file, projectFile]) => [
    file,
    projectFile.by,
    projectFile.date,
    `${projectFile.lines} lines`,
  ]);
  const begin = project.archived
    ? [text('This project is archived: nothing in it can be changed.')]
    : [
        ...(project.starred ? [text('You have starred this project.')] : [form('Star', `/star/${name}`, [])]),
        form('Open issue', `/open/${name}`, [
          field('Title', 'title', { required: true }),
          field('Label', 'label', { type: 'select', options: labels }),
        ]),
      ];
  return [heading(name), fact('Stars', project.stars), table('Files', ['File', 'Last changed by', 'On', 'Length'], files), ...begin];
}

function showIssue(data: RepositoryData, id: string, issue: Issue): readonly PageNode[] {
  const facts = [
    heading(issue.title),
    fact('Project', issue.project),
    fact('Opened by', issue.by),
    fact('Label', issue.label),
    fact('Assignee', issue.assignee),
    fact('State', issue.open ? 'open' : 'closed'),
  ];
  if (data.projects[issue.project].archived) return [...facts, text('This project is archived: nothing in it can be changed.')];
  return [
    ...facts,
    form('Save issue', `/issue/${id}`, [
      field('Label', 'label', { type: 'select', options: labels, value: issue.label }),
      field('Assignee', 'assignee', { type: 'select', options: ['nobody', me, ...people], value: issue.assignee }),
    ]),
    form(issue.open ? 'Close issue' : 'Reopen issue', `/toggle/${id}`, []),
  ];
}

function showRequest(id: string, request: MergeRequest): readonly PageNode[] {
  return [
    heading(request.title),
    fact('Project', request.project),
    fact('By', request.by),
    fact('Checks', request.checks ? 'passed' : 'failed'),
    fact('Status', request.status),
    ...(request.status !== 'open'
      ? []
      : request.checks
        ? [form('Merge', `/merge/${id}`, [])]
        : [text('A request whose checks have failed cannot be merged.')]),
    ...(request.status === 'open' ? [form('Decline', `/decline/${id}`, [])] : []),
  ];
}

function post(data: RepositoryData, { path, form: message }: SitePost): { data?: RepositoryData; to: string } | null {
  const [, verb, id = ''] = /^\/(\w+)\/(\w+)$/.exec(path) ?? [];
  const project = findRecord(data.projects, id);
  if (project !== null) {
    if (project.archived) return { to: `/project/${id}?error=locked` };
    if (verb === 'star' && !project.starred) {
      const projects = withRecord(data.projects, id, { ...project, stars: project.stars + 1, starred: true });
      return { data: { ...data, projects }, to: `/project/${id}?note=1` };
    }
    const [title, label] = [fieldText(message, 'title'), fieldText(message, 'label')];
    if (verb !== 'open') return null;
    if (title === '' || !labels.includes(label as (typeof labels)[number])) return { to: `/project/${id}?error=fields` };
    return { data: withIssue(data, { project: id, title, label }), to: `/issue/${nextId(data.issues)}?note=1` };
  }
  const issue = verb === 'issue' || verb === 'toggle' ? findRecord(data.issues, id) : null;
  if (issue !== null) {
    if (data.projects[issue.project].archived) return { to: `/issue/${id}?error=locked` };
    const [label, assignee] = [fieldText(message, 'label'), fieldText(message, 'assignee')];
    const next = verb === 'toggle' ? { ...issue, open: !issue.open } : { ...issue, label, assignee };
    return { data: { ...data, issues: withRecord(data.issues, id, next) }, to: `/issue/${id}?note=1` };
  }
  const request = verb === 'merge' || verb === 'decline' ? findRecord(data.requests, id) : null;
  if (request === null || request.status !== 'open') return null;
  if (verb === 'merge' && !request.checks) return { to: `/request/${id}?error=checks` };
  const status = verb === 'merge' ? 'merged' : 'declined';
  return { data: { ...data, requests: withRecord(data.requests, id, { ...request, status }) }, to: `/request/${id}?note=1` };
}

export function withIssue(data: RepositoryData, input: Pick<Issue, 'project' | 'title' | 'label'>): RepositoryData {
  return { ...data, issues: withRecord(data.issues, nextId(data.issues), { ...input, by: me, assignee: 'nobody', open: true }) };
}

export const repository: Site<RepositoryData> = {
  title: 'Repository',
  menu: [
    ['Projects', ''],
    ['Issues', '/issues'],
    ['Merge requests', '/requests'],
  ],
  generate,
  show,
  post,
};
