/** @file Tasks in the administration. All are behind its sign-in. */

import { type AdminData, departments, languages, monthNames, userRoles } from '../admin.ts';
import { withRecord } from '../site.ts';
import type { PlanStep, SiteTemplate } from '../template.ts';
import { cannot, done, follow, followField, largestRow, number, press, search, selectIn, typeIn, words } from '../template.ts';

const signIn: readonly PlanStep[] = [(seenPage) => seenPage.type('Name', 'admin'), typeIn('Password', 'password'), press('Sign in')];
const find = [...signIn, ...search('Search users', 'user', 'Filter'), followField('user')];
const asAdmin = ({ password }: AdminData): string => `Sign in to the administration as admin with the password ${password}.`;

const create: SiteTemplate = {
  id: 'admin-create',
  site: 'admin',
  draw(data: AdminData, dice) {
    const [name, role, department] = [`new.${dice.pick(['amy', 'bo', 'cleo', 'dan'])}`, dice.pick(userRoles), dice.pick(departments)];
    return {
      goal: `${asAdmin(data)} Create the user ${name} with the role ${role} in the department ${department}.`,
      fields: { password: data.password, name, role, department },
      want: { ...data, users: withRecord(data.users, name, { role, active: true, department }) },
    };
  },
  plan: [
    ...signIn,
    follow('New user'),
    typeIn('Name', 'name'),
    selectIn('Role', 'role'),
    selectIn('Department', 'department'),
    press('Create user'),
    done,
  ],
};

const role: SiteTemplate = {
  id: 'admin-role',
  site: 'admin',
  impossible: true,
  draw(data: AdminData, dice, { possible }) {
    const isUnknown = !possible && dice.int(2) === 0;
    const [user, adminUser] = dice.pick(Object.entries(data.users).filter(([, each]) => (each.role === 'administrator') !== possible));
    const name = isUnknown ? `${user}.old` : user;
    const wanted = dice.pick(userRoles.filter((each) => each !== adminUser.role));
    const goal = `${asAdmin(data)} Give the user ${name} the role ${wanted}.`;
    const fields = { password: data.password, user: name, role: wanted };
    if (!possible) return { goal, fields, reason: isUnknown ? 'not found' : 'not allowed' };
    return { goal, fields, want: { ...data, users: withRecord(data.users, user, { ...adminUser, role: wanted }) } };
  },
  plan: [
    ...find,
    selectIn('Role', 'role'),
    press('Save user'),
    (seenPage) => (seenPage.has('The last administrator') ? cannot('not allowed') : '[done]'),
  ],
};

const deactivate: SiteTemplate = {
  id: 'admin-deactivate',
  site: 'admin',
  draw(data: AdminData, dice) {
    const active = Object.entries(data.users).filter(([, adminUser]) => adminUser.active && adminUser.role !== 'administrator');
    const isOn = active.length > 0;
    const [user, otherAdminUser] = dice.pick(isOn ? active : Object.entries(data.users).filter(([, each]) => !each.active));
    return {
      goal: `${asAdmin(data)} Make the user ${user} ${isOn ? 'inactive' : 'active'}.`,
      fields: { password: data.password, user },
      want: { ...data, users: withRecord(data.users, user, { ...otherAdminUser, active: !isOn }) },
    };
  },
  plan: [...find, (seenPage) => seenPage.click('Active', 'checkbox'), press('Save user'), done],
};

const setting: SiteTemplate = {
  id: 'admin-setting',
  site: 'admin',
  draw(data: AdminData, dice) {
    const limit = 51 + dice.int(50);
    const language = dice.pick(languages.filter((otherLanguage) => otherLanguage !== data.settings.language));
    return {
      goal: `${asAdmin(data)} Set the upload limit to ${limit} and the language to ${language}.`,
      fields: { password: data.password, limit: String(limit), language },
      want: { ...data, settings: { ...data.settings, limit, language } },
    };
  },
  plan: [...signIn, follow('Settings'), typeIn('Upload limit', 'limit'), selectIn('Language', 'language'), press('Save settings'), done],
};

const count: SiteTemplate = {
  id: 'admin-count',
  site: 'admin',
  draw(data: AdminData, dice) {
    const department = dice.pick(departments);
    const right = Object.values(data.users).filter((user) => user.active && user.department === department).length;
    return {
      goal: `${asAdmin(data)} How many active users has the department ${department}?`,
      fields: { password: data.password, department, state: 'active' },
      answer: number(right),
    };
  },
  plan: [
    ...signIn,
    selectIn('Department', 'department'),
    selectIn('State', 'state'),
    press('Filter'),
    (seenPage) => `[answer ${Number.parseInt(seenPage.lines.find((line) => / found\./.test(line)) ?? '', 10)}]`,
  ],
};

const best: SiteTemplate = {
  id: 'admin-best',
  site: 'admin',
  heldOut: true,
  draw(data: AdminData, dice) {
    const month = dice.pick(monthNames);
    const [ware] = Object.entries(data.sales[month]).sort(([, a], [, b]) => b - a)[0];
    return {
      goal: `${asAdmin(data)} Which ware was sold most in ${month}?`,
      fields: { password: data.password, month },
      answer: words(ware),
    };
  },
  plan: [
    ...signIn,
    follow('Report'),
    selectIn('Month', 'month'),
    press('Show'),
    (seenPage) => {
      const row = largestRow(seenPage.rows(), 1);
      return row === null ? null : `[answer ${row[0]}]`;
    },
  ],
};

export const adminTemplates: readonly SiteTemplate[] = [create, role, deactivate, setting, count, best];
