/** @file A rubric from a file of the user's own, checked before any judge is paid for it. */

import { Fault } from '../core/index.ts';
import type { Rubric } from '../scoring/judges/rubric.ts';

const forms = ['penalty', 'checklist', 'pairwise'];
const flaws = 'out-of-character secret-leak contradiction wrong-fact repetition broken-style dropped-goal insult harmful-advice'.split(' ');

type Fields = Readonly<Record<string, unknown>>;

/** Reads a rubric; undefined where it is something else. */
export function readRubric(value: unknown, where: string): Rubric | undefined {
  if (!isRecord(value) || typeof value['form'] !== 'string' || !('axes' in value)) return undefined;
  const { form, name, axes } = value;
  check(forms.includes(form), where, 'form', `one of ${forms.join(', ')}`, form);
  check(typeof name === 'string' && /^[\w.-]{1,60}$/.test(name), where, 'name', 'letters, digits, dots or dashes', name);
  check(isText(value['about']), where, 'about', 'what is judged, in a sentence', value['about']);
  check(Array.isArray(axes) && axes.length > 0 && axes.every(isRecord), where, 'axes', 'a list of axes', axes);
  const { plants = [], version = 1, source = 'of the user’s own' } = value;
  check(Array.isArray(plants) && plants.every((one) => flaws.includes(one)), where, 'plants', `a list of ${flaws.join(', ')}`, plants);
  for (const [i, axis] of (axes as readonly Fields[]).entries()) checkAxis(axis, form, `${where}: axes[${i}]`);
  if (form === 'penalty') {
    const { severity, arithmetic } = value;
    check(
      isRecord(severity) && isCount(severity['to']) && isText(severity['least']) && isText(severity['most']),
      where,
      'severity',
      'an object with to, least and most',
      severity,
    );
    const parts = ['start', 'each', 'worst', 'turn'];
    check(
      isRecord(arithmetic) && parts.every((part) => isNumber(arithmetic[part])),
      where,
      'arithmetic',
      `numbers for ${parts.join(', ')}`,
      arithmetic,
    );
  }
  return { ...value, plants, version, source } as unknown as Rubric;
}

function checkAxis(axis: Fields, form: string, where: string): void {
  for (const field of ['id', 'about']) check(isText(axis[field]), where, field, 'a text', axis[field]);
  if (form === 'penalty')
    check(Array.isArray(axis['flaws']) && axis['flaws'].every(isText), where, 'flaws', 'a list of texts', axis['flaws']);
  if (form !== 'checklist') return;
  const { scale, start, questions } = axis;
  check(
    Array.isArray(scale) && scale.length === 2 && scale.every(isNumber) && Number(scale[0]) < Number(scale[1]),
    where,
    'scale',
    'two numbers, the lower first',
    scale,
  );
  check(isNumber(start), where, 'start', 'a number', start);
  check(Array.isArray(questions) && questions.length > 0, where, 'questions', 'a list of questions', questions);
  for (const one of questions as readonly unknown[])
    check(
      isRecord(one) && isText(one['id']) && isText(one['ask']) && isNumber(one['points']),
      where,
      'questions',
      'objects with id, ask and points',
      one,
    );
}

function check(fine: boolean, where: string, field: string, expected: string, found: unknown): void {
  const came = found === undefined ? 'is missing' : `came as ${String(JSON.stringify(found)).slice(0, 80)}`;
  if (!fine) throw new Fault('input', `${where}: ${field} must be ${expected}, but ${came}.`);
}

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
