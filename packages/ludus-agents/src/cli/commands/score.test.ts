import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

it('says so, and exits with 1, where every score failed; one that was given is enough', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'plan.json'), '{"name":"r","environments":["kuhn-poker"],"seeds":2,"casts":[{"*":"random"}]}');
  writeFileSync(
    join(cwd, 'bad.mjs'),
    'export const bad = { name: "bad", tier: "rule", async score() { throw new Error("the ink is dry"); } };\n',
  );
  expect((await ludus(cwd, ['run', 'plan.json'])).code).toBe(0);
  const failed = await ludus(cwd, ['score', 'r', '--scorers', './bad.mjs']);
  expect(failed.out).toContain('bad failed 4 times: the ink is dry.');
  expect(failed.code).toBe(1);
  expect((await ludus(cwd, ['score', 'r', '--scorers', './bad.mjs,return', '--again'])).code).toBe(0);
  const idle = await ludus(cwd, ['score', 'r', '--scorers', 'planning,edits', '--again']);
  expect([idle.code, idle.err]).toEqual([1, expect.stringContaining('Nothing was scored: planning, edits')]);
});
