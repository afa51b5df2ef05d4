/** @file The administration site: behind a sign-in, a table of users with roles, settings, and a sales report. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, table } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import { fieldText, findRecord, idIn, matches, pagedTable, people, several, withRecord } from './site.ts';

export type AdminUser = { readonly role: string; readonly active: boolean; readonly department: string };
export type AdminData = {
  readonly password: string;
  readonly users: Records<AdminUser>;
  readonly settings: { readonly signup: boolean; readonly mails: boolean; readonly limit: number; readonly language: string };
  /** Units sold and revenue by month. */
  readonly sales: Records<Records<number>>;
};

export const userRoles = ['viewer', 'editor', 'administrator'] as const;
export const departments = ['sales', 'support', 'design', 'finance'] as const;
export const languages = ['English', 'French', 'German', 'Spanish'] as const;
export const monthNames = ['October', 'November', 'December', 'January', 'February'] as const;
const wares = ['lamps', 'chairs', 'bags', 'clocks', 'books', 'tools'] as const;
const endings = ['', '.m', '.k', '.s', '.t'] as const;
const allNames = people.flatMap((person) => endings.map((ending) => `${person}${ending}`));

function generate(size: number, dice: Rng): AdminData {
  const names = several(allNames, size, dice);
  const users: Record<string, AdminUser> = {};
  for (const [i, name] of names.entries())
    users[name] = {
      role: i === 0 ? 'administrator' : userRoles[dice.int(2)],
      active: i === 0 || dice.int(4) > 0,
      department: dice.pick(departments),
    };
  const sales = Object.fromEntries(
    monthNames.map((month) => [month, Object.fromEntries(wares.map((ware, i) => [ware, 100 + 6 * dice.int(200) + i]))]),
  );
  const settings = { signup: dice.int(2) === 0, mails: dice.int(2) === 0, limit: 10 + dice.int(40), language: dice.pick(languages) };
  return { password: `pass${1000 + dice.int(9000)}`, users, settings, sales };
}

function show(data: AdminData, { path, query, admin: who }: SiteRequest): readonly PageNode[] | null {
  if (who === null)
    return [
      heading('Sign in'),
      form('Sign in', '/signin', [
        field('Name', 'name', { required: true }),
        field('Password', 'password', { type: 'password', required: true }),
      ]),
    ];
  if (path === '') return showUsers(data, query);
  if (path === '/new')
    return [
      heading('New user'),
      form('Create user', '/new', [
        field('Name', 'name', { required: true }),
        field('Role', 'role', { type: 'select', options: userRoles }),
        field('Department', 'department', { type: 'select', options: departments }),
      ]),
    ];
  if (path === '/settings') {
    const { signup, mails, limit, language } = data.settings;
    return [
      heading('Settings'),
      form('Save settings', '/settings', [
        field('Anybody may sign up', 'signup', { type: 'checkbox', checked: signup }),
        field('Send mails', 'mails', { type: 'checkbox', checked: mails }),
        field('Upload limit', 'limit', { type: 'number', value: String(limit), required: true, min: 1, max: 100 }),
        field('Language', 'language', { type: 'select', options: languages, value: language }),
      ]),
    ];
  }
  if (path === '/report') {
    const month = query['month'] ?? monthNames[0];
    const sold = findRecord(data.sales, month) ?? {};
    return [
      heading('Sales'),
      form('Show', '/report', [field('Month', 'month', { type: 'select', options: monthNames, value: month })], { method: 'get' }),
      fact('Month', month),
      table(
        'Sales',
        ['Ware', 'Sold'],
        Object.entries(sold).map(([ware, count]) => [ware, String(count)]),
      ),
    ];
  }
  const name = idIn(path, '/user/');
  const user = findRecord(data.users, name);
  if (user === null || name === undefined) return null;
  return [
    heading(name),
    fact('Department', user.department),
    form('Save user', `/user/${name}`, [
      field('Role', 'role', { type: 'select', options: userRoles, value: user.role }),
      field('Active', 'active', { type: 'checkbox', checked: user.active }),
    ]),
  ];
}

function showUsers({ users }: AdminData, query: SiteRequest['query']): readonly PageNode[] {
  const { q = '', department = 'all', role = 'all', state = 'all' } = query;
  const rows = Object.entries(users)
    .filter(
      ([name, adminUser]) =>
        (q === '' || matches(name, q)) &&
        (department === 'all' || adminUser.department === department) &&
        (role === 'all' || adminUser.role === role) &&
        (state === 'all' || adminUser.active === (state === 'active')),
    )
    .map(([name, adminUser]) => [
      link(name, `/user/${name}`),
      adminUser.role,
      adminUser.department,
      adminUser.active ? 'active' : 'inactive',
    ]);
  return [
    heading('Users'),
    form(
      'Filter',
      '',
      [
        field('Search users', 'q', { type: 'search', value: q }),
        field('Department', 'department', { type: 'select', options: ['all', ...departments], value: department }),
        field('Role', 'role', { type: 'select', options: ['all', ...userRoles], value: role }),
        field('State', 'state', { type: 'select', options: ['all', 'active', 'inactive'], value: state }),
      ],
      { method: 'get' },
    ),
    ...pagedTable({ name: 'Users', head: ['User', 'Role', 'Department', 'State'], rows }, '', query),
  ];
}

function post(
  data: AdminData,
  { path, form: message, admin: who }: SitePost,
): { data?: AdminData; to: string; admin?: string | null } | null {
  if (path === '/signin') {
    const right = message['name'] === 'admin' && message['password'] === data.password;
    return right ? { to: '', admin: 'admin' } : { to: '?error=password' };
  }
  if (who === null) return { to: '?error=signin' };
  if (path === '/new') {
    const [name, role, department] = [fieldText(message, 'name'), fieldText(message, 'role'), fieldText(message, 'department')];
    if (!/^[\w.]{1,30}$/.test(name) || !userRoles.includes(role as (typeof userRoles)[number])) return { to: '/new?error=fields' };
    if (Object.hasOwn(data.users, name)) return { to: '/new?error=taken' };
    return { data: { ...data, users: withRecord(data.users, name, { role, active: true, department }) }, to: `/user/${name}?note=1` };
  }
  if (path === '/settings') {
    const limit = Number(message['limit']);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) return { to: '/settings?error=fields' };
    const settings = {
      signup: message['signup'] === 'on',
      mails: message['mails'] === 'on',
      limit,
      language: fieldText(message, 'language'),
    };
    return { data: { ...data, settings }, to: '/settings?note=1' };
  }
  const name = idIn(path, '/user/');
  const user = findRecord(data.users, name);
  if (user === null || name === undefined) return null;
  const next = { ...user, role: fieldText(message, 'role'), active: message['active'] === 'on' };
  const isLast = user.role === 'administrator' && user.active && (next.role !== 'administrator' || !next.active);
  const administrators = Object.values(data.users).filter((user) => user.role === 'administrator' && user.active);
  if (isLast && administrators.length === 1) return { to: `/user/${name}?error=last` };
  return { data: { ...data, users: withRecord(data.users, name, next) }, to: `/user/${name}?note=1` };
}

export const admin: Site<AdminData> = {
  title: 'Administration',
  menu: [
    ['Users', ''],
    ['New user', '/new'],
    ['Settings', '/settings'],
    ['Report', '/report'],
  ],
  generate,
  show,
  post,
};
