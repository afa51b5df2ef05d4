import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { addressOf } from '@ludus-agents/learning/internal/prompts/components';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import { folder, ludus } from '../terminal.cases.ts';

const cwd = folder();
const lastLine = <T>(text: string) => JSON.parse(text.trim().split('\n').at(-1) as string) as T;
const small = ['improve', 'instruction-demo', '--tasks', '8,8,20', '--budget', '60'];

interface Line {
  readonly run: string;
  readonly start: number;
  readonly best: number;
  readonly random: number;
  readonly calls: number;
  readonly candidate: string;
}

interface Listed {
  readonly head: { readonly id: string };
  readonly candidates: readonly {
    readonly id: string;
    readonly engine: string;
    readonly parents: readonly string[];
    readonly verdicts: readonly unknown[];
  }[];
}

describe('ludus improve', () => {
  it('ends with one JSON line, and repeats it without playing again', async () => {
    const words = ['improve', 'instruction-demo', '--engine', 'gepa', '--budget', '150', '--tasks', '12,12,24', '--seed', '1', '--json'];
    const { code, out, err } = await ludus(cwd, words);
    expect([code, out.trim().split('\n').length]).toEqual([0, 1]);
    const line = lastLine<Line>(out);
    expect(line.best).toBeGreaterThan(line.start + 0.1);
    expect(line.best).toBeGreaterThan(line.random);
    expect(line.calls).toBeLessThanOrEqual(150);
    expect(err).toContain('random edits and resampling at equal cost');
    expect((await ludus(cwd, words)).out).toBe(out);
  });

  it('shows the tree, the gate, and the report', async () => {
    const { code, out, err } = await ludus(cwd, [...small, '--engine', 'random', '--name', 'shown'], { tty: true, columns: 200 });
    expect(code).toBe(0);
    expect(out).toMatch(/│ .*(accepted|rejected): [+−]\d/);
    expect(out).toContain('add “');
    expect(out).toContain('On 2 tasks (20 episodes)');
    expect(out).toContain('It is the random edit itself');
    expect(err).toMatch(/random: \d+ task plays, \$0/);
  });

  it('resumes after Ctrl-C with the same result', async () => {
    const words = ['improve', 'instruction-demo', '--engine', 'skillopt', '--tasks', '6,6,8', '--budget', '90', '--json'];
    const broken = folder();
    /** Presses Ctrl-C once the run is under way: its store knows it. */
    const during = async (interrupt: () => void) => {
      await until(
        async () => existsSync(join(broken, '.ludus')) && (await ludus(broken, ['list', 'runs', '--json'])).out.includes('"run"'),
      );
      interrupt();
    };
    const stopped = await ludus(broken, [...words, '--name', 'run'], { during });
    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain('ludus improve --resume run');
    const resumed = await ludus(broken, ['improve', '--resume', 'run', '--json']);
    const whole = await ludus(folder(), [...words, '--name', 'run']);
    expect(resumed.out).toBe(whole.out);
  });

  it('keeps the lineage, shows differences, and rolls back exactly', async () => {
    const { candidate: best, run } = lastLine<Line>(
      (await ludus(cwd, [...small, '--engine', 'skillopt', '--json', '--name', 'whole'])).out,
    );
    const lineage = lastLine<Listed>((await ludus(cwd, ['improve', 'lineage', 'whole', '--json'])).out);
    expect(lineage.head.id).toBe(best);
    const ids = new Set(lineage.candidates.map(({ id }) => id));
    for (const { parents } of lineage.candidates) for (const parent of parents) expect(ids.has(parent)).toBe(true);
    expect(new Set(lineage.candidates.map(({ engine }) => engine))).toEqual(new Set(['skillopt', 'random', 'resample']));
    const start = lineage.candidates.find(({ parents }) => parents.length === 0)?.id as string;
    const child = lineage.candidates.find(({ parents }) => parents[0] === start)?.id as string;
    expect((await ludus(cwd, ['improve', 'lineage', run, '--engine', 'skillopt'])).out).toContain(`${start.slice(0, 8)}`);

    const outcome = await ludus(cwd, ['improve', 'diff', `whole:${start}`, `whole:${child}`]);
    expect(outcome.out).toMatch(/^\+ /m);
    expect((await ludus(cwd, ['improve', 'diff', start, `whole:${start.slice(0, 6)}`])).out).toBe('They are identical.\n');

    const back = await ludus(cwd, ['improve', 'rollback', 'whole', start.slice(0, 8), '-o', 'spec.json', '--json']);
    expect(lastLine<{ candidate: string }>(back.out).candidate).toBe(start);
    const spec = JSON.parse(readFileSync(join(cwd, 'spec.json'), 'utf8')) as AgentSpec;
    expect(addressOf(spec)).toBe(start);
    expect(lastLine<Listed>((await ludus(cwd, ['improve', 'lineage', 'whole', '--json'])).out).head.id).toBe(start);
    expect((await ludus(cwd, ['improve', 'diff', 'spec.json', 'whole'])).out).toBe('They are identical.\n');
  });

  it('reports as HTML, Markdown, and JSON', async () => {
    const page = (await ludus(cwd, ['report', 'whole'])).out;
    expect(page).toContain('<h2>Gate decisions</h2>');
    expect(page).not.toContain('<script');
    const text = (await ludus(cwd, ['report', 'whole', '--format', 'md'])).out;
    expect(text).toContain('| random edits |');
    expect(lastLine<{ words: string[] }>((await ludus(cwd, ['report', 'whole', '--json'])).out).words[0]).toContain(
      'On 2 tasks (20 episodes)',
    );
  });

  it('runs the same recipe with a model and estimates its cost first', async () => {
    const words = ['improve', 'instruction-demo', '--model', 'fake', '--tasks', '3,3,3', '--budget', '12', '--name', 'fake', '--json'];
    const { code, err, out } = await ludus(cwd, words);
    expect(code).toBe(0);
    expect(err).toContain('model calls');
    expect(lastLine<{ spent: { gepa: { modelCalls: number } } }>(out).spent.gepa.modelCalls).toBeGreaterThan(0);
  });

  it('explains invalid options', async () => {
    const wrong = async (...words: string[]) => (await ludus(cwd, words)).err;
    expect(await wrong('improve')).toContain('Choose what to improve: an agent with --on SUITE');
    expect(await wrong('improve', 'instruction-dem')).toContain('Did you mean "instruction-demo"?');
    expect(await wrong('improve', 'instruction-demo', '--engine', 'gepo')).toContain('Unknown engine "gepo"');
    expect(await wrong('improve', 'instruction-demo', '--set', 'x=1')).toContain('has no setting "x"');
    expect(await wrong('improve', 'instruction-demo', '--gate', 'open')).toContain('Unknown gate "open"');
    expect(await wrong('improve', 'instruction-demo', '--proposer', 'me')).toContain('Unknown proposer "me"');
    expect(await wrong('improve', 'instruction-demo', '--proposer', './nope.txt')).toContain('./nope.txt cannot be read: no such file');
    expect(await wrong('improve', 'instruction-demo', '--budget', '3', '--name', 'tiny')).toContain('Raise --budget.');
    expect(await wrong('improve', 'instruction-demo', '--budget', '70', '--name', 'whole')).toContain('another --name');
    expect(await wrong('improve', '--resume', 'nothing')).toContain('Run "nothing" not found');
    expect(await wrong('report', 'tiny')).toContain('is not finished');
    expect(await wrong('improve', 'lineage', 'nothing')).toContain('Run "nothing" not found');
    expect(await wrong('improve', 'rollback', 'whole', 'zzz')).toContain('Candidate "zzz" not found');
    expect(await wrong('improve', 'diff', 'zzz', 'whole')).toContain('Candidate "zzz" not found');
    expect(await wrong('improve', 'diff', 'none.json', 'whole')).toContain('none.json cannot be read: no such file');
  });
});
