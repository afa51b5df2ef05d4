import { expect, it } from 'vitest';
import { applyDiff, pathsOfDiff } from './unified-diff.ts';

const lines = (...text: readonly string[]) => text.join('\n');

it('applyDiff changes several parts of a file, adds one, renames one, and removes one', () => {
  const diff = lines(
    ...['diff --git a/a.js b/a.js', '--- a/a.js', '+++ b/a.js', '@@ -1,2 +1,3 @@ head', ' 1', '+1.5', ' 2', '@@ -4 +5 @@', '-4', '+four'],
    ...['--- /dev/null', '+++ b/new.js', '@@ -0,0 +1,2 @@', '+x', '+--- y', '\\ No newline at end of file'],
    ...['--- a/old.js', '+++ b/moved.js', '@@ -1 +1 @@', '-o', '+m'],
    ...['--- a/gone.js', '+++ /dev/null', '@@ -1 +0,0 @@', '-g', ''],
  );
  const before = { 'a.js': lines('1', '2', '3', '4', '5'), 'old.js': 'o', 'gone.js': 'g', 'kept.js': 'k' };
  expect(applyDiff(before, diff)).toEqual({
    'a.js': lines('1', '1.5', '2', '3', 'four', '5'),
    'new.js': lines('x', '--- y'),
    'moved.js': 'm',
    'gone.js': undefined,
    'kept.js': 'k',
  });
  expect(pathsOfDiff(diff)).toEqual(['a.js', 'new.js', 'moved.js']);
});

it('applyDiff rejects a diff that does not fit', () => {
  const diff = lines('--- a/a.js', '+++ b/a.js', '@@ -1 +1 @@', '-1', '+2', '');
  expect(() => applyDiff({ 'a.js': '3' }, diff)).toThrow('does not apply to a.js at line 1');
  expect(() => applyDiff({}, diff)).toThrow('The diff changes a.js, which does not exist.');
  expect(() => applyDiff({ 'a.js': '1' }, diff.replace('@@ -1', '@@ x'))).toThrow('" is not a valid hunk header. Expected, for');
  expect(applyDiff({ 'a.js': '1' }, '')).toEqual({ 'a.js': '1' });
});
