/** @file `ludus new trainer`: writes Python that compiles, and plays its matches on a real server with all seats in one episode. */

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const python = process.env['LUDUS_PYTHON'] ?? 'python3';
const able = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;
if (!able) console.log(`Skipped: ${python} is no Python 3.11 or later; LUDUS_PYTHON names another.`);
const cwd = folder();

/** Stands in for the model of a library: takes the first move it is told of, and plays one match through the file that speaks to the server. */
const playing = `
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from match import LudusServer
async def first(told):
    return told.rsplit("Your moves: ", 1)[1].split()[0]
async def silent(told):
    return None
async def main():
    server = LudusServer(sys.argv[2])
    played = [await server.play({"first": first, "second": first}, 3), await server.play({"first": silent, "second": first}, 3)]
    print(json.dumps([{name: [seat.reward, seat.turns, seat.gave_up] for name, seat in one.items()} for one in played]))
asyncio.run(main())
`;

describe('ludus new trainer', () => {
  it('writes a package for verifiers and a script for TRL, with the same file for the server', async () => {
    const outcome = await ludus(cwd, ['new', 'trainer', 'verifiers', 'poker-seats', '--json']);
    expect(JSON.parse(outcome.out).files).toEqual(
      ['pyproject.toml', 'README.md', 'poker_seats/__init__.py', 'poker_seats/match.py', 'poker_seats/taskset.py'].map(
        (file) => `poker-seats/${file}`,
      ),
    );
    expect((await ludus(cwd, ['new', 'trainer', 'trl', 'poker-trl'])).out).toContain('ludus serve openenv');
    const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
    expect(read('poker-seats/poker_seats/match.py')).toBe(read('poker-trl/match.py'));
    expect((await ludus(cwd, ['new', 'trainer', 'trl', 'poker-trl'])).err).toMatch(/already exists/);
    expect((await ludus(cwd, ['new', 'trainer', 'trll', 'x'])).err).toMatch(/Libraries: verifiers, trl\. Did you mean "trl"/);
    expect((await ludus(cwd, ['new', 'trainer', 'trl'])).err).toMatch(/needs a library and a name/);
    expect((await ludus(cwd, ['new', 'agent', 'a', 'b'])).err).toMatch(/" takes one name\. Remove "/);
  });

  it.skipIf(!able)('writes Python that compiles and plays a match on the server', async () => {
    for (const [kind, name] of [
      ['verifiers', 'compiled-v'],
      ['trl', 'compiled-t'],
    ] as const) {
      const { files } = JSON.parse((await ludus(cwd, ['new', 'trainer', kind, name, '--json'])).out) as { files: string[] };
      const programs = files.filter((file) => file.endsWith('.py')).map((file) => join(cwd, file));
      await promisify(execFile)(python, ['-m', 'py_compile', ...programs]);
    }
    mkdirSync(join(cwd, 'run'));
    writeFileSync(join(cwd, 'run', 'play.py'), playing);
    let printed = '';
    const serving = await ludus(cwd, ['serve', 'openenv', '--port', '0', '--no-token'], {
      during: async (interrupt, written) => {
        const url = await written(/http:\/\/127\.0\.0\.1:\d+/);
        const words = [join(cwd, 'run', 'play.py'), join(cwd, 'compiled-t'), `${url}/openenv/kuhn-poker`];
        printed = await promisify(execFile)(python, words).then(
          ({ stdout }) => stdout,
          (thrown: unknown) => String(thrown),
        );
        interrupt();
      },
    });
    expect(serving.err).not.toMatch(/✗/);
    const [both, item] = JSON.parse(printed) as Record<string, [number, number, boolean]>[];
    // Both check: one chip changes hands. Who gives up loses, and the other seat hears of it.
    expect(Math.abs(both?.['first']?.[0] ?? 0)).toBe(1);
    expect(both?.['second']?.[0]).toBe(-(both?.['first']?.[0] ?? 0));
    expect([both?.['first']?.[1], both?.['second']?.[1]]).toEqual([1, 1]);
    expect(item?.['first']?.[2]).toBe(true);
    expect(existsSync(join(cwd, '.ludus'))).toBe(true);
  });
});
